//! Twin lanes: the frozen question asked again, with one thing about it changed, to find out what
//! moves a model. Their answers are never part of a record.

use std::collections::BTreeMap;

use crate::asking::option_order::first_cell;
use crate::decision::portfolio::Holding;
use crate::market::universe::{MarketOption, Universe, UniverseError};
use crate::values::ids::OptionId;
use crate::values::words::words;

/// What differs in a lane.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum Lane {
    /// Nothing: the frozen text once more, to know how much answers differ anyway.
    Base,
    /// The order of the options.
    Order,
    /// Names, tickers and ids of the options.
    Masked,
    /// There is no briefing.
    NoBriefing,
    /// There is no market table.
    NoTable,
}

words!(Lane {
    Base => "base",
    Order => "order",
    Masked => "masked",
    NoBriefing => "no_briefing",
    NoTable => "no_table",
});

impl Lane {
    /// Those in which something differs.
    pub const TWINS: [Self; 4] = [Self::Order, Self::Masked, Self::NoBriefing, Self::NoTable];

    /// For people: what differs.
    pub fn what(self) -> &'static str {
        match self {
            Self::Base => "the same text again",
            Self::Order => "another order of the options",
            Self::Masked => "masked names and tickers",
            Self::NoBriefing => "no briefing",
            Self::NoTable => "no market table",
        }
    }
}

/// The lanes of a round, as its manifest freezes them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Lanes {
    /// What is asked beside the frozen text, each once.
    pub twins: Vec<Lane>,
    /// Answers to the frozen text that each model gives in all; the record's answer is one of them.
    pub base: u32,
    /// Answers to each twin.
    pub twin: u32,
}

/// Most answers of a lane.
pub const MOST_ANSWERS: u32 = 5;

impl Lanes {
    /// Every lane that is asked, the frozen text first.
    pub fn asked(&self) -> Vec<Lane> {
        let twins = self.twins.iter().copied();
        std::iter::once(Lane::Base).chain(twins).collect()
    }

    /// How often each model is asked in a lane; none where the lane is not planned.
    pub fn replicates(&self, lane: Lane) -> Option<u32> {
        match lane {
            Lane::Base => Some(self.base.saturating_sub(1)),
            twin => self.twins.contains(&twin).then_some(self.twin),
        }
    }

    /// Calls of each model, without those of the record.
    pub fn calls(&self) -> u32 {
        let lanes = self.asked();
        lanes.iter().filter_map(|lane| self.replicates(*lane)).sum()
    }

    /// As an operator types it: `order,masked:2+2`.
    pub fn text(&self) -> String {
        let twins: Vec<&str> = self.twins.iter().map(|lane| lane.as_str()).collect();
        format!("{}:{}+{}", twins.join(","), self.base, self.twin)
    }

    /// Reads what an operator typed; without numbers each text is answered twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (names, counts) = text.split_once(':').unwrap_or((text, "2+2"));
        let lane = |word: &str| {
            let known: Vec<&str> = Lane::TWINS.iter().map(|lane| lane.as_str()).collect();
            let known = known.join(", ");
            Lane::parse(word).ok_or_else(|| format!("{word:?} is no lane; the lanes are {known}"))
        };
        let twins = names.split(',').map(str::trim).map(lane);
        let twins = twins.collect::<Result<Vec<Lane>, String>>()?;
        let numbers = counts.split_once('+');
        let numbers =
            numbers.and_then(|(base, twin)| Some((base.parse().ok()?, twin.parse().ok()?)));
        let (base, twin) =
            numbers.ok_or_else(|| format!("{counts:?} is no pair of numbers such as 2+2"))?;
        let lanes = Self { twins, base, twin };
        match lanes.problem() {
            Some(problem) => Err(problem),
            None => Ok(lanes),
        }
    }

    /// What is wrong with a plan.
    pub fn problem(&self) -> Option<String> {
        let mut seen = self.twins.clone();
        seen.sort_unstable();
        seen.dedup();
        if self.twins.is_empty() || self.twins.contains(&Lane::Base) {
            let known: Vec<&str> = Lane::TWINS.iter().map(|lane| lane.as_str()).collect();
            return Some(format!("asks nothing; name some of {}", known.join(", ")));
        }
        if seen.len() != self.twins.len() {
            return Some("names a lane twice".to_owned());
        }
        if !(2..=MOST_ANSWERS).contains(&self.base) {
            return Some(format!(
                "base must be 2 to {MOST_ANSWERS}: one answer does not tell how much answers differ"
            ));
        }
        if !(1..=MOST_ANSWERS).contains(&self.twin) {
            return Some(format!("twin must be 1 to {MOST_ANSWERS}"));
        }
        None
    }
}

/// New names for the options, so that a model must judge figures and not what it remembers of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    universe: Universe,
    /// Masked id → id.
    ids: BTreeMap<OptionId, OptionId>,
    /// Texts that give an option away, the longest first, with what stands in their place.
    words: Vec<(String, String)>,
}

impl Mask {
    /// Masks every option but cash, which the rules of a round name. `order` decides the numbers, so
    /// that a number tells nothing.
    pub fn new(universe: &Universe, order: &[OptionId]) -> Result<Self, UniverseError> {
        let mut options: Vec<MarketOption> = universe.options().to_vec();
        let (mut ids, mut words) = (BTreeMap::new(), Vec::new());
        let reference = universe.reference().id.clone();
        let mut hidden = order.len();
        for option in &mut options {
            option.flags.reference = option.id == reference;
            if option.is_cash() {
                ids.insert(option.id.clone(), option.id.clone());
                continue;
            }
            let place = order.iter().position(|id| *id == option.id);
            let number = place.unwrap_or_else(|| {
                hidden += 1;
                hidden - 1
            });
            let label = format!("OPTION_{:03}", number + 1);
            // The label is made of letters and digits, which an id may have.
            let Ok(masked) = OptionId::parse(&label) else {
                continue;
            };
            let own = [
                option.name.clone(),
                option.id.to_string(),
                option.symbol.clone().unwrap_or_default(),
            ];
            let telling = own.into_iter().filter(|word| word.chars().count() > 1);
            words.extend(telling.map(|word| (word, label.clone())));
            ids.insert(masked.clone(), option.id.clone());
            option.id = masked;
            option.name.clone_from(&label);
            option.symbol = Some(label.clone());
            option.data_symbol = Some(label);
        }
        words.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        let mut mask = Self {
            universe: universe.clone(),
            ids,
            words,
        };
        for option in &mut options {
            option.exposure_description = mask.text(&option.exposure_description);
        }
        mask.universe = Universe::on(universe.market(), options)?;
        Ok(mask)
    }

    /// What an option is called.
    pub fn masked(&self, id: &OptionId) -> OptionId {
        let known = self.ids.iter().find(|(_, own)| *own == id);
        known.map_or_else(|| id.clone(), |(masked, _)| masked.clone())
    }

    /// The options under their masks.
    pub fn universe(&self) -> &Universe {
        &self.universe
    }

    /// A text without names, tickers and ids of options.
    pub fn text(&self, text: &str) -> String {
        let mut masked = text.to_owned();
        for (word, label) in &self.words {
            masked = replace_word(&masked, word, label);
        }
        masked
    }

    /// The market table: its first two columns name the option.
    pub fn table(&self, table: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        for line in table.lines() {
            let option = first_cell(line).and_then(|id| {
                let known = self.ids.iter().find(|(_, own)| own.as_str() == id)?;
                Some((known.0, line.splitn(4, '|').nth(3)?))
            });
            lines.push(match option {
                Some((masked, rest)) => format!("| {masked} | {masked} |{rest}"),
                None => self.text(line),
            });
        }
        lines.join("\n")
    }

    /// Holdings under the ids of the round; one that the mask does not know is left out.
    pub fn unmask(&self, holdings: &[Holding]) -> Vec<Holding> {
        let own = |holding: &Holding| {
            let option_id = self.ids.get(&holding.option_id)?.clone();
            Some(Holding {
                option_id,
                ..holding.clone()
            })
        };
        holdings.iter().filter_map(own).collect()
    }
}

/// Replaces a text where it stands as a word of its own.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut done, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let previous = before.chars().next_back().or(done.chars().next_back());
        let is_whole = !previous.is_some_and(is_part) && !after.starts_with(is_part);
        done.push_str(before);
        done.push_str(if is_whole { by } else { word });
        rest = after;
    }
    done.push_str(rest);
    done
}

#[cfg(test)]
mod tests;
