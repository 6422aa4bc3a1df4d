//! Calendar-time daily series: equal capital in every live round.
//!
//! Overlapping rounds are not independent, market days nearly are. So each model gets one series:
//! on a day, the mean over its live rounds of what the portfolio gained beyond the reference.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::hac::{MeanEstimate, mean_estimate};
use crate::decision::portfolio::Holding;
use crate::result::interim::Snapshot;
use crate::round::manifest::Window;
use crate::values::ids::OptionId;
use crate::values::sums::{compensated_sum, real};

/// Closes by day.
pub type Closes = BTreeMap<Date, Snapshot>;

/// What a portfolio gained beyond the reference, by day, in order.
pub type ActiveDays = Vec<(Date, f64)>;

/// The daily active returns of a portfolio that is bought at the entry close and held.
///
/// A day counts only when its own close and that of the session before are known for everything
/// held: a gain over several days is not the gain of a day, and would make the mean per day too
/// large. None without the entry close or without any day.
pub fn active_days(
    holdings: &[Holding],
    reference: &OptionId,
    window: Window,
    closes: &Closes,
) -> Option<ActiveDays> {
    let entry = closes.get(&window.entry)?;
    let value = |day: Date| -> Option<(f64, f64)> {
        let snapshot = closes.get(&day)?;
        let ratio = |id: &OptionId| Some(snapshot.get(id)?.get() / entry.get(id)?.get());
        let mut total = 0.0;
        for holding in holdings {
            total += holding.weight.weight() * ratio(&holding.option_id)?;
        }
        Some((total, ratio(reference)?))
    };
    let mut days = ActiveDays::new();
    let mut before = value(window.entry);
    for day in sessions_of(window) {
        let now = value(day);
        if let Some((before, now)) = before.zip(now) {
            days.push((day, now.0 / before.0 - now.1 / before.1));
        }
        before = now;
    }
    (!days.is_empty()).then_some(days)
}

/// The sessions of a window: after its entry, up to its exit.
pub fn sessions_of(window: Window) -> impl Iterator<Item = Date> {
    let next = move |day: &Date| window.market.next_session(*day);
    std::iter::successors(next(&window.entry), next).take_while(move |day| *day <= window.exit)
}

/// Sessions on which at least one of these windows is live.
pub fn live_sessions(windows: &[Window]) -> usize {
    let mut ordered: Vec<Window> = windows.to_vec();
    ordered.sort_unstable_by_key(|window| (window.entry, window.exit));
    let mut count = 0;
    let mut counted_to: Option<Date> = None;
    for window in ordered {
        let entry = counted_to.map_or(window.entry, |to| to.max(window.entry));
        if entry < window.exit {
            count += sessions_of(Window { entry, ..window }).count();
            counted_to = Some(window.exit);
        }
    }
    count
}

/// The mean over live rounds, by day.
pub fn calendar_time(days: impl IntoIterator<Item = (Date, f64)>) -> ActiveDays {
    let mut days: ActiveDays = days.into_iter().collect();
    // Stable, so that a day's figures are always added in the order of the rounds.
    days.sort_by_key(|(day, _)| *day);
    let of_a_day = days.chunk_by(|(a, _), (b, _)| a == b);
    of_a_day
        .map(|live| {
            let sum = compensated_sum(live.iter().map(|(_, value)| *value));
            (live[0].0, sum / real(live.len()))
        })
        .collect()
}

/// The difference of two series on the days both have.
pub fn paired<'a>(
    a: &'a [(Date, f64)],
    b: &'a [(Date, f64)],
) -> impl Iterator<Item = (Date, f64)> + 'a {
    let mut rest = b.iter().peekable();
    a.iter().filter_map(move |(day, value)| {
        while rest.next_if(|(other, _)| other < day).is_some() {}
        let (_, other) = rest.next_if(|(other, _)| other == day)?;
        Some((*day, value - other))
    })
}

/// The mean of a series per horizon of this many sessions, with its standard error.
pub fn per_horizon(series: &[(Date, f64)], sessions: f64) -> Option<MeanEstimate> {
    let values: Vec<f64> = series.iter().map(|(_, value)| *value).collect();
    mean_estimate(&values).map(|estimate| estimate.scaled(sessions))
}

/// A point of a running sum of daily gains, with a band around it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PathPoint {
    pub day: Date,
    /// Sum of daily gains up to it.
    pub value: f64,
    /// Half the width of the 95 % band.
    pub half_width: f64,
}

/// The running sum of a series; the band grows with the root of time and ends at the interval of
/// the mean, so that path and interval tell the same. None where there is no interval.
pub fn path(series: &[(Date, f64)], level: f64) -> Option<Vec<PathPoint>> {
    let estimate = per_horizon(series, 1.0)?;
    let width = estimate.interval(level).1 - estimate.mean;
    let days = real(series.len());
    let mut sum = 0.0;
    let point = |(passed, (day, gain)): (usize, &(Date, f64))| {
        sum += gain;
        PathPoint {
            day: *day,
            value: sum,
            half_width: width * (real(passed + 1) * days).sqrt(),
        }
    };
    Some(series.iter().enumerate().map(point).collect())
}

#[cfg(test)]
mod tests;
