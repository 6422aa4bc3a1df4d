//! What moves the models of a track: the place of an option in the list, the twins of a question,
//! and their own mood.
//!
//! None of it looks at a result, and none of it ranks.

use std::collections::{BTreeMap, BTreeSet};

use super::inference::ties::holm;
use super::order_bias::{OrderBias, Placed, order_bias};
use super::twins::{Cell, MOST_ANSWERS, Sensitivity, sensitivity as tested};
use crate::asking::lanes::Lane;
use crate::asking::option_order::OptionOrder;
use crate::publication::PublicRound;
use crate::publication::boards::behaviour::{Weights, distance, weights};
use crate::round::manifest::Track;
use crate::values::ids::ModelId;
use crate::values::sums::{compensated_sum, real};

/// What moves the models of a track.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TrackSensitivity {
    /// In order of model id.
    pub models: Vec<ModelSensitivity>,
    /// All models together: each round's mean portfolio for its order, every cell for its twins.
    pub all: Moved,
}

/// What moves one model.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelSensitivity {
    pub model_id: ModelId,
    pub moved: Moved,
}

/// What moves a model, or all of them.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Moved {
    /// The habit of place; none without a round whose order was drawn.
    pub order: Option<OrderFound>,
    /// One per twin that was asked often enough.
    pub lanes: Vec<LaneFound>,
    /// How much two answers to the same text differ; none where nobody was asked twice.
    pub noise: Option<ReplicateNoise>,
}

/// A habit of place, with its chance among the models of the track.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OrderFound {
    pub bias: OrderBias,
    /// Corrected after Holm for the models of the track.
    pub p_adjusted: f64,
}

/// What a twin did, with its chance among all models and twins of the track.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LaneFound {
    pub lane: Lane,
    pub found: Sensitivity,
    /// Corrected after Holm for the models and twins of the track; over the twins for all models.
    pub p_adjusted: f64,
}

/// How much two answers of a model to the very same text differ.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ReplicateNoise {
    /// Models times rounds.
    pub cells: usize,
    pub rounds: usize,
    /// Mean half-L1 distance: 0 is the same portfolio, 1 nothing in common.
    pub distance: f64,
}

impl OrderFound {
    /// Whether the habit is more than chance, corrected for how many models are tested.
    pub fn is_found(&self) -> bool {
        self.p_adjusted < 0.05
    }
}

impl LaneFound {
    /// Whether the twin moves answers by more than chance, corrected for how many are tested.
    pub fn is_found(&self) -> bool {
        self.p_adjusted < 0.05
    }
}

/// Everything that rounds tell about one model.
#[derive(Default)]
struct Seen {
    placed: Vec<Placed>,
    cells: BTreeMap<Lane, Vec<Cell>>,
    /// Mean distance of repeated answers, with the number of their round.
    noise: Vec<(usize, f64)>,
}

/// What moves the models of each track; tracks that tell nothing of it are left out.
pub(crate) fn sensitivity(rounds: &[PublicRound]) -> BTreeMap<Track, TrackSensitivity> {
    let mut found = BTreeMap::new();
    for track in [Track::Weekly, Track::Monthly] {
        let own = rounds.iter().filter(|round| round.track == Some(track));
        found.extend(of_track(track, own).map(|own| (track, own)));
    }
    found
}

fn of_track<'a>(
    track: Track,
    rounds: impl Iterator<Item = &'a PublicRound>,
) -> Option<TrackSensitivity> {
    let mut seen: BTreeMap<ModelId, Seen> = BTreeMap::new();
    let mut all = Seen::default();
    for (number, round) in rounds.enumerate() {
        look(number, round, &mut seen, &mut all);
    }
    let is_empty =
        |own: &Seen| own.placed.is_empty() && own.cells.is_empty() && own.noise.is_empty();
    seen.retain(|_, own| !is_empty(own));
    if seen.is_empty() {
        return None;
    }
    let models = seen.iter().map(|(id, own)| ModelSensitivity {
        model_id: id.clone(),
        moved: moved(&format!("{} {id}", track.as_str()), own),
    });
    let mut models: Vec<ModelSensitivity> = models.collect();
    let mut own: Vec<&mut Moved> = models.iter_mut().map(|model| &mut model.moved).collect();
    correct(&mut own);
    let mut all = moved(&format!("{} all models", track.as_str()), &all);
    correct(&mut [&mut all]);
    Some(TrackSensitivity { models, all })
}

/// What one round tells.
fn look(number: usize, round: &PublicRound, seen: &mut BTreeMap<ModelId, Seen>, all: &mut Seen) {
    let order = round.option_order();
    let mut together = Weights::new();
    let submissions = round.submissions();
    for submission in &submissions {
        let id = round.contestant(&submission.model_id);
        let own = seen.entry(id.clone()).or_default();
        let held = weights(&submission.decision.holdings());
        own.placed
            .extend(order.as_ref().and_then(|order| placed(order, &held)));
        for (option, weight) in &held {
            *together.entry(option.clone()).or_default() += weight / real(submissions.len());
        }
        let lanes = Lanes::of(round, &submission.model_id, held);
        for (lane, cell) in lanes.cells(number) {
            all.cells.entry(lane).or_default().push(cell.clone());
            own.cells.entry(lane).or_default().push(cell);
        }
        let noise = lanes
            .noise()
            .or_else(|| repeated_noise(round, &submission.model_id));
        let noise = noise.map(|distance| (number, distance));
        own.noise.extend(noise);
        all.noise.extend(noise);
    }
    if !submissions.is_empty() {
        all.placed
            .extend(order.as_ref().and_then(|order| placed(order, &together)));
    }
}

fn placed(order: &OptionOrder, held: &Weights) -> Option<Placed> {
    let place = |(id, weight): (_, &f64)| {
        let id: &crate::values::ids::OptionId = id;
        Some((order.position(id.as_str())?, *weight))
    };
    let held: Option<Vec<(usize, f64)>> = held.iter().map(place).collect();
    Placed::new(order.ids().len(), held?)
}

/// Answers of one model in one round by lane; the decision of the record is the first of the frozen
/// text, because it answered the same text.
struct Lanes(BTreeMap<Lane, Vec<Weights>>);

impl Lanes {
    fn of(round: &PublicRound, model_id: &ModelId, record: Weights) -> Self {
        let mut lanes = BTreeMap::from([(Lane::Base, vec![record])]);
        for answer in round.lanes().iter().filter(|own| own.model_id == *model_id) {
            let mut held = Weights::new();
            for (option, weight) in &answer.holdings {
                *held.entry(option.clone()).or_default() += weight.weight();
            }
            let lane: &mut Vec<Weights> = lanes.entry(answer.lane).or_default();
            if lane.len() < MOST_ANSWERS {
                lane.push(held);
            }
        }
        Self(lanes)
    }

    fn base(&self) -> &[Weights] {
        self.0.get(&Lane::Base).map_or(&[], Vec::as_slice)
    }

    fn cells(&self, round: usize) -> Vec<(Lane, Cell)> {
        let twins = self.0.iter().filter(|(lane, _)| **lane != Lane::Base);
        let cell = |(lane, own): (&Lane, &Vec<Weights>)| {
            Some((*lane, Cell::new(round, self.base(), own)?))
        };
        twins.filter_map(cell).collect()
    }

    fn noise(&self) -> Option<f64> {
        let base = self.base();
        let pairs = base
            .iter()
            .enumerate()
            .flat_map(|(at, a)| base[at + 1..].iter().map(move |b| distance(a, b)));
        let pairs: Vec<f64> = pairs.collect();
        (!pairs.is_empty()).then(|| compensated_sum(pairs.iter().copied()) / real(pairs.len()))
    }
}

/// The same from a run of repeated calls, which keeps the mean overlap of its answers.
fn repeated_noise(round: &PublicRound, model_id: &ModelId) -> Option<f64> {
    let runs = &round.resolved()?.repeated;
    let mut models = runs.iter().flat_map(|run| &run.models);
    let own = models.find(|own| own.model_id == *model_id && own.valid > 1)?;
    Some(1.0 - own.figures.as_ref()?.overlap)
}

fn moved(subject: &str, seen: &Seen) -> Moved {
    let order = order_bias(&format!("{subject} order"), &seen.placed);
    let lane = |(lane, cells): (&Lane, &Vec<Cell>)| {
        let found = tested(&format!("{subject} {}", lane.as_str()), cells)?;
        Some(LaneFound {
            lane: *lane,
            found,
            p_adjusted: found.p_value,
        })
    };
    let rounds: BTreeSet<usize> = seen.noise.iter().map(|(round, _)| *round).collect();
    let cells = seen.noise.len();
    Moved {
        order: order.map(|bias| OrderFound {
            bias,
            p_adjusted: bias.p_value,
        }),
        lanes: seen.cells.iter().filter_map(lane).collect(),
        noise: (cells > 0).then(|| ReplicateNoise {
            cells,
            rounds: rounds.len(),
            distance: compensated_sum(seen.noise.iter().map(|(_, own)| *own)) / real(cells),
        }),
    }
}

/// Corrects the tests of some models as one family each: those of place, and those of twins.
fn correct(models: &mut [&mut Moved]) {
    let order: Vec<f64> = models
        .iter()
        .filter_map(|own| Some(own.order?.bias.p_value))
        .collect();
    let found = models.iter_mut().filter_map(|own| own.order.as_mut());
    for (own, p) in found.zip(holm(&order)) {
        own.p_adjusted = p;
    }
    let lanes = models.iter().flat_map(|own| &own.lanes);
    let lanes: Vec<f64> = lanes.map(|own| own.found.p_value).collect();
    let found = models.iter_mut().flat_map(|own| &mut own.lanes);
    for (own, p) in found.zip(holm(&lanes)) {
        own.p_adjusted = p;
    }
}

#[cfg(test)]
mod tests;
