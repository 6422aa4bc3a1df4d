//! Two sources about the same window: how far their returns are apart, option by option.

use crate::values::ids::OptionId;
use crate::values::units::Return;

/// How far two sources may be apart unless a flag says otherwise, in basis points.
pub const DEFAULT_TOLERANCE_BPS: f64 = 10.0;

/// One option in both sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub option_id: OptionId,
    /// Its return by the prices that are scored.
    pub scored: Return,
    /// Its return by the other source, or why there is none.
    pub other: Result<Return, String>,
}

impl Comparison {
    /// The other return minus the scored one, in basis points; none where there is no other.
    pub fn apart_bps(&self) -> Option<f64> {
        let other = self.other.as_ref().ok()?;
        Some((other.get() - self.scored.get()) * 10_000.0)
    }
}

/// All options of a fetch in both sources.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossCheck {
    /// What the other source is called.
    pub source: String,
    /// How far the two may be apart.
    pub tolerance_bps: f64,
    /// One row per option, in universe order.
    pub rows: Vec<Comparison>,
}

impl CrossCheck {
    /// Options whose returns are further apart than allowed, or that the other source cannot tell.
    pub fn beyond(&self) -> Vec<&Comparison> {
        let beyond = |row: &&Comparison| {
            row.apart_bps()
                .is_none_or(|bps| bps.abs() > self.tolerance_bps)
        };
        self.rows.iter().filter(beyond).collect()
    }
}

#[cfg(test)]
mod tests;
