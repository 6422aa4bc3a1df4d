//! Who can be told apart: Holm's correction, groups of ties, and how long it takes to know.

use crate::values::sums::real;

/// Sessions in a year.
pub const YEAR_DAYS: f64 = 252.0;
/// Two-sided 5 % and 80 % power, added.
pub const POWER: f64 = 2.8;

/// Holm's step-down correction, in the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]).then(a.cmp(b)));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (step, &place) in order.iter().enumerate() {
        let factor = real(p_values.len() - step);
        highest = highest.max((factor * p_values[place]).min(1.0));
        adjusted[place] = highest;
    }
    adjusted
}

/// Group of each entrant, from 1: a group is its first entrant and all that cannot be told from it.
///
/// Entrants come best first; `p_value(a, b)` tests their difference. Within a group's tests the
/// p values are corrected by Holm; what is told apart forms the next groups.
pub fn tie_groups(count: usize, level: f64, p_value: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut groups = vec![0; count];
    let mut left: Vec<usize> = (0..count).collect();
    let mut group = 0;
    while let Some((&leader, others)) = left.split_first() {
        group += 1;
        let tests: Vec<f64> = others.iter().map(|other| p_value(leader, *other)).collect();
        let adjusted = holm(&tests);
        groups[leader] = group;
        let mut apart = Vec::new();
        for (other, p) in others.iter().zip(adjusted) {
            if p >= level {
                groups[*other] = group;
            } else {
                apart.push(*other);
            }
        }
        left = apart;
    }
    groups
}

/// Smallest difference per horizon that this many days detect, given the daily deviation.
pub fn detectable(daily_deviation: f64, sessions: f64, days: f64) -> f64 {
    POWER * daily_deviation * sessions / days.sqrt()
}

/// Years until a difference per horizon is detected; none for no difference.
pub fn years_to_know(daily_deviation: f64, sessions: f64, difference: f64) -> Option<f64> {
    let days = (POWER * daily_deviation * sessions / difference).powi(2);
    (difference.abs() > 0.0 && days.is_finite()).then(|| days / YEAR_DAYS)
}

#[cfg(test)]
mod tests;
