//! What the market did in a round, by the return of its reference.

use std::collections::BTreeMap;

use super::mean;
use crate::publication::PublicRound;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;
use crate::values::units::Return;

/// What each model did in each kind of market.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ByRegime {
    /// Resolved rounds of each kind.
    pub rounds: BTreeMap<Regime, usize>,
    /// The rounds that a model completed, and its mean gap in them.
    pub models: BTreeMap<ModelId, BTreeMap<Regime, (usize, f64)>>,
}

/// Splits the resolved rounds of a track by what their market did.
pub fn by_regime(rounds: &[PublicRound], track: Track) -> ByRegime {
    let mut gaps: BTreeMap<&ModelId, BTreeMap<Regime, Vec<f64>>> = BTreeMap::new();
    let mut counted: BTreeMap<Regime, usize> = BTreeMap::new();
    for round in rounds.iter().filter(|round| round.track == Some(track)) {
        let Some(resolved) = round.resolved() else {
            continue;
        };
        let regime = Regime::of(track, resolved.returns.reference());
        *counted.entry(regime).or_default() += 1;
        for standing in &resolved.models {
            let own = gaps.entry(standing.model_id()).or_default();
            let alpha = standing.scored.outcome.alpha.get();
            own.entry(regime).or_default().push(alpha);
        }
    }
    let told = |gaps: Vec<f64>| (gaps.len(), mean(&gaps).unwrap_or_default());
    let model = |(id, own): (&ModelId, BTreeMap<Regime, Vec<f64>>)| {
        let own = own.into_iter().map(|(regime, gaps)| (regime, told(gaps)));
        (id.clone(), own.collect())
    };
    ByRegime {
        rounds: counted,
        models: gaps.into_iter().map(model).collect(),
    }
}

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
    /// All kinds, from the lowest market to the highest.
    pub const ALL: [Self; 5] = [
        Self::SharpDown,
        Self::Down,
        Self::Flat,
        Self::Up,
        Self::SharpUp,
    ];

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
