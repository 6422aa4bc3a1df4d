//! The US Treasury's daily par yield curve: public, free of licences, in percent a year.
//!
//! [`parse_feed`] reads one month of its XML feed, [`Curve`] joins months. A maturity that was not
//! published on a day has no yield; nothing is interpolated.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::market::calendar::Market;

mod feed;

pub use feed::{FeedFault, LARGEST_FEED, parse_feed};

/// A maturity of the curve that briefings state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maturity {
    Months3,
    Years2,
    Years10,
    Years30,
}

impl Maturity {
    /// All of them, the shortest first.
    pub const ALL: [Self; 4] = [Self::Months3, Self::Years2, Self::Years10, Self::Years30];

    /// The maturity in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Months3 => "3 months",
            Self::Years2 => "2 years",
            Self::Years10 => "10 years",
            Self::Years30 => "30 years",
        }
    }

    /// The name of its element in the feed.
    fn element(self) -> &'static str {
        match self {
            Self::Months3 => "BC_3MONTH",
            Self::Years2 => "BC_2YEAR",
            Self::Years10 => "BC_10YEAR",
            Self::Years30 => "BC_30YEAR",
        }
    }
}

/// The curve of one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveDay {
    pub day: Date,
    /// Percent a year, in the order of [`Maturity::ALL`].
    yields: [Option<f64>; 4],
}

impl CurveDay {
    pub fn new(day: Date, yields: [Option<f64>; 4]) -> Self {
        Self { day, yields }
    }

    /// The yield of a maturity in percent a year, where it was published.
    pub fn percent(&self, maturity: Maturity) -> Option<f64> {
        let place = Maturity::ALL.iter().position(|own| *own == maturity)?;
        self.yields[place]
    }

    /// The moment of the quotes behind it: about 15:30 in New York, as the Treasury says. Nobody can
    /// have known the curve before.
    pub fn known_at(&self) -> Option<Timestamp> {
        Market::default().moment(self.day, 15, 30)
    }
}

/// The published days, oldest first, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve(Vec<CurveDay>);

impl Curve {
    /// Joins months in any order; the error names a day that two of them hold.
    pub fn of(months: impl IntoIterator<Item = Vec<CurveDay>>) -> Result<Self, Date> {
        let mut days: Vec<CurveDay> = months.into_iter().flatten().collect();
        days.sort_by_key(|curve| curve.day);
        let twice = days.windows(2).find(|pair| pair[0].day == pair[1].day);
        match twice {
            Some(pair) => Err(pair[0].day),
            None => Ok(Self(days)),
        }
    }

    pub fn days(&self) -> &[CurveDay] {
        &self.0
    }

    pub fn latest(&self) -> Option<&CurveDay> {
        self.0.last()
    }

    /// The change of a yield over so many published days, in basis points.
    pub fn change(&self, maturity: Maturity, published_days: usize) -> Option<f64> {
        let before = self.0.len().checked_sub(published_days + 1)?;
        let (before, latest) = (self.0.get(before)?, self.latest()?);
        Some((latest.percent(maturity)? - before.percent(maturity)?) * 100.0)
    }
}

#[cfg(test)]
mod tests;
