//! The race of a comparison set: each model's mean gap to the reference after every shared round.

use jiff::civil::Date;

use crate::evidence::inference::overlap::Overlap;
use crate::evidence::statistics::LEVEL;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::publication::{PublicRound, Publication};
use crate::round::manifest::Window;
use crate::values::ids::{ModelId, RoundId};
use crate::values::sums::{compensated_sum, real};

/// The rounds of a set in order, with where each model stood after them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Race {
    /// Rounds with a window, and the day on which each ended.
    pub rounds: Vec<(RoundId, Date)>,
    /// One per row of the set, in its order.
    pub models: Vec<Runner>,
}

/// A model of a race.
#[derive(Debug, Clone, PartialEq)]
pub struct Runner {
    pub model_id: ModelId,
    /// Its mean gap over the rounds so far; after the last round it is the gap of the board.
    pub means: Vec<f64>,
    /// The 95 % interval of that mean, from the first round on whose windows are enough for one.
    pub bands: Vec<Option<(f64, f64)>>,
}

/// The race over the included rounds of a set.
pub fn race(publication: &Publication, set: &ComparisonSet) -> Race {
    let of = |id: &RoundId| -> Option<(RoundId, Window, &PublicRound)> {
        let round = publication.round(id)?;
        round.resolved()?;
        Some((id.clone(), round.manifest.window?, round))
    };
    let rounds: Vec<(RoundId, Window, &PublicRound)> = set.included.iter().filter_map(of).collect();
    let windows: Vec<Window> = rounds.iter().map(|round| round.1).collect();
    let overlaps: Vec<Overlap> = (1..=windows.len())
        .map(|count| Overlap::new(&windows[..count]))
        .collect();
    let runner = |model_id: &ModelId| {
        let gap = |round: &(RoundId, Window, &PublicRound)| {
            Some(round.2.standing(model_id)?.scored.outcome.alpha.get())
        };
        let gaps: Option<Vec<f64>> = rounds.iter().map(gap).collect();
        let gaps = gaps?;
        let mean = |count: usize| compensated_sum(gaps[..count].iter().copied()) / real(count);
        let band = |overlap: &Overlap, count: usize| {
            let found = overlap.mean(&gaps[..count])?;
            found.informative.then(|| found.estimate.interval(LEVEL))
        };
        Some(Runner {
            model_id: model_id.clone(),
            means: (1..=gaps.len()).map(mean).collect(),
            bands: overlaps
                .iter()
                .zip(1..)
                .map(|(own, n)| band(own, n))
                .collect(),
        })
    };
    Race {
        models: set
            .rows
            .iter()
            .filter_map(|row| runner(&row.model_id))
            .collect(),
        rounds: rounds
            .into_iter()
            .map(|round| (round.0, round.1.exit))
            .collect(),
    }
}
