//! Calendar-time daily series: equal capital in every live round.
//!
//! Overlapping rounds are not independent, market days nearly are. So each model gets one series:
//! on a day, the mean over its live rounds of what the portfolio gained beyond the reference.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::hac::{MeanEstimate, mean_estimate};
use crate::ids::OptionId;
use crate::interim::Snapshot;
use crate::manifest::Window;
use crate::portfolio::Holding;
use crate::score::compensated_sum;

/// Closes by day.
pub type Closes = BTreeMap<Date, Snapshot>;

/// What a portfolio gained beyond the reference, by day, in order.
pub type ActiveDays = Vec<(Date, f64)>;

/// The daily active returns of a portfolio that is bought at the entry close and held.
///
/// A day without a close of every held option is passed over; the gain since the last known day
/// then belongs to the next one. None when the entry or the exit close is missing.
pub fn active_days(
    holdings: &[Holding],
    reference: &OptionId,
    window: Window,
    closes: &Closes,
) -> Option<ActiveDays> {
    let entry = closes.get(&window.entry)?;
    let value = |snapshot: &Snapshot| -> Option<(f64, f64)> {
        let ratio = |id: &OptionId| Some(snapshot.get(id)?.get() / entry.get(id)?.get());
        let mut total = 0.0;
        for holding in holdings {
            total += holding.weight.weight() * ratio(&holding.option_id)?;
        }
        Some((total, ratio(reference)?))
    };
    let mut before = value(entry)?;
    let mut days = ActiveDays::new();
    let mut last = window.entry;
    for (day, snapshot) in closes.range(window.entry..=window.exit).skip(1) {
        if let Some(now) = value(snapshot) {
            days.push((*day, now.0 / before.0 - now.1 / before.1));
            (before, last) = (now, *day);
        }
    }
    (last == window.exit).then_some(days)
}

/// The mean over live rounds, by day.
pub fn calendar_time<'a>(rounds: impl IntoIterator<Item = &'a ActiveDays>) -> ActiveDays {
    let mut live: BTreeMap<Date, Vec<f64>> = BTreeMap::new();
    for round in rounds {
        for (day, value) in round {
            live.entry(*day).or_default().push(*value);
        }
    }
    live.into_iter()
        .map(|(day, values)| (day, mean(&values)))
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of rounds are small")]
fn mean(values: &[f64]) -> f64 {
    compensated_sum(values.iter().copied()) / values.len() as f64
}

/// The difference of two series on the days both have.
pub fn paired(a: &[(Date, f64)], b: &[(Date, f64)]) -> ActiveDays {
    let mut both = ActiveDays::new();
    let mut rest = b.iter().peekable();
    for (day, value) in a {
        while rest.next_if(|(other, _)| other < day).is_some() {}
        if let Some((_, other)) = rest.next_if(|(other, _)| other == day) {
            both.push((*day, value - other));
        }
    }
    both
}

/// The mean of a series per horizon of this many sessions, with its standard error.
pub fn per_horizon(series: &[(Date, f64)], sessions: f64) -> Option<MeanEstimate> {
    let values: Vec<f64> = series.iter().map(|(_, value)| *value).collect();
    mean_estimate(&values).map(|estimate| estimate.scaled(sessions))
}

/// A point of a running sum of daily gains, with a band around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathPoint {
    /// The day.
    pub day: Date,
    /// Sum of daily gains up to it.
    pub value: f64,
    /// Half the width of the 95 % band.
    pub half_width: f64,
}

/// The running sum of a series; the band grows with the root of time and ends at the interval of
/// the mean, so that path and interval tell the same. None where there is no interval.
#[expect(clippy::cast_precision_loss, reason = "counts of days are small")]
pub fn path(series: &[(Date, f64)], level: f64) -> Option<Vec<PathPoint>> {
    let estimate = per_horizon(series, 1.0)?;
    let width = estimate.interval(level).1 - estimate.mean;
    let days = series.len() as f64;
    let mut sum = 0.0;
    let point = |(passed, (day, gain)): (usize, &(Date, f64))| {
        sum += gain;
        PathPoint {
            day: *day,
            value: sum,
            half_width: width * ((passed + 1) as f64 * days).sqrt(),
        }
    };
    Some(series.iter().enumerate().map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{holding, option_id, price};
    use crate::time::parse_day;

    fn day(text: &str) -> Date {
        parse_day(text).unwrap()
    }

    fn closes(rows: &[(&str, f64, f64)]) -> Closes {
        let snapshot = |own: f64, market: f64| {
            Snapshot::from([
                (option_id("AAA"), price(own)),
                (option_id("SP500"), price(market)),
            ])
        };
        rows.iter()
            .map(|(text, own, market)| (day(text), snapshot(*own, *market)))
            .collect()
    }

    fn window() -> Window {
        Window {
            entry: day("2026-06-01"),
            exit: day("2026-06-03"),
        }
    }

    #[test]
    fn a_day_is_the_gain_of_the_held_portfolio_beyond_the_reference() {
        let closes = closes(&[
            ("2026-05-29", 1.0, 1.0),
            ("2026-06-01", 100.0, 200.0),
            ("2026-06-02", 110.0, 202.0),
            ("2026-06-03", 99.0, 202.0),
        ]);
        let holdings = [holding("AAA", 50), holding("SP500", 50)];
        let found = active_days(&holdings, &option_id("SP500"), window(), &closes).unwrap();
        let values: Vec<f64> = found.iter().map(|(_, value)| *value).collect();
        let second = (0.5 * 0.99 + 0.5 * 1.01) / (0.5 * 1.1 + 0.5 * 1.01) - 1.0;
        assert!((values[0] - (1.055 - 1.01)).abs() < 1e-15, "{values:?}");
        assert!((values[1] - second).abs() < 1e-15, "{values:?}");
    }

    #[test]
    fn a_missing_day_is_passed_over_and_a_missing_end_is_no_series() {
        let all = closes(&[
            ("2026-06-01", 100.0, 200.0),
            ("2026-06-02", 110.0, 202.0),
            ("2026-06-03", 121.0, 202.0),
        ]);
        let holdings = [holding("AAA", 100)];
        let series =
            |closes: &Closes| active_days(&holdings, &option_id("SP500"), window(), closes);
        let mut gap = all.clone();
        gap.remove(&day("2026-06-02"));
        let found = series(&gap).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, day("2026-06-03"));
        assert!((found[0].1 - (1.21 - 1.01)).abs() < 1e-15);
        for end in ["2026-06-01", "2026-06-03"] {
            let mut cut = all.clone();
            cut.remove(&day(end));
            assert_eq!(series(&cut), None, "{end}");
        }
    }

    #[test]
    fn live_rounds_share_the_capital() {
        let one = ActiveDays::from([(day("2026-06-01"), 0.02), (day("2026-06-02"), 0.04)]);
        let two = ActiveDays::from([(day("2026-06-02"), 0.0)]);
        let series = calendar_time([&one, &two]);
        assert_eq!(series.len(), 2);
        assert!((series[1].1 - 0.02).abs() < 1e-15);
        assert_eq!(paired(&one, &two).len(), 1);
    }

    #[test]
    fn a_path_ends_at_the_interval_of_the_mean() {
        let first = jiff::civil::date(2026, 6, 1);
        let gains = (0..40).map(|day| f64::from(day % 7) / 1000.0 - 0.002);
        let days = std::iter::successors(Some(first), |day| day.tomorrow().ok());
        let series: Vec<(Date, f64)> = days.zip(gains).collect();
        let path = path(&series, 0.95).unwrap();
        let whole = per_horizon(&series, 40.0).unwrap();
        let (low, high) = whole.interval(0.95);
        let last = path.last().unwrap();
        assert!((last.value - whole.mean).abs() < 1e-12);
        assert!((last.value + last.half_width - high).abs() < 1e-12);
        assert!((last.value - last.half_width - low).abs() < 1e-12);
        assert!(path[0].half_width < last.half_width);
    }
}
