//! Calendar-time daily series: equal capital in every live round.
//!
//! Overlapping rounds are not independent, market days nearly are. So each model gets one series:
//! on a day, the mean over its live rounds of what the portfolio gained beyond the reference. Nobody
//! could hold that portfolio; it is synthetic, and [`DailyRecord`] tells the error of rounds by it.

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

/// The daily returns of the reference alone, on the same days as [`active_days`] of a portfolio
/// that holds nothing else.
pub fn reference_days(reference: &OptionId, window: Window, closes: &Closes) -> Option<ActiveDays> {
    let price = |day: Date| Some(closes.get(&day)?.get(reference)?.get());
    let mut days = ActiveDays::new();
    let mut before = price(window.entry);
    for day in sessions_of(window) {
        let now = price(day);
        if let Some((before, now)) = before.zip(now) {
            days.push((day, now / before - 1.0));
        }
        before = now;
    }
    (!days.is_empty()).then_some(days)
}

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

/// The mean over live rounds with how many they were, by day.
pub fn by_day(days: impl IntoIterator<Item = (Date, f64)>) -> Vec<Day> {
    let mut days: ActiveDays = days.into_iter().collect();
    // Stable, so that a day's figures are always added in the order of the rounds.
    days.sort_by_key(|(day, _)| *day);
    let of_a_day = days.chunk_by(|(a, _), (b, _)| a == b);
    of_a_day
        .map(|known| Day {
            day: known[0].0,
            mean: compensated_sum(known.iter().map(|(_, value)| *value)) / real(known.len()),
            known: known.len(),
        })
        .collect()
}

/// What the rounds of a day with known closes gained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    pub day: Date,
    /// Mean over the rounds that know the day.
    pub mean: f64,
    /// How many they are.
    pub known: usize,
}

/// The days of a record that count, and what each of them added to the mean of its rounds.
///
/// The gap of a round is nearly the sum of its days. So the mean over `n` rounds is a sum over
/// days: a day on which `l` rounds were live adds `l / n` times their mean gain. Its error follows
/// from the days, which are nearly independent, while rounds are not.
#[derive(Debug, Clone, PartialEq)]
pub struct DailyRecord {
    /// Mean over live rounds by day: what equal capital in every live round gained.
    pub gains: ActiveDays,
    /// What the same days added to the mean of the rounds.
    pub added: Vec<f64>,
    /// Sessions on which at least one round was live.
    pub live_sessions: usize,
}

impl DailyRecord {
    /// Keeps the days on which at least half of the live rounds know what they gained: one round
    /// of many would bring the noise of one decision for a mean of many.
    pub fn new(days: Vec<Day>, live: &[(Date, u32)], rounds: usize) -> Self {
        let mut found = Self {
            gains: ActiveDays::with_capacity(days.len()),
            added: Vec::with_capacity(days.len()),
            live_sessions: live.len(),
        };
        for Day { day, mean, known } in days {
            let place = live.binary_search_by_key(&day, |(day, _)| *day);
            let live = place.map_or(0.0, |place| f64::from(live[place].1));
            if 2.0 * real(known) >= live && live > 0.0 {
                found.gains.push((day, mean));
                found.added.push(mean * live / real(rounds));
            }
        }
        found
    }

    /// The mean of the rounds with the error that their days show: `mean` is theirs, so that one
    /// name never stands for two figures.
    ///
    /// `L` live sessions add up, of which `T` are known: the variance of the sum is `L` times the
    /// long-run variance of a day.
    pub fn estimate(&self, mean: f64) -> Option<MeanEstimate> {
        let daily = mean_estimate(&self.added)?;
        let sessions = real(self.added.len()) * real(self.live_sessions);
        Some(MeanEstimate {
            mean,
            standard_error: daily.standard_error * sessions.sqrt(),
            degrees: daily.degrees,
        })
    }
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
/// the series' own mean. None where there is no interval.
pub fn path(series: &[(Date, f64)], level: f64) -> Option<Vec<PathPoint>> {
    let values: Vec<f64> = series.iter().map(|(_, value)| *value).collect();
    let estimate = mean_estimate(&values)?;
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
