//! Portfolios and closes → the increments of a claim.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::Increment;
use crate::decision::portfolio::Holding;
use crate::evidence::inference::daily::Closes;
use crate::round::manifest::Window;
use crate::values::ids::OptionId;
use crate::values::sums::{compensated_sum, real};

/// A round that counts for a claim: accepted before its entry close, entered after registration.
#[derive(Debug, Clone, Copy)]
pub struct ClaimRound<'a> {
    pub window: Window,
    /// What the first side holds.
    pub first: &'a [Holding],
    /// What the second side holds.
    pub second: &'a [Holding],
    /// Closes of both on one basis.
    pub closes: &'a Closes,
}

/// Weights of one side by option at a close, as they drifted since the entry, with its value.
type Drifted<'a> = (Vec<(&'a OptionId, f64)>, f64);

impl<'a> ClaimRound<'a> {
    fn drifted(&self, held: &'a [Holding], day: Date) -> Option<Drifted<'a>> {
        let entry = self.closes.get(&self.window.entry)?;
        let now = self.closes.get(&day)?;
        let value = |holding: &'a Holding| {
            let id = &holding.option_id;
            let grown = now.get(id)?.get() / entry.get(id)?.get();
            Some((id, holding.weight.weight() * grown))
        };
        let values: Vec<(&OptionId, f64)> = held.iter().map(value).collect::<Option<_>>()?;
        let total = compensated_sum(values.iter().map(|(_, value)| *value));
        let weights = values.into_iter().map(|(id, value)| (id, value / total));
        Some((weights.collect(), total))
    }

    /// Gain of the first side less that of the second from one close to another, and the distance
    /// of both at the first.
    fn between(&self, from: Date, to: Date) -> Option<(f64, f64)> {
        if self.window.entry > from || to > self.window.exit {
            return None;
        }
        let (first, first_value) = self.drifted(self.first, from)?;
        let (second, second_value) = self.drifted(self.second, from)?;
        let (_, first_later) = self.drifted(self.first, to)?;
        let (_, second_later) = self.drifted(self.second, to)?;
        let gain = first_later / first_value - second_later / second_value;
        Some((gain, half_distance(&first, &second)))
    }
}

/// Half the sum of absolute differences of weights.
fn half_distance(first: &[(&OptionId, f64)], second: &[(&OptionId, f64)]) -> f64 {
    let options: BTreeSet<&OptionId> = first.iter().chain(second).map(|(id, _)| *id).collect();
    let weight = |all: &[(&OptionId, f64)], id: &OptionId| -> f64 {
        let own = all.iter().filter(|(other, _)| *other == id);
        own.map(|(_, weight)| weight).sum()
    };
    let gaps = options.into_iter();
    let gaps = gaps.map(|id| (weight(first, id) - weight(second, id)).abs());
    gaps.sum::<f64>() / 2.0
}

/// The increments of these rounds up to a day, each from one close that all live rounds know to the
/// next: a gap of several sessions is one increment.
pub fn increments(rounds: &[ClaimRound<'_>], up_to: Date) -> Vec<Increment> {
    let mut days: BTreeSet<Date> = BTreeSet::new();
    for round in rounds {
        let (entry, exit) = (round.window.entry, round.window.exit.min(up_to));
        if entry <= exit {
            days.extend(round.closes.range(entry..=exit).map(|(day, _)| *day));
        }
    }
    let mut found = Vec::new();
    let mut before: Option<Date> = None;
    for day in days {
        let live = |round: &&ClaimRound<'_>| round.window.entry <= day && day <= round.window.exit;
        let known = rounds.iter().filter(live).all(|round| {
            let sides = [round.first, round.second];
            sides.iter().all(|side| round.drifted(side, day).is_some())
        });
        if !known {
            continue;
        }
        if let Some(before) = before.replace(day) {
            let all: Vec<(f64, f64)> = rounds
                .iter()
                .filter_map(|round| round.between(before, day))
                .collect();
            if !all.is_empty() {
                let mean = |of: fn(&(f64, f64)) -> f64| {
                    compensated_sum(all.iter().map(of)) / real(all.len())
                };
                found.push(Increment {
                    day,
                    difference: mean(|own| own.0),
                    distance: mean(|own| own.1),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
