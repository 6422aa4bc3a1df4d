//! Controls that an operator configures: a fixed portfolio, or one symbol that is held alone.
//!
//! They are frozen in the manifest. A symbol outside the universe is priced like the options, by the
//! same source under the same rules, but no model may hold it and it is never the oracle.

use serde::{Deserialize, Serialize};

use super::{Rule, Unavailable};
use crate::decision::portfolio::{Holding, HoldingForecast};
use crate::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use crate::round::manifest::SubmissionFormat;
use crate::values::ids::{ModelId, OptionId};
use crate::values::units::BasisPoints;

/// Most configured controls of a round: every symbol costs a request for prices.
pub const MOST_OWN_CONTROLS: usize = 20;
const LONGEST_NAME: usize = 40;

/// A control that follows what the operator wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnControl {
    /// Begins with `control-`.
    id: ModelId,
    held: Held,
}

/// What such a control holds in every round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Held {
    /// Options with whole percentages that sum to 100.
    Portfolio(Vec<(OptionId, u32)>),
    /// One symbol, inside the universe or not.
    Symbol(String),
}

impl OwnControl {
    /// Checks name and holdings; the error says what is wrong.
    pub fn new(name: &str, held: Held) -> Result<Self, String> {
        let fits = (1..=LONGEST_NAME).contains(&name.chars().count());
        let plain = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if !fits || plain != name || name.chars().any(char::is_control) {
            return Err(format!(
                "the name {name:?} must have 1 to {LONGEST_NAME} characters and only single blanks \
                 between words"
            ));
        }
        match &held {
            Held::Portfolio(parts) => require_whole(name, parts)?,
            Held::Symbol(symbol) => require_symbol(name, symbol)?,
        }
        let id = ModelId::parse(&format!("control-{name}")).map_err(|error| error.to_string())?;
        Ok(Self { id, held })
    }

    /// The stable name of the entrant.
    pub fn id(&self) -> &ModelId {
        &self.id
    }

    /// The name as the operator wrote it.
    pub fn name(&self) -> &str {
        let id = self.id.as_str();
        id.strip_prefix("control-").unwrap_or(id)
    }

    /// What it holds, as the operator wrote it.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// The rule in words; also the rationale of every holding.
    pub fn meaning(&self) -> String {
        match &self.held {
            Held::Symbol(symbol) => format!("Everything in {symbol}, in every round."),
            Held::Portfolio(parts) => {
                let parts = parts
                    .iter()
                    .map(|(id, percent)| format!("{percent} % {id}"));
                let parts: Vec<String> = parts.collect();
                format!("The same in every round: {}.", parts.join(", "))
            }
        }
    }

    /// What it holds in a round, exactly as written: limits for models would make it another portfolio.
    pub(super) fn holdings(
        &self,
        universe: &Universe,
        format: SubmissionFormat,
    ) -> Result<Vec<Holding>, Unavailable> {
        let holding = |option_id: OptionId, percent: u32| Holding {
            option_id,
            weight: BasisPoints::from_percent(percent),
            rationale: self.meaning(),
            forecast: HoldingForecast::default(),
        };
        match &self.held {
            Held::Symbol(_) => {
                let option = self.option_in(universe).map(|option| option.id.clone());
                let fund = || OptionId::parse(self.id.as_str()).ok();
                let id = option.or_else(fund).ok_or(Unavailable::NotOffered)?;
                Ok(vec![holding(id, 100)])
            }
            Held::Portfolio(parts) => {
                if format == SubmissionFormat::SinglePick && parts.len() > 1 {
                    return Err(Unavailable::ManyHoldings);
                }
                let all = parts.iter().map(|(id, percent)| {
                    let known = universe.get(id).ok_or(Unavailable::NotOffered)?;
                    Ok(holding(known.id.clone(), *percent))
                });
                all.collect()
            }
        }
    }

    /// Why it cannot stand in a round of these options.
    pub fn problem(&self, universe: &Universe, format: SubmissionFormat) -> Option<String> {
        let Held::Portfolio(parts) = &self.held else {
            return None;
        };
        let name = self.name();
        if let Some((id, _)) = parts.iter().find(|(id, _)| universe.get(id).is_none()) {
            return Some(format!(
                "{name} holds {id}, which the universe does not offer"
            ));
        }
        let refused = self.holdings(universe, format).err()?;
        Some(format!("{name}: {refused}"))
    }

    /// The option of the universe with its symbol.
    fn option_in<'a>(&self, universe: &'a Universe) -> Option<&'a MarketOption> {
        let Held::Symbol(symbol) = &self.held else {
            return None;
        };
        let own = Some(symbol.as_str());
        let mut options = universe.options().iter();
        options
            .find(|option| option.symbol.as_deref() == own || option.data_symbol.as_deref() == own)
    }

    /// The fund that must be priced for it besides the universe.
    fn fund(&self, universe: &Universe) -> Option<MarketOption> {
        let Held::Symbol(symbol) = &self.held else {
            return None;
        };
        if self.option_in(universe).is_some() {
            return None;
        }
        Some(MarketOption {
            id: OptionId::parse(self.id.as_str()).ok()?,
            name: self.name().to_owned(),
            symbol: Some(symbol.clone()),
            data_symbol: Some(symbol.clone()),
            asset_class: "fund".to_owned(),
            category: "control".to_owned(),
            group: "control".to_owned(),
            risk_bucket: RiskBucket::Medium,
            exposure_description: "A fund that a control holds alone.".to_owned(),
            currency: universe.currency().to_owned(),
            flags: RoleFlags::default(),
            listing: Listing::Hidden,
            change: None,
        })
    }
}

/// The funds that these controls hold and the universe does not offer.
pub fn funds(controls: &[OwnControl], universe: &Universe) -> Vec<MarketOption> {
    let funds = controls.iter().filter_map(|control| control.fund(universe));
    funds.collect()
}

/// Refuses two controls of one name, file or symbol, and names of the built-in ones.
pub fn require_distinct(controls: &[OwnControl]) -> Result<(), String> {
    if controls.len() > MOST_OWN_CONTROLS {
        let count = controls.len();
        return Err(format!(
            "{count} controls are configured; at most {MOST_OWN_CONTROLS} are allowed"
        ));
    }
    // Some disks do not tell small letters from capital ones.
    let file = |id: &ModelId| id.file_stem().to_lowercase();
    let built_in = |id: &ModelId| Rule::ALL.iter().any(|rule| rule.name() == file(id));
    for (place, control) in controls.iter().enumerate() {
        if built_in(&control.id) {
            let name = control.name();
            return Err(format!(
                "{name} is the name of a control that every round has"
            ));
        }
        for other in &controls[..place] {
            if file(&other.id) == file(&control.id) {
                let (one, two) = (other.name(), control.name());
                return Err(format!("the names {one} and {two} are too much alike"));
            }
            if let (Held::Symbol(one), Held::Symbol(two)) = (&other.held, &control.held)
                && one == two
            {
                return Err(format!("two controls hold {one} alone"));
            }
        }
    }
    Ok(())
}

fn require_whole(name: &str, parts: &[(OptionId, u32)]) -> Result<(), String> {
    let twice = parts.iter().enumerate();
    let mut twice =
        twice.filter(|(place, (id, _))| parts[..*place].iter().any(|(own, _)| own == id));
    if let Some((_, (id, _))) = twice.next() {
        return Err(format!("{name} holds {id} twice"));
    }
    let sum: u64 = parts.iter().map(|(_, percent)| u64::from(*percent)).sum();
    if sum != 100 || parts.iter().any(|(_, percent)| *percent == 0) {
        return Err(format!(
            "the percentages of {name} must be whole numbers from 1 on that sum to 100; they sum to {sum}"
        ));
    }
    Ok(())
}

fn require_symbol(name: &str, symbol: &str) -> Result<(), String> {
    let odd = |c: char| c.is_whitespace() || c.is_control();
    if symbol.is_empty() || symbol.len() > 30 || symbol.contains(odd) {
        return Err(format!(
            "the symbol of {name} must have 1 to 30 characters and no blank"
        ));
    }
    if matches!(symbol, "USD" | "CASH") {
        return Err(format!(
            "{symbol} means cash here; hold the cash option by its id: `hold: {{CASH: 100}}`"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
