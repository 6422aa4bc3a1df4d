//! Two price sheets → the return and rank of every option, and the three that others are compared with.

use std::collections::BTreeSet;

use crate::market::prices::{PriceField, PriceSheet, Quote, Side};
use crate::market::universe::{MarketOption, Universe};
use crate::result::score::ScoreError;
use crate::values::ids::OptionId;
use crate::values::units::{Price, Return};

/// The return of one option over the window.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OptionReturn {
    /// Position in the universe.
    pub position: usize,
    pub option_id: OptionId,
    /// Starting price and its column; none for cash without a row.
    pub entry: Option<(Price, PriceField)>,
    /// Ending price and its column.
    pub exit: Option<(Price, PriceField)>,
    /// Exit over entry minus one.
    pub value: Return,
    /// Rank among all options; none when the universe is not fully priced.
    pub rank: Option<u32>,
}

/// The returns of a round's options, and the three that others are compared with.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RoundReturns {
    options: Vec<OptionReturn>,
    reference: Return,
    cash: Return,
    oracle: Option<Return>,
}

impl RoundReturns {
    /// Prices every option; `held` are the options that must have a price besides cash and reference.
    pub fn new(
        universe: &Universe,
        entry: &PriceSheet,
        exit: &PriceSheet,
        held: &BTreeSet<OptionId>,
    ) -> Result<Self, ScoreError> {
        let mut options = Vec::with_capacity(universe.options().len());
        let mut fully_priced = true;
        for (position, option) in universe.options().iter().enumerate() {
            let (from, to) = (entry.find(option), exit.find(option));
            let from = from.and_then(Quote::used);
            let to = to.and_then(Quote::used);
            let value = match (from, to) {
                (Some(from), Some(to)) => value_between(from, to),
                _ if option.scores_as_cash() => Return::ZERO,
                _ => {
                    let side = if from.is_none() {
                        Side::Entry
                    } else {
                        Side::Exit
                    };
                    require_optional(universe, option, held, side)?;
                    fully_priced = false;
                    continue;
                }
            };
            options.push(OptionReturn {
                position,
                option_id: option.id.clone(),
                entry: from,
                exit: to,
                value,
                rank: None,
            });
        }
        let mut oracle = None;
        if fully_priced {
            rank_options(&mut options);
            oracle = options.iter().map(|option| option.value).reduce(larger);
        }
        let cash = universe.options().iter().find(|o| o.scores_as_cash());
        let value_of = |id: &OptionId| {
            let found = options.iter().find(|option| option.option_id == *id);
            found.map(|option| option.value).unwrap_or_default()
        };
        Ok(Self {
            reference: value_of(&universe.reference().id),
            cash: cash.map(|option| value_of(&option.id)).unwrap_or_default(),
            oracle,
            options,
        })
    }

    /// The same with the returns of funds that no model may hold: they have no rank, and the oracle
    /// stays the best option of the universe.
    #[must_use]
    pub fn beside(mut self, funds: &Self) -> Self {
        for fund in &funds.options {
            if self.get(&fund.option_id).is_none() {
                let rank = None;
                self.options.push(OptionReturn {
                    rank,
                    ..fund.clone()
                });
            }
        }
        self
    }

    /// Options with a return, in universe order.
    pub fn options(&self) -> &[OptionReturn] {
        &self.options
    }

    /// Options by rank, ties in universe order; in universe order when there are no ranks.
    pub fn by_rank(&self) -> Vec<&OptionReturn> {
        let mut sorted: Vec<&OptionReturn> = self.options.iter().collect();
        sorted.sort_by_key(|option| option.rank);
        sorted
    }

    /// The row of an option.
    pub fn get(&self, id: &OptionId) -> Option<&OptionReturn> {
        self.options.iter().find(|option| option.option_id == *id)
    }

    pub fn reference(&self) -> Return {
        self.reference
    }

    /// Return of the first cash option; zero when there is none.
    pub fn cash(&self) -> Return {
        self.cash
    }

    /// Largest option return; none unless the universe is fully priced.
    pub fn oracle(&self) -> Option<Return> {
        self.oracle
    }
}

/// The return of two prices; two indexes are whole millionths, and their return is computed in them.
fn value_between((from, entry): (Price, PriceField), (to, exit): (Price, PriceField)) -> Return {
    if (entry, exit) == (PriceField::Index, PriceField::Index) {
        Return::between_indexes(from, to)
    } else {
        Return::between(from, to)
    }
}

fn require_optional(
    universe: &Universe,
    option: &MarketOption,
    held: &BTreeSet<OptionId>,
    side: Side,
) -> Result<(), ScoreError> {
    let why = if universe.reference().id == option.id {
        "the reference"
    } else if held.contains(&option.id) {
        "held by a submission"
    } else {
        return Ok(());
    };
    let option_id = option.id.clone();
    Err(ScoreError::MissingPrice {
        side,
        option_id,
        why,
    })
}

fn larger(a: Return, b: Return) -> Return {
    if b > a { b } else { a }
}

/// A return within one billionth of the one above it shares its rank.
fn rank_options(options: &mut [OptionReturn]) {
    let mut order: Vec<usize> = (0..options.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&options[a], &options[b]);
        b.value
            .get()
            .total_cmp(&a.value.get())
            .then_with(|| a.option_id.cmp(&b.option_id))
    });
    let mut above: Option<(f64, u32)> = None;
    for (place, &index) in (1_u32..).zip(&order) {
        let value = options[index].value.get();
        let rank = match above {
            Some((previous, rank)) if close(previous, value) => rank,
            _ => place,
        };
        options[index].rank = Some(rank);
        above = Some((value, rank));
    }
}

fn close(a: f64, b: f64) -> bool {
    // Exact equality first, so that zero is close to zero.
    #[expect(clippy::float_cmp, reason = "the published rule starts with equality")]
    let equal = a == b;
    equal || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::test_support::option_id;

    /// Option returns as given, the largest being the oracle.
    pub(crate) fn returns_of(rows: &[(&str, f64)], reference: f64) -> RoundReturns {
        let option = |(position, (id, value)): (usize, &(&str, f64))| OptionReturn {
            position,
            option_id: option_id(id),
            entry: None,
            exit: None,
            value: Return::from_fraction(*value),
            rank: None,
        };
        let mut options: Vec<OptionReturn> = rows.iter().enumerate().map(option).collect();
        rank_options(&mut options);
        RoundReturns {
            oracle: options.iter().map(|o| o.value).reduce(larger),
            options,
            reference: Return::from_fraction(reference),
            cash: Return::ZERO,
        }
    }
}
