//! Entries from outside, and their board: beside the models and never mixed with them.
//!
//! What is not opened in its time, or breaks the rules of its round, counts as cash and stays for
//! ever. An entrant is ranked by all of its entries under all of its keys, so that a further key
//! brings no further chance.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::decision::entering::admission::Place;
use crate::decision::entering::names::{EntrantKind, EntrantName};
use crate::decision::portfolio::Holding;
use crate::publication::PublicRound;
use crate::result::score::{
    AboveOracle, Score, compensated_sum, portfolio_return, score, score_of_sums,
};
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// The entry of one key in a round, as the public knows it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PublicEntry {
    pub round_id: RoundId,
    pub track: Track,
    pub entrant: EntrantName,
    /// For people.
    pub name: String,
    pub kind: EntrantKind,
    /// How it came about.
    #[serde(default)]
    pub lane: EntryLane,
    /// The name of its key; empty for an agent that was asked.
    pub key: String,
    /// How many keys its registration has.
    pub keys: usize,
    /// When it came into the log, sealed.
    pub sealed: Place,
    pub state: EntryState,
    /// None until the round has its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<EntryFigures>,
}

/// How an entry came about; each lane has a board of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum EntryLane {
    /// Somebody decided unseen and brought it sealed.
    #[default]
    Sealed,
    /// The open lane: the league asked an agent, which may use tools. The model that it says it
    /// uses, by the id of the league.
    Asked(Option<ModelId>),
}

impl EntryLane {
    /// The word in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Asked(_) => "open",
        }
    }

    /// The model that decides with tools.
    pub fn model(&self) -> Option<&ModelId> {
        match self {
            Self::Sealed => None,
            Self::Asked(model) => model.as_ref(),
        }
    }
}

/// The same model with and without tools in a resolved round.
#[derive(Debug, Clone, PartialEq)]
pub struct WithTools<'a> {
    pub entry: &'a PublicEntry,
    pub model: &'a ModelId,
    /// What the agent returned.
    pub with: Return,
    /// What the model returned alone.
    pub without: Return,
}

/// Every agent of a round whose model decided there without tools too.
pub fn with_tools<'a>(round: &'a PublicRound, entries: &'a [PublicEntry]) -> Vec<WithTools<'a>> {
    let own = entries.iter().filter(|own| own.round_id == *round.id());
    let pairs = own.filter_map(|entry| {
        let model = entry.lane.model()?;
        let alone = round.standing(model)?;
        Some(WithTools {
            entry,
            model,
            with: entry.figures?.value,
            without: alone.scored.outcome.decision_return,
        })
    });
    pairs.collect()
}

/// How far an entry is.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum EntryState {
    /// Nobody but the entrant knows what it holds.
    Sealed,
    Opened(Vec<Holding>),
    /// It was not opened in its time: cash.
    Unopened,
    /// It was opened and breaks a rule of the round: cash.
    Invalid(String),
}

impl EntryState {
    /// The word in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Opened(_) => "opened",
            Self::Unopened => "unopened",
            Self::Invalid(_) => "invalid",
        }
    }

    /// What counts; nothing is cash.
    pub fn holdings(&self) -> &[Holding] {
        match self {
            Self::Opened(holdings) => holdings,
            Self::Sealed | Self::Unopened | Self::Invalid(_) => &[],
        }
    }
}

/// The figures of an entry, by the arithmetic of models.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EntryFigures {
    pub value: Return,
    pub alpha: Return,
    pub oracle: Option<Return>,
    pub score: Score,
}

/// The figures of a decision in a resolved round; none while it is open or sealed, or where an option
/// that it holds has no price.
pub fn figures(
    round: &PublicRound,
    state: &EntryState,
) -> Result<Option<EntryFigures>, AboveOracle> {
    let Some(resolved) = round.resolved().filter(|_| *state != EntryState::Sealed) else {
        return Ok(None);
    };
    let returns = &resolved.returns;
    let value = match state.holdings() {
        [] => returns.cash(),
        held => {
            let of = |id: &_| returns.get(id).map(|option| option.value);
            match portfolio_return(held, of) {
                Ok(value) => value,
                Err(_) => return Ok(None),
            }
        }
    };
    let oracle = returns.oracle();
    Ok(Some(EntryFigures {
        value,
        alpha: value - returns.reference(),
        oracle,
        score: score(value, oracle)?,
    }))
}

/// An entrant over the rounds of a track that it entered.
#[derive(Debug, Clone, PartialEq)]
pub struct EntrantRow {
    pub entrant: EntrantName,
    pub name: String,
    pub kind: EntrantKind,
    /// Keys of its registration.
    pub keys: usize,
    /// Resolved entries of all keys.
    pub entries: usize,
    /// Those that count as cash, because they were not opened or break a rule.
    pub as_cash: usize,
    pub average_return: f64,
    pub average_alpha: f64,
    /// Summed returns over summed oracles.
    pub score: Score,
}

/// A board of entrants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntrantLane {
    /// Those who seal their entries.
    Sealed,
    /// Agents that are asked.
    Open,
}

impl EntrantLane {
    pub const ALL: [Self; 2] = [Self::Sealed, Self::Open];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Open => "open",
        }
    }

    fn has(self, own: &PublicEntry) -> bool {
        own.lane.as_str() == self.as_str()
    }
}

/// The board of a lane and a track: by score, then by mean alpha, then by name.
pub fn entrant_board(
    entries: &[PublicEntry],
    track: Track,
    lane: EntrantLane,
) -> Result<Vec<EntrantRow>, AboveOracle> {
    let mut by_entrant: BTreeMap<&EntrantName, Vec<(&PublicEntry, EntryFigures)>> = BTreeMap::new();
    let on_board = |own: &&PublicEntry| own.track == track && lane.has(own);
    for own in entries.iter().filter(on_board) {
        if let Some(figures) = own.figures {
            by_entrant
                .entry(&own.entrant)
                .or_default()
                .push((own, figures));
        }
    }
    let mut rows = Vec::with_capacity(by_entrant.len());
    for own in by_entrant.into_values() {
        rows.extend(row(&own)?);
    }
    rows.sort_by(by_score);
    Ok(rows)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "nobody has so many entries that a double cannot count them"
)]
fn row(own: &[(&PublicEntry, EntryFigures)]) -> Result<Option<EntrantRow>, AboveOracle> {
    let Some((first, _)) = own.first() else {
        return Ok(None);
    };
    let count = own.len() as f64;
    let mean = |figure: fn(&EntryFigures) -> Return| {
        compensated_sum(own.iter().map(|(_, own)| figure(own).get())) / count
    };
    let scored = own
        .iter()
        .filter_map(|(_, own)| Some((own.value, own.oracle?)));
    let scored: Vec<(Return, Return)> = scored.collect();
    let is_cash =
        |state: &EntryState| matches!(state, EntryState::Unopened | EntryState::Invalid(_));
    Ok(Some(EntrantRow {
        entrant: first.entrant.clone(),
        name: first.name.clone(),
        kind: first.kind,
        keys: first.keys,
        entries: own.len(),
        as_cash: own.iter().filter(|(own, _)| is_cash(&own.state)).count(),
        average_return: mean(|own| own.value),
        average_alpha: mean(|own| own.alpha),
        score: score_of_sums(&scored)?,
    }))
}

fn by_score(a: &EntrantRow, b: &EntrantRow) -> Ordering {
    let points = |row: &EntrantRow| match row.score {
        Score::Points(points) => points,
        Score::Undefined(_) => f64::NEG_INFINITY,
    };
    points(b)
        .total_cmp(&points(a))
        .then_with(|| b.average_alpha.total_cmp(&a.average_alpha))
        .then_with(|| a.entrant.cmp(&b.entrant))
}

#[cfg(test)]
mod tests;
