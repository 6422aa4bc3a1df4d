//! The statistics of boards: what each record and each comparison may claim.

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::inference::bootstrap::{self, RankRange};
use crate::evidence::inference::daily::PathPoint;
use crate::evidence::inference::hac::MeanEstimate;
use crate::evidence::inference::noise::Noise;
use crate::evidence::inference::null::{self, Stouffer};
use crate::evidence::inference::overlap::{INFORMATIVE_WINDOWS, NoInterval, RoundEstimate};
use crate::evidence::inference::reliability::Bin;
use crate::publication::PublicRound;
use crate::publication::boards::TrackBoards;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::publication::boards::set_round::{self, SetRound};
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, RoundId};
use crate::values::sums::real;

mod aligned;
mod frame;
mod pairs;
mod record;
mod set;

pub(crate) use frame::Frames;
pub use pairs::HeadToHead;
pub(crate) use set::of_set;

/// The version of everything computed here; a changed method gets a new one.
pub const METHOD: &str = "inference-v1";
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

/// A mean per horizon and what it rests on.
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
    /// What it was computed from.
    pub basis: Basis,
}

/// What an interval rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Basis {
    /// Daily closes: the calendar-time series of this many days.
    Days(usize),
    /// Round returns with the overlap kernel.
    Rounds,
    /// Round returns, too few separate windows to tell anything.
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
            basis,
        }
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

    /// Whether zero lies outside an interval that tells something.
    pub fn differs_from_zero(&self) -> bool {
        self.informative() && (self.low > 0.0 || self.high < 0.0)
    }
}

/// One model's record in a track or in a set, with what it may claim.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ModelStatistics {
    pub model_id: ModelId,
    pub rounds: usize,
    /// Separate windows they are worth.
    pub effective_windows: f64,
    /// Sessions on which at least one of its rounds was live.
    pub live_sessions: usize,
    /// Mean gain beyond the reference per horizon; none with less than two windows.
    pub alpha: Option<Estimate>,
    /// Interval of the score; or why there is none. See [`Self::score_is_informative`].
    pub score: Result<(f64, f64), NoInterval>,
    /// Score of the middle random portfolio of the same rounds; none where a round has no null.
    pub chance_score: Option<f64>,
    /// Where its decisions stand among random ones, over the rounds with a null; none without any.
    pub luck: Option<Stouffer>,
    /// The same among random ones as volatile.
    pub luck_matched: Option<Stouffer>,
    /// Deviation of a day's gain beyond the reference; from the spread of rounds without days.
    pub daily_deviation: Option<f64>,
    /// Smallest gap to the reference that this record would detect, per horizon.
    pub detectable: Option<f64>,
    /// Years until the observed gap to the reference would be detected.
    pub years_to_know: Option<f64>,
}

impl ModelStatistics {
    /// Whether the score's interval tells anything: a ratio needs enough separate windows.
    pub fn score_is_informative(&self) -> bool {
        self.score.is_ok() && self.effective_windows >= INFORMATIVE_WINDOWS
    }
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
    /// Mean squared error of stated confidence, with its interval.
    pub brier: Option<Estimate>,
    /// Confidence in bins against outcomes.
    pub reliability: Vec<Bin>,
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
    /// Separate windows its rounds are worth.
    pub effective_windows: f64,
    /// Whether any difference between its models rests on enough to tell something.
    pub informative: bool,
    /// One per row of the set, in its order.
    pub models: Vec<SetModel>,
    /// Every pair, in order of rows.
    pub pairs: Vec<Pair>,
    /// Chance that the leader's daily record is better than the luck of the best of all models,
    /// tracks and methodology versions; none without enough daily closes.
    pub leader_deflated: Option<f64>,
}

impl SetStatistics {
    /// The places a row may truly hold: its range in resampled histories, else all places of the
    /// models it cannot be told from. A bare number would claim more than is known.
    pub fn places(&self, row: usize) -> Option<(usize, usize)> {
        let own = self.models.get(row)?;
        if let Some(range) = &own.rank {
            return Some((range.from, range.to));
        }
        let tied = |model: &SetModel| model.group == own.group;
        let first = self.models.iter().position(tied)?;
        let last = self.models.iter().rposition(tied)?;
        Some((first + 1, last + 1))
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SetModel {
    /// Its figures.
    pub model: ModelStatistics,
    /// Where it would stand in resampled histories; none without enough daily closes.
    pub rank: Option<RankRange>,
    /// Group of models that cannot be told apart, from 1; all in 1 where nothing can be told.
    pub group: usize,
    /// Running sum of daily gains beyond the reference; none without enough daily closes.
    pub path: Option<Vec<PathPoint>>,
}

/// Two models on the rounds both completed.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pair {
    /// The one with the better row.
    pub first: ModelId,
    /// The other.
    pub second: ModelId,
    /// Mean difference per horizon; none with less than two windows.
    pub difference: Option<Estimate>,
    /// Its p value after Holm's correction over all pairs that can be tested; none for others.
    pub p_adjusted: Option<f64>,
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
    let versions = methodology_versions(set_rounds);
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
        let found = pairs::head_to_head(&by_id, &boards.cumulative, *track, &frames);
        head_to_head.insert(*track, found);
    }
    let mut found = BTreeMap::new();
    for set in sets.iter().filter(|set| !set.included.is_empty()) {
        let statistics = of_set(set, &by_id, versions, &frames);
        found.insert(set.definition.set_id.clone(), statistics);
    }
    Statistics {
        records,
        head_to_head,
        sets: found,
    }
}

/// How many labels resolved rounds follow: only those were tried.
pub(crate) fn methodology_versions(rounds: &[SetRound<'_>]) -> f64 {
    let tried = rounds.iter().filter(|round| round.result.is_some());
    let labels: BTreeSet<Option<&str>> = tried.map(|round| round.label).collect();
    real(labels.len().max(1))
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
