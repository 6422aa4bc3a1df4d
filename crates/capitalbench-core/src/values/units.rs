//! Quantities with a unit: weights in basis points, prices and returns.

use serde::{Deserialize, Serialize};

/// One hundredth of a percent, as an integer; 10,000 is the whole portfolio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct BasisPoints(u32);

impl BasisPoints {
    /// The whole portfolio.
    pub const WHOLE: Self = Self(10_000);

    /// From hundredths of a percent.
    pub const fn new(bps: u32) -> Self {
        Self(bps)
    }

    /// From whole percent.
    pub const fn from_percent(percent: u32) -> Self {
        Self(percent * 100)
    }

    /// The number of basis points.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The share of the portfolio, 1.0 being the whole.
    pub fn weight(self) -> f64 {
        f64::from(self.0) / 10_000.0
    }

    /// The weight in percent.
    pub fn percent(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

impl std::iter::Sum for BasisPoints {
    /// Stops at the largest number, so that an absurd list of holdings is only wrong.
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        Self(iter.fold(0, |sum, bps| sum.saturating_add(bps.0)))
    }
}

/// A price: finite and greater than zero.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Price(f64);

impl Price {
    /// The price of cash in its own currency.
    pub const ONE: Self = Self(1.0);

    /// Accepts finite values above zero.
    pub fn new(value: f64) -> Option<Self> {
        (value.is_finite() && value > 0.0).then_some(Self(value))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// A return as a fraction: 0.0393 is 3.93 %.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
pub struct Return(f64);

impl Return {
    /// No gain and no loss.
    pub const ZERO: Self = Self(0.0);

    /// A return given as a fraction.
    pub const fn from_fraction(value: f64) -> Self {
        Self(value)
    }

    /// `exit / entry - 1`.
    pub fn between(entry: Price, exit: Price) -> Self {
        Self(exit.0 / entry.0 - 1.0)
    }

    /// The same of two indexes of six decimals; from a base of one it has six decimals too.
    pub fn between_indexes(entry: Price, exit: Price) -> Self {
        let [entry, exit] = [entry, exit].map(|index| (index.0 * 1e6).round());
        Self((exit - entry) / entry)
    }

    /// The fraction.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl std::ops::Sub for Return {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

/// A fraction in percent with its sign, as stored texts write it: `-1.25 %`.
pub fn signed_percent(fraction: f64) -> String {
    format!("{:+.2} %", 100.0 * fraction)
}

#[cfg(test)]
mod tests;
