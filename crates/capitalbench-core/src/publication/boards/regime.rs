//! What the market did in a round, by the return of its reference.

use crate::round::manifest::Track;
use crate::values::units::Return;

/// Five kinds of market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regime {
    /// Far down.
    SharpDown,
    Down,
    /// Hardly moved.
    Flat,
    Up,
    /// Far up.
    SharpUp,
}

impl Regime {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SharpDown => "sharp_down",
            Self::Down => "down",
            Self::Flat => "flat",
            Self::Up => "up",
            Self::SharpUp => "sharp_up",
        }
    }

    /// The regime of a round: half a percent is flat and two are sharp in a week, one and three in
    /// a month; the outer borders belong to the sharp ones, the inner ones to flat.
    pub fn of(track: Track, reference: Return) -> Self {
        let (flat, sharp) = match track {
            Track::Weekly => (0.005, 0.02),
            Track::Monthly => (0.01, 0.03),
        };
        match reference.get() {
            value if value <= -sharp => Self::SharpDown,
            value if value < -flat => Self::Down,
            value if value <= flat => Self::Flat,
            value if value < sharp => Self::Up,
            _ => Self::SharpUp,
        }
    }
}

#[cfg(test)]
mod tests;
