//! The statistics of boards: what each record and each comparison may claim.

use std::collections::BTreeMap;

use crate::evidence::inference::bootstrap;
use crate::evidence::inference::daily::PathPoint;
use crate::evidence::inference::excess::LuckTest;
use crate::evidence::inference::hac::MeanEstimate;
use crate::evidence::inference::noise::Noise;
use crate::evidence::inference::null::{self, Stouffer};
use crate::evidence::inference::overlap::{NoInterval, RoundEstimate};
use crate::evidence::inference::reliability::Bin;
use crate::evidence::inference::shrinkage::Shrinkage;
use crate::evidence::inference::synthetic::Synthetic;
use crate::evidence::inference::ties::detectable;
pub use crate::evidence::inference::ties::{EDGES, RankRange};
use crate::evidence::sensitivity::{TrackSensitivity, sensitivity};
use crate::publication::PublicRound;
use crate::publication::boards::TrackBoards;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::publication::boards::set_round::{self, SetRound};
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, RoundId};

mod aligned;
mod frame;
mod judged;
mod pairs;
mod record;
mod set;
mod tried;

pub(crate) use frame::Frames;
pub use judged::{ConfidenceSide, JudgedConfidence};
pub use pairs::HeadToHead;
pub(crate) use set::of_set;
pub(crate) use tried::Tried;

/// The version of everything computed here; a changed method gets a new one.
pub const METHOD: &str = "inference-v2";
/// Level of every interval.
pub const LEVEL: f64 = 0.95;
/// Fewest days of a daily series that is used.
pub const LEAST_DAYS: usize = 20;
/// Sessions of a weekly and a monthly horizon.
const WEEK: f64 = 5.0;
const MONTH: f64 = 21.0;

/// Sessions of a track's horizon.
pub fn horizon_sessions(track: Track) -> f64 {
    match track {
        Track::Weekly => WEEK,
        Track::Monthly => MONTH,
    }
}

/// The mean of some rounds and what it rests on.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Estimate {
    /// The mean.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Mean over standard error; none when nothing varies.
    pub t: Option<f64>,
    /// Two-sided chance of a mean this far from zero.
    pub p_value: f64,
    pub standard_error: f64,
    /// Degrees of freedom of its t.
    pub degrees: f64,
    /// What it was computed from.
    pub basis: Basis,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Basis {
    /// The error follows from daily closes of this many days.
    Days(usize),
    /// Round returns with the overlap kernel.
    Rounds,
    /// Round returns, too few effective windows to tell anything.
    NotInformative,
}

impl Basis {
    /// The word in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Days(_) => "daily",
            Self::Rounds => "rounds",
            Self::NotInformative => "not_informative",
        }
    }
}

impl From<RoundEstimate> for Estimate {
    fn from(found: RoundEstimate) -> Self {
        let basis = if found.informative {
            Basis::Rounds
        } else {
            Basis::NotInformative
        };
        Self::new(&found.estimate, basis)
    }
}

impl Estimate {
    pub(crate) fn new(estimate: &MeanEstimate, basis: Basis) -> Self {
        let (low, high) = estimate.interval(LEVEL);
        Self {
            value: estimate.mean,
            low,
            high,
            t: estimate.t(),
            p_value: estimate.p_value(),
            standard_error: estimate.standard_error,
            degrees: estimate.degrees,
            basis,
        }
    }

    fn mean_estimate(&self) -> MeanEstimate {
        MeanEstimate {
            mean: self.value,
            standard_error: self.standard_error,
            degrees: self.degrees,
        }
    }

    /// Smallest gap that such a record detects in four of five cases, as one of some tests; none
    /// where its interval tells nothing.
    pub fn detectable(&self, tests: usize) -> Option<f64> {
        self.informative()
            .then(|| detectable(&self.mean_estimate(), tests))
    }

    /// Whether the interval tells anything; where not, it must not be read as one.
    pub fn informative(&self) -> bool {
        self.basis != Basis::NotInformative
    }

    /// The p value for telling apart: an uninformative interval separates nothing, so 1.
    pub(crate) fn p_apart(&self) -> f64 {
        if self.informative() {
            self.p_value
        } else {
            1.0
        }
    }

    /// Whether zero lies outside an interval that tells something; for one look at one record.
    pub fn differs_from_zero(&self) -> bool {
        self.informative() && (self.low > 0.0 || self.high < 0.0)
    }
}

/// One model's record in a track or in a set, with what it may claim.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelStatistics {
    pub model_id: ModelId,
    pub rounds: usize,
    /// Effective windows they are worth.
    pub effective_windows: f64,
    /// Sessions on which at least one of its rounds was live.
    pub live_sessions: usize,
    /// Mean gap per round to the reference; none with less than two windows.
    pub alpha: Option<Estimate>,
    /// Interval of the score; or why there is none.
    pub score: Result<(f64, f64), NoInterval>,
    /// Score of the middle random portfolio of the same rounds; none where a round has no null.
    pub chance_score: Option<f64>,
    /// Where its decisions stand among random ones, over the rounds with a null; none without any.
    /// Its z is that of `null-v1`, for comparison.
    pub luck: Option<Stouffer>,
    /// The same among random ones as volatile.
    pub luck_matched: Option<Stouffer>,
    /// Half the width of the range in which chance alone puts the mean percentile.
    pub chance_spread: Option<f64>,
    /// Whether luck explains its returns, by `null-v2`; none below two rounds that froze daily
    /// returns.
    pub luck_test: Option<LuckTest>,
    /// Smallest gap to the reference that this record would detect, per round.
    pub detectable: Option<f64>,
    /// Years of rounds like these until a gap of each of [`EDGES`] a year would be detected.
    pub years_to_detect: Option<[f64; 3]>,
}

/// What only a whole record has, beyond [`ModelStatistics`].
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct RecordStatistics {
    /// The figures that sets have too.
    pub model: ModelStatistics,
    /// A second opinion on the interval of alpha, by resampled days.
    pub alpha_resampled: Option<(f64, f64)>,
    /// Own noise against market noise, from repeated calls.
    pub noise: Option<Noise>,
    /// What the model answers on average; none without repeated calls.
    pub repeated: Option<Repeated>,
    /// Figures of the synthetic daily portfolio; they never rank. None without enough daily closes.
    pub synthetic: Option<Synthetic>,
    /// Effective windows of the decisions with a stated chance to beat the reference.
    pub asked_windows: f64,
    /// Decisions whose confidence counts nowhere, and why.
    pub left_out: LeftOut,
    /// Mean squared error of stated confidence, with its interval.
    pub brier: Option<Estimate>,
    /// Confidence in bins against outcomes.
    pub reliability: Vec<Bin>,
}

/// Decisions without a stated chance to beat the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    /// The round asked something else, or nothing.
    pub other_question: usize,
    /// The decision returned what the reference did.
    pub level: usize,
}

/// The official decisions beside what the same model answered when asked again.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Repeated {
    /// Rounds with repeated calls.
    pub rounds: usize,
    /// Mean over those rounds of the mean gain of all answers beyond the reference.
    pub expected_alpha: f64,
    /// Mean gain of the official decisions of the same rounds.
    pub official_alpha: f64,
    /// Mean share of repeated answers that fell below the official one, ties counting half.
    pub official_place: f64,
}

/// A comparison set, with what it may claim.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SetStatistics {
    /// Effective windows its rounds are worth.
    pub effective_windows: f64,
    /// Whether any difference between its models rests on enough to tell something.
    pub informative: bool,
    /// One per row of the set, in its order.
    pub models: Vec<SetModel>,
    /// Every pair, in order of rows.
    pub pairs: Vec<Pair>,
    /// The deflated ratio of the leader's daily record among all models, tracks and methodology
    /// versions: 0.95 would set it apart from the best of as many without skill. None without
    /// enough daily closes.
    pub leader_deflated: Option<f64>,
    /// How much of the distances between its models is likely to last; none where pairs lack errors.
    pub shrinkage: Option<Shrinkage>,
    /// Models of its track that are asked no more and are no part of it, in order of id.
    pub retired: Vec<Retired>,
}

/// A model that is asked no more: without it, those who stayed look better than all who began.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Retired {
    pub model_id: ModelId,
    /// Resolved rounds of its own.
    pub rounds: usize,
    /// Mean gap to the reference in them.
    pub gap: f64,
}

/// The deflated ratio from which a leader's record is more than the best of many by luck.
pub const DEFLATED_NEEDED: f64 = 0.95;

impl SetStatistics {
    /// The places a row may truly hold. A bare number would claim more than is known.
    pub fn places(&self, row: usize) -> Option<(usize, usize)> {
        let own = self.models.get(row)?;
        Some((own.rank.from, own.rank.to))
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SetModel {
    /// Its figures.
    pub model: ModelStatistics,
    /// The places it may truly hold, by the corrected tests of all pairs.
    pub rank: RankRange,
    /// Group of models that cannot be told apart, from 1; all in 1 where nothing can be told.
    pub group: usize,
    /// The gap to expect of it, shrunk towards the mean of the set; none without shrinkage.
    pub shrunken: Option<f64>,
    /// Running sum of daily gains of the synthetic portfolio beyond the reference; none without
    /// enough daily closes.
    pub path: Option<Vec<PathPoint>>,
}

/// Two models on the rounds both completed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// The one with the better row.
    pub first: ModelId,
    /// The other.
    pub second: ModelId,
    /// Mean difference per round; none with less than two windows.
    pub difference: Option<Estimate>,
    /// Its p value after Holm's correction over all pairs that can be tested; none for others.
    pub p_adjusted: Option<f64>,
    /// Smallest difference that would be detected as one of all pairs.
    pub detectable: Option<f64>,
}

impl Pair {
    /// Whether both are told apart, corrected over all pairs.
    pub fn apart(&self) -> bool {
        self.p_adjusted.is_some_and(|p| p < 1.0 - LEVEL)
    }
}

/// All statistics of a publication.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Statistics {
    /// Records by track, in the order of the cumulative board.
    pub records: BTreeMap<Track, Vec<RecordStatistics>>,
    /// Every two models with a shared round, by track, in order of model id.
    pub head_to_head: BTreeMap<Track, Vec<HeadToHead>>,
    /// Sets by name; those without a shared round have none.
    pub sets: BTreeMap<String, SetStatistics>,
    /// What moves the models of a track; only of tracks with a drawn order, a twin or repeated calls.
    pub sensitivity: BTreeMap<Track, TrackSensitivity>,
}

/// Computes the statistics of rounds in key order.
pub(crate) fn statistics(
    rounds: &[PublicRound],
    set_rounds: &[SetRound<'_>],
    boards: &BTreeMap<Track, TrackBoards>,
    sets: &[ComparisonSet],
) -> Statistics {
    let mut whole: BTreeMap<&RoundId, &PublicRound> = BTreeMap::new();
    whole.extend(rounds.iter().map(|round| (round.id(), round)));
    let by_id = set_round::by_id(set_rounds);
    let tried = Tried::of(set_rounds);
    let frames = Frames::default();
    let (mut records, mut head_to_head) = (BTreeMap::new(), BTreeMap::new());
    for (track, boards) in boards {
        let mut models = Vec::with_capacity(boards.cumulative.len());
        for row in &boards.cumulative {
            let id = &row.model_id;
            let taken = record::taken(&set_round::chosen(&by_id, &row.rounds), (0, id));
            let answers = record::answers(&whole, &row.rounds, id);
            models.push(record::record(id, &taken, &answers, *track, &frames));
        }
        records.insert(*track, models);
        let found = pairs::head_to_head(&by_id, &boards.cumulative, &frames);
        head_to_head.insert(*track, found);
    }
    let mut found = BTreeMap::new();
    for set in sets.iter().filter(|set| !set.included.is_empty()) {
        let statistics = of_set(set, &by_id, &tried, &frames);
        found.insert(set.definition.set_id.clone(), statistics);
    }
    Statistics {
        records,
        head_to_head,
        sets: found,
        sensitivity: sensitivity(rounds),
    }
}

/// How the figures were made, to be stored with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Version of the whole.
    pub version: &'static str,
    /// Label of every null's seed.
    pub null_label: &'static str,
    /// Random portfolios per round.
    pub null_draws: usize,
    /// Resampled histories.
    pub bootstrap_draws: usize,
}

/// The method of this version.
pub const fn method() -> Method {
    Method {
        version: METHOD,
        null_label: null::LABEL,
        null_draws: null::DRAWS,
        bootstrap_draws: bootstrap::DRAWS,
    }
}
