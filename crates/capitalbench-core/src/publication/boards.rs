//! Boards across rounds, one set per track.

use std::collections::BTreeMap;

use crate::publication::{PublicRound, PublishError};
use crate::result::score::{NoScore, Score, score_of_sums};
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

pub mod behaviour;
pub mod between;
pub mod comparison_set;
pub mod consensus;
pub mod consistency;
pub mod cumulative;
pub mod first_board;
pub mod index;
pub mod option_record;
pub mod race;
pub mod regime;
pub(crate) mod set_round;
pub mod stakes;

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrackBoards {
    /// The resolved round with the largest key; its own leaderboard is the latest board.
    pub latest: Option<RoundId>,
    /// Every model over the rounds it took part in.
    pub cumulative: Vec<cumulative::CumulativeRow>,
    /// Agreement of models with themselves; never mixed with the record.
    pub consistency: consistency::ConsistencyBoard,
    /// How each model decides, in order of model id.
    pub behaviour: Vec<behaviour::Behaviour>,
    /// Who held each option and what came of it, in order of option id.
    #[serde(rename = "assets")]
    pub options: Vec<option_record::OptionRecord>,
}

/// Builds the boards of a track from rounds in key order.
pub(crate) fn track_boards(
    rounds: &[PublicRound],
    track: Track,
    names: &BTreeMap<ModelId, String>,
) -> Result<TrackBoards, PublishError> {
    let of_track: Vec<&PublicRound> = rounds.iter().filter(|r| r.track == Some(track)).collect();
    let mut resolved = of_track.iter().filter(|r| r.resolved().is_some());
    Ok(TrackBoards {
        latest: resolved.next_back().map(|round| round.id().clone()),
        cumulative: cumulative::cumulative(&of_track, names)?,
        consistency: consistency::consistency(&of_track),
        behaviour: behaviour::behaviour(&of_track),
        options: option_record::option_records(rounds, track),
    })
}

/// The score of summed returns; a round without an oracle leaves the sums without one.
pub(crate) fn summed_score(
    who: &str,
    rounds: impl IntoIterator<Item = (Return, Option<Return>)>,
) -> Result<Score, PublishError> {
    let pairs = rounds.into_iter();
    let pairs = pairs.map(|(value, oracle)| Some((value, oracle?)));
    let Some(pairs) = pairs.collect::<Option<Vec<(Return, Return)>>>() else {
        return Ok(Score::Undefined(NoScore::NoOracle));
    };
    score_of_sums(&pairs).map_err(|error| PublishError::SumAboveOracle {
        who: who.to_owned(),
        error,
    })
}

/// A model's name for people; the id where none is known.
pub(crate) fn name_in<'a>(names: &'a BTreeMap<ModelId, String>, id: &'a ModelId) -> &'a str {
    names.get(id).map_or(id.as_str(), String::as_str)
}

/// Mean by compensated summation; none of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of rounds are small")]
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    let sum = crate::result::score::compensated_sum(values.iter().copied());
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// Middle value, or the mean of the two middle ones.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len() % 2 == 1 {
        upper
    } else {
        f64::midpoint(sorted[sorted.len() / 2 - 1], upper)
    })
}

/// Share of rounds for which something holds.
#[expect(clippy::cast_precision_loss, reason = "counts of rounds are small")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
