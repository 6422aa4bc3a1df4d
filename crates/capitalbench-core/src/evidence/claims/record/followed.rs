//! [`Followed`] takes a claim through its days and keeps what they did to its stakes, so that its
//! family can judge it by any day.

use jiff::civil::Date;

use super::{Case, ClaimDay, Figures, Standing};
use crate::evidence::claims::daily::{ClaimRound, increments};
use crate::evidence::claims::planning::{Design, Series, years_until};
use crate::evidence::claims::terms::Terms;
use crate::evidence::claims::{
    Increment, Process, Rules, State, confidence_sequence, sequence_path, symmetric_evidence,
};
use crate::evidence::statistics::EDGES;
use crate::values::sums::{mean, real, variance};

/// Fewest days whose deviation says what a claim would take.
const LEAST_DAYS: usize = 20;

/// The days of a claim with what they did to its stakes.
pub(super) struct Followed {
    pub(super) days: Vec<Increment>,
    pub(super) settled: usize,
    /// Evidence after each day.
    evidence: Vec<f64>,
    /// Highest evidence up to each day; frozen by a day beyond the bound.
    highest: Vec<f64>,
    pub(super) broken: Option<Date>,
}

impl Followed {
    pub(super) fn new(case: &Case<'_>, up_to: Date) -> Self {
        let terms = &case.terms;
        let last = terms.last_day.map_or(up_to, |last| last.min(up_to));
        let rounds: Vec<ClaimRound<'_>> = case.rounds.iter().map(|own| own.live).collect();
        let days = increments(&rounds, last);
        let open = case.rounds.iter().filter(|own| !own.resolved);
        let open = open.map(|own| own.live.window.entry).min();
        let settled = open.map_or(days.len(), |open| {
            days.partition_point(|day| day.day < open)
        });
        let mut process = Process::new(terms.rules);
        let (mut evidence, mut highest) = (Vec::new(), Vec::new());
        let mut broken = None;
        for (place, day) in days.iter().enumerate() {
            process.step(day);
            evidence.push(process.evidence());
            highest.push(process.highest());
            if place < settled
                && let State::BoundBroken(day) = process.state()
            {
                broken.get_or_insert(day);
            }
        }
        Self {
            days,
            settled,
            evidence,
            highest,
            broken,
        }
    }

    /// Highest settled evidence up to a day.
    pub(super) fn highest_by(&self, day: Date) -> f64 {
        let known = self.days[..self.settled].partition_point(|own| own.day <= day);
        known.checked_sub(1).map_or(1.0, |last| self.highest[last])
    }

    pub(super) fn figures(self, terms: &Terms, needed: f64, standing: Standing) -> Figures {
        let Self {
            days,
            settled,
            evidence,
            highest,
            ..
        } = self;
        let rules = &terms.rules;
        let last = settled.checked_sub(1);
        let path = sequence_path(rules, &days);
        let known = &days[..settled];
        let differences: Vec<f64> = known.iter().map(|day| day.difference).collect();
        let deviation = variance(&differences).map(f64::sqrt);
        let deviation = deviation.filter(|_| known.len() >= LEAST_DAYS);
        let highest = last.map_or(1.0, |last| highest[last]);
        let one = |(place, increment): (usize, &Increment)| ClaimDay {
            increment: *increment,
            evidence: evidence[place],
            low: path[place].0,
            high: path[place].1,
            settled: place < settled,
        };
        Figures {
            settled,
            evidence: last.map_or(1.0, |last| evidence[last]),
            highest,
            p_value: (1.0 / highest).min(1.0),
            running: evidence.last().copied().unwrap_or(1.0),
            sequence: confidence_sequence(rules, known),
            symmetric: symmetric_evidence(rules, known),
            deviation,
            needed,
            years_to_establish: if standing.is_undecided() {
                outlook(rules, known, deviation, terms.family)
            } else {
                [None; 3]
            },
            days: days.iter().enumerate().map(one).collect(),
        }
    }
}

/// What edges of this size would take, at the deviation that the days show or the claim states.
fn outlook(
    rules: &Rules,
    days: &[Increment],
    deviation: Option<f64>,
    family: usize,
) -> [Option<f64>; 3] {
    let deviation = deviation.unwrap_or(rules.scale).max(f64::MIN_POSITIVE);
    let bounds: Vec<f64> = days.iter().map(|day| day.bound(rules)).collect();
    let bound = Some(mean(&bounds)).filter(|bound| *bound > 0.0);
    let design = Design {
        deviation,
        // Two portfolios have at most nothing in common.
        bound: bound.unwrap_or(rules.spread),
        scale: rules.scale,
        side: rules.side,
        series: Series::One,
    };
    let needed = real(family) / rules.alpha;
    years_until(&design, EDGES, needed)
}
