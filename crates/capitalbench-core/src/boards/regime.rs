//! What the market did in a round, by the return of its reference.

use crate::manifest::Track;
use crate::units::Return;

/// Five kinds of market.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Regime {
    /// Far down.
    SharpDown,
    /// Down.
    Down,
    /// Hardly moved.
    Flat,
    /// Up.
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
mod tests {
    use super::*;

    #[test]
    fn borders_belong_where_the_rule_puts_them() {
        let of = |track, percent: f64| Regime::of(track, Return::from_fraction(percent / 100.0));
        for (percent, weekly, monthly) in [
            (-3.0, Regime::SharpDown, Regime::SharpDown),
            (-2.0, Regime::SharpDown, Regime::Down),
            (-1.0, Regime::Down, Regime::Flat),
            (-0.5, Regime::Flat, Regime::Flat),
            (0.5, Regime::Flat, Regime::Flat),
            (1.0, Regime::Up, Regime::Flat),
            (2.0, Regime::SharpUp, Regime::Up),
            (3.0, Regime::SharpUp, Regime::SharpUp),
        ] {
            assert_eq!(of(Track::Weekly, percent), weekly, "{percent} weekly");
            assert_eq!(of(Track::Monthly, percent), monthly, "{percent} monthly");
        }
    }
}
