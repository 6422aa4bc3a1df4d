//! One option's closes in order, and the figures of a stretch of them.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{ContextError, PriceHistory, PricePoint, Table};
use crate::values::sums::{compensated_sum, mean, real, squares, variance};
use crate::values::units::Price;

/// Closes up to the as-of date, sorted by day, one per day.
#[derive(Debug, Clone, Default)]
pub(super) struct Series {
    points: Vec<PricePoint>,
}

impl Series {
    /// Sorts the history; refuses two closes for a day and closes that are no price.
    pub(super) fn new(history: &PriceHistory, as_of: Date) -> Result<Self, ContextError> {
        let mut closes = BTreeMap::new();
        for &(date, value) in &history.closes {
            let option_id = || history.option_id.clone();
            if Price::new(value).is_none() {
                let option_id = option_id();
                return Err(ContextError::NotAPrice {
                    option_id,
                    date,
                    value,
                });
            }
            if closes.insert(date, value).is_some() {
                let option_id = option_id();
                return Err(ContextError::DuplicateDate { option_id, date });
            }
        }
        let points = closes
            .range(..=as_of)
            .map(|(&date, &adjusted_close)| PricePoint {
                date,
                adjusted_close,
            })
            .collect();
        Ok(Self { points })
    }

    /// The last close.
    pub(super) fn last(&self) -> Option<PricePoint> {
        self.points.last().copied()
    }

    /// The last close on or before a day.
    pub(super) fn on_or_before(&self, day: Date) -> Option<PricePoint> {
        let after = self.points.partition_point(|point| point.date <= day);
        self.points[..after].last().copied()
    }

    /// The closes from a day on.
    pub(super) fn since(&self, day: Date) -> &[PricePoint] {
        let first = self.points.partition_point(|point| point.date < day);
        &self.points[first..]
    }
}

/// Figures of the price path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathFigures {
    /// Sample standard deviation of the daily returns of 30 days, times the root of the
    /// sessions of a year.
    pub volatility_30d: Option<f64>,
    /// Deepest fall from a running peak in 30 days; never above zero.
    pub max_drawdown_30d: Option<f64>,
    /// Number of closes in 30 days.
    pub path_observations_30d: Option<usize>,
    /// Share of daily returns above zero in 30 days.
    pub up_day_share_30d: Option<f64>,
    /// Last close ÷ highest of twelve months − 1.
    pub distance_from_52w_high: Option<f64>,
    /// Last close ÷ lowest of twelve months − 1.
    pub distance_from_52w_low: Option<f64>,
    /// Correlation of daily returns with the reference over twelve months.
    pub corr_to_reference_1y: Option<f64>,
    /// Covariance with the reference ÷ variance of the reference over twelve months.
    pub beta_to_reference_1y: Option<f64>,
}

impl PathFigures {
    /// Cash does not move; shares, distances and the correlation have no meaning for it.
    pub(super) const CASH: Self = Self {
        volatility_30d: Some(0.0),
        max_drawdown_30d: Some(0.0),
        path_observations_30d: Some(1),
        up_day_share_30d: None,
        distance_from_52w_high: None,
        distance_from_52w_low: None,
        corr_to_reference_1y: None,
        beta_to_reference_1y: Some(0.0),
    };

    /// The figures of the closes since the beginnings of the windows of a month and a year.
    pub(super) fn of(series: &Series, table: &Table<'_>) -> Self {
        if series.last().is_none() {
            return Self::default();
        }
        let [_, (_, month), _, (_, year)] = table.starts;
        let month = series.since(month);
        let (reference, year) = (table.reference.since(year), series.since(year));
        Self {
            volatility_30d: volatility(month, table.market.sessions_per_year()),
            max_drawdown_30d: max_drawdown(month),
            path_observations_30d: Some(month.len()),
            up_day_share_30d: up_day_share(month),
            distance_from_52w_high: distance_from(f64::max, year),
            distance_from_52w_low: distance_from(f64::min, year),
            corr_to_reference_1y: correlation(year, reference),
            beta_to_reference_1y: beta(year, reference),
        }
    }
}

/// Sample standard deviation of daily returns, scaled to a year.
fn volatility(path: &[PricePoint], sessions_per_year: f64) -> Option<f64> {
    let returns: Vec<f64> = daily_returns(path).map(|(_, value)| value).collect();
    Some(variance(&returns)?.sqrt() * sessions_per_year.sqrt())
}

/// The deepest fall from a running peak.
fn max_drawdown(path: &[PricePoint]) -> Option<f64> {
    let mut peak = path.first()?.adjusted_close;
    let mut deepest = 0.0_f64;
    for point in path {
        peak = peak.max(point.adjusted_close);
        deepest = deepest.min(point.adjusted_close / peak - 1.0);
    }
    Some(deepest)
}

/// The share of daily returns above zero.
fn up_day_share(path: &[PricePoint]) -> Option<f64> {
    let all = daily_returns(path).count();
    let up = daily_returns(path)
        .filter(|(_, value)| *value > 0.0)
        .count();
    (all > 0).then(|| real(up) / real(all))
}

/// How far the last close is from the highest or lowest one.
fn distance_from(extreme: fn(f64, f64) -> f64, path: &[PricePoint]) -> Option<f64> {
    let closes = path.iter().map(|point| point.adjusted_close);
    Some(path.last()?.adjusted_close / closes.reduce(extreme)? - 1.0)
}

/// Pearson's correlation of the daily returns on common days.
fn correlation(path: &[PricePoint], reference: &[PricePoint]) -> Option<f64> {
    let pairs = Pairs::new(path, reference)?;
    let scale = (squares(&pairs.own) * squares(&pairs.reference)).sqrt();
    (scale > 0.0).then(|| pairs.products() / scale)
}

/// Covariance with the reference ÷ variance of the reference, on common days.
fn beta(path: &[PricePoint], reference: &[PricePoint]) -> Option<f64> {
    let pairs = Pairs::new(path, reference)?;
    let variance = squares(&pairs.reference);
    (variance > 0.0).then(|| pairs.products() / variance)
}

/// Daily returns of two paths on the days they share.
struct Pairs {
    own: Vec<f64>,
    reference: Vec<f64>,
}

impl Pairs {
    /// None when fewer than two days are shared.
    fn new(path: &[PricePoint], reference: &[PricePoint]) -> Option<Self> {
        let reference: BTreeMap<Date, f64> = daily_returns(reference).collect();
        let (own, reference): (Vec<f64>, Vec<f64>) = daily_returns(path)
            .filter_map(|(date, value)| Some((value, *reference.get(&date)?)))
            .unzip();
        (own.len() >= 2).then_some(Self { own, reference })
    }

    /// Sum of the products of both deviations from their means.
    fn products(&self) -> f64 {
        let (own_mean, reference_mean) = (mean(&self.own), mean(&self.reference));
        let pairs = self.own.iter().zip(&self.reference);
        compensated_sum(pairs.map(|(own, other)| (own - own_mean) * (other - reference_mean)))
    }
}

fn daily_returns(path: &[PricePoint]) -> impl Iterator<Item = (Date, f64)> {
    path.windows(2).map(|pair| {
        let value = pair[1].adjusted_close / pair[0].adjusted_close - 1.0;
        (pair[1].date, value)
    })
}
