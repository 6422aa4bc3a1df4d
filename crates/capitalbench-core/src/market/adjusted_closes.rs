//! [`AdjustedCloses`]: the adjusted closes of one option by a market's sessions.

use jiff::civil::Date;

use crate::market::calendar::Market;
use crate::market::price_window::PriceWindow;
use crate::values::units::Price;

/// The adjusted closes up to a day, oldest first.
///
/// A session without a row has the close before it, as in the market table: a fund that was not
/// traded, or no longer is, stands still.
#[derive(Debug, Clone, PartialEq)]
pub struct AdjustedCloses {
    points: Vec<(Date, f64)>,
}

impl AdjustedCloses {
    /// None where a row has no adjusted close: raw ones would mix two bases.
    pub fn of(window: &PriceWindow, as_of: Date) -> Option<Self> {
        let rows = window.sessions.iter().filter(|row| row.date <= as_of);
        let points = rows.map(|row| Some((row.date, row.adjusted.map(Price::get)?)));
        let points: Option<Vec<(Date, f64)>> = points.collect();
        points.map(|points| Self { points })
    }

    /// The last close on or before a day.
    pub fn on_or_before(&self, day: Date) -> Option<f64> {
        let after = self.points.partition_point(|(date, _)| *date <= day);
        self.points[..after].last().map(|(_, close)| *close)
    }

    /// The closes of these sessions; none where the first has none.
    pub fn at(&self, sessions: &[Date]) -> Option<Vec<f64>> {
        let close = |day: &Date| self.on_or_before(*day);
        sessions.iter().map(close).collect()
    }

    /// The rows from a day on.
    pub fn since(&self, day: Date) -> &[(Date, f64)] {
        let first = self.points.partition_point(|(date, _)| *date < day);
        &self.points[first..]
    }
}

/// The last sessions up to a day, oldest first; fewer only where the calendar ends.
pub fn last_sessions(market: Market, as_of: Date, count: usize) -> Vec<Date> {
    let first = if market.is_session(as_of) {
        Some(as_of)
    } else {
        market.previous_session(as_of)
    };
    let back = std::iter::successors(first, |day| market.previous_session(*day));
    let mut sessions: Vec<Date> = back.take(count).collect();
    sessions.reverse();
    sessions
}

#[cfg(test)]
mod tests;
