//! The statistics of boards: what each record and each comparison may claim.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::boards::TrackBoards;
use crate::boards::comparison_set::ComparisonSet;
use crate::ids::{Digest, ModelId, RoundId};
use crate::inference::bootstrap::{self, RankRange, rank_ranges, studentised_interval};
use crate::inference::daily::{ActiveDays, PathPoint, calendar_time, paired, path, per_horizon};
use crate::inference::hac::MeanEstimate;
use crate::inference::noise::{self, Noise};
use crate::inference::null::{self, Stouffer, stouffer};
use crate::inference::overlap::{NoInterval, Overlap, score_estimate};
use crate::inference::random::Random;
use crate::inference::reliability::{Bin, Stated, bins, brier};
use crate::inference::ties::{detectable, tie_groups, years_to_know};
use crate::manifest::{Track, Window};
use crate::publication::{PublicRound, Standing};
use crate::units::Return;

mod leader;
mod pairs;

use leader::leader_deflated;
pub use pairs::{HeadToHead, Pair};
use pairs::{head_to_head, pairs};

/// The version of everything computed here; a changed method gets a new one.
pub const METHOD: &str = "inference-v1";
/// Level of every interval.
pub const LEVEL: f64 = 0.95;
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
#[derive(Debug, Clone, Copy, PartialEq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Estimate {
    fn new(estimate: &MeanEstimate, basis: Basis) -> Self {
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
}

/// One model's record in a track or in a set, with what it may claim.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelStatistics {
    /// Who.
    pub model_id: ModelId,
    /// Rounds.
    pub rounds: usize,
    /// Separate windows they are worth.
    pub effective_windows: f64,
    /// Mean gain beyond the reference per horizon; none with less than two windows.
    pub alpha: Option<Estimate>,
    /// Interval of the score; or why there is none.
    pub score: Result<(f64, f64), NoInterval>,
    /// Where its decisions stand among random ones; none without a null.
    pub luck: Option<Stouffer>,
    /// The same among random ones as volatile.
    pub luck_matched: Option<Stouffer>,
    /// Smallest gap to the reference that this record would detect, per horizon.
    pub detectable: Option<f64>,
    /// Years until the observed gap to the reference would be detected.
    pub years_to_know: Option<f64>,
}

/// What only a whole record has, beyond [`ModelStatistics`].
#[derive(Debug, Clone, PartialEq)]
pub struct RecordStatistics {
    /// The figures that sets have too.
    pub model: ModelStatistics,
    /// A second opinion on the interval of alpha, by resampled days.
    pub alpha_resampled: Option<(f64, f64)>,
    /// Own noise against market noise, from repeated calls.
    pub noise: Option<Noise>,
    /// Mean squared error of stated confidence, with its interval.
    pub brier: Option<Estimate>,
    /// Confidence in bins against outcomes.
    pub reliability: Vec<Bin>,
}

/// A comparison set, with what it may claim.
#[derive(Debug, Clone, PartialEq)]
pub struct SetStatistics {
    /// Separate windows its rounds are worth.
    pub effective_windows: f64,
    /// One per row of the set, in its order.
    pub models: Vec<SetModel>,
    /// Every pair, in order of rows.
    pub pairs: Vec<Pair>,
    /// Chance that the leader is better than luck, the number of tries taken into account.
    pub leader_deflated: Option<f64>,
}

/// A model of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct SetModel {
    /// Its figures.
    pub model: ModelStatistics,
    /// Where it would stand in resampled histories; none without daily closes.
    pub rank: Option<RankRange>,
    /// Group of models that cannot be told apart, from 1.
    pub group: usize,
    /// Running sum of daily gains beyond the reference; none without daily closes.
    pub path: Option<Vec<PathPoint>>,
}

/// All statistics of a publication.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// Records by track, in the order of the cumulative board.
    pub records: BTreeMap<Track, Vec<RecordStatistics>>,
    /// Every two models with a shared round, by track, in order of model id.
    pub head_to_head: BTreeMap<Track, Vec<HeadToHead>>,
    /// Sets by name; those without a shared round have none.
    pub sets: BTreeMap<String, SetStatistics>,
}

/// One decision with its result, as statistics need it.
struct Taken<'a> {
    window: Window,
    standing: &'a Standing,
    oracle: Option<Return>,
    repeated: Vec<f64>,
}

/// Computes the statistics of rounds in key order.
pub(crate) fn statistics(
    rounds: &[PublicRound],
    boards: &BTreeMap<Track, TrackBoards>,
    sets: &[ComparisonSet],
) -> Statistics {
    let mut by_id: BTreeMap<&RoundId, &PublicRound> = BTreeMap::new();
    by_id.extend(rounds.iter().map(|round| (round.id(), round)));
    let versions = methodology_versions(rounds);
    let mut records = BTreeMap::new();
    for (track, boards) in boards {
        let mut models = Vec::with_capacity(boards.cumulative.len());
        for row in &boards.cumulative {
            let taken = taken(&by_id, &row.rounds, &row.model_id);
            models.push(record(&row.model_id, &taken, *track));
        }
        records.insert(*track, models);
    }
    let of_track = |(track, boards): (&Track, &TrackBoards)| {
        (*track, head_to_head(&by_id, &boards.cumulative, *track))
    };
    let head_to_head = boards.iter().map(of_track).collect();
    let mut found = BTreeMap::new();
    for set in sets.iter().filter(|set| !set.included.is_empty()) {
        let statistics = of_set(set, &by_id, versions);
        found.insert(set.definition.set_id.clone(), statistics);
    }
    Statistics {
        records,
        head_to_head,
        sets: found,
    }
}

#[expect(clippy::cast_precision_loss, reason = "versions are few")]
fn methodology_versions(rounds: &[PublicRound]) -> f64 {
    let mut labels: Vec<Option<&str>> = rounds
        .iter()
        .map(|round| round.manifest.methodology.label())
        .collect();
    labels.sort_unstable();
    labels.dedup();
    labels.len().max(1) as f64
}

fn taken<'a>(
    rounds: &BTreeMap<&RoundId, &'a PublicRound>,
    ids: &[RoundId],
    model_id: &ModelId,
) -> Vec<Taken<'a>> {
    let of = |id: &RoundId| {
        let round = rounds.get(id)?;
        let resolved = round.resolved()?;
        let runs = resolved.repeated.iter();
        let own = runs
            .flat_map(|run| &run.models)
            .filter(|m| m.model_id == *model_id);
        Some(Taken {
            window: round.manifest.window?,
            standing: resolved.of(model_id)?,
            oracle: resolved.returns.oracle(),
            repeated: own
                .filter_map(|m| m.figures.as_ref())
                .flat_map(|figures| figures.alphas.iter().copied())
                .collect(),
        })
    };
    ids.iter().filter_map(of).collect()
}

fn windows(taken: &[Taken<'_>]) -> Vec<Window> {
    taken.iter().map(|t| t.window).collect()
}

fn alphas(taken: &[Taken<'_>]) -> Vec<f64> {
    let alpha = |t: &Taken<'_>| t.standing.scored.outcome.alpha.get();
    taken.iter().map(alpha).collect()
}

/// The daily series of a record; none unless every round has its closes.
fn series(taken: &[Taken<'_>]) -> Option<ActiveDays> {
    let days: Option<Vec<&ActiveDays>> = taken.iter().map(|t| t.standing.days.as_ref()).collect();
    days.map(calendar_time).filter(|series| !series.is_empty())
}

fn values(series: &[(Date, f64)]) -> Vec<f64> {
    series.iter().map(|(_, value)| *value).collect()
}

fn estimate(
    series: Option<&[(Date, f64)]>,
    rounds: &[f64],
    overlap: &Overlap,
    sessions: f64,
) -> Option<Estimate> {
    let daily = series.and_then(|series| {
        let estimate = per_horizon(series, sessions)?;
        Some(Estimate::new(&estimate, Basis::Days(series.len())))
    });
    daily.or_else(|| {
        let found = overlap.mean(rounds)?;
        let basis = if found.informative {
            Basis::Rounds
        } else {
            Basis::NotInformative
        };
        Some(Estimate::new(&found.estimate, basis))
    })
}

fn model(model_id: &ModelId, taken: &[Taken<'_>], track: Track) -> ModelStatistics {
    let overlap = Overlap::new(&windows(taken));
    let sessions = horizon_sessions(track);
    let series = series(taken);
    let alpha = estimate(series.as_deref(), &alphas(taken), &overlap, sessions);
    let returns: Vec<f64> = taken
        .iter()
        .map(|t| t.standing.scored.outcome.decision_return.get())
        .collect();
    let oracles: Option<Vec<f64>> = taken.iter().map(|t| t.oracle.map(Return::get)).collect();
    let score = match oracles {
        Some(oracles) => score_estimate(&overlap, &returns, &oracles).map(|e| e.interval(LEVEL)),
        None => Err(NoInterval::SmallDenominator),
    };
    let luck = |of: fn(&crate::publication::facts::Percentiles) -> Option<f64>| {
        let percentile = |t: &Taken<'_>| t.standing.percentiles.as_ref().and_then(of);
        let known: Option<Vec<f64>> = taken.iter().map(percentile).collect();
        known.and_then(|known| stouffer(&known, &overlap))
    };
    let deviation = series
        .as_deref()
        .and_then(|series| daily_deviation(&values(series)));
    let days = series.as_ref().map_or(0, Vec::len);
    ModelStatistics {
        model_id: model_id.clone(),
        rounds: taken.len(),
        effective_windows: overlap.effective(),
        score,
        luck: luck(|p| Some(p.all)),
        luck_matched: luck(|p| p.matched),
        detectable: deviation.map(|deviation| detectable(deviation, sessions, count(days))),
        years_to_know: deviation
            .zip(alpha)
            .and_then(|(deviation, alpha)| years_to_know(deviation, sessions, alpha.value)),
        alpha,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of days are small")]
fn count(number: usize) -> f64 {
    number as f64
}

fn daily_deviation(values: &[f64]) -> Option<f64> {
    let mean = crate::boards::mean(values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - mean).powi(2)).collect();
    let variance = crate::boards::mean(&squares)?;
    (values.len() >= 8).then(|| variance.sqrt())
}

fn record(model_id: &ModelId, taken: &[Taken<'_>], track: Track) -> RecordStatistics {
    let sessions = horizon_sessions(track);
    let resampled = series(taken).and_then(|series| {
        let mut random = random_for(&format!("{} {model_id}", track.as_str()), "interval");
        let (low, high) = studentised_interval(&values(&series), &mut random)?;
        Some((low * sessions, high * sessions))
    });
    let repeated: Vec<Vec<f64>> = taken.iter().map(|t| t.repeated.clone()).collect();
    let stated: Vec<Stated> = taken
        .iter()
        .map(|t| Stated {
            confidence: t.standing.scored.submission.confidence,
            beat: t.standing.scored.outcome.beats_reference,
            window: t.window,
        })
        .collect();
    let brier = brier(&stated).map(|found| {
        let basis = if found.informative {
            Basis::Rounds
        } else {
            Basis::NotInformative
        };
        Estimate::new(&found.estimate, basis)
    });
    RecordStatistics {
        model: model(model_id, taken, track),
        alpha_resampled: resampled,
        noise: noise::split(&repeated),
        brier,
        reliability: bins(&stated),
    }
}

/// The seed of a resampling follows from what is resampled, so that nobody can shop for one.
fn random_for(what: &str, label: &str) -> Random {
    Random::of(Digest::of(what.as_bytes()), &format!("{METHOD} {label}"))
}

fn of_set(
    set: &ComparisonSet,
    rounds: &BTreeMap<&RoundId, &PublicRound>,
    versions: f64,
) -> SetStatistics {
    let track = set.definition.track;
    let sessions = horizon_sessions(track);
    let taken: Vec<Vec<Taken<'_>>> = set
        .rows
        .iter()
        .map(|row| taken(rounds, &set.included, &row.model_id))
        .collect();
    let series: Vec<Option<ActiveDays>> = taken.iter().map(|taken| self::series(taken)).collect();
    let overlap = Overlap::new(&taken.first().map(|t| windows(t)).unwrap_or_default());
    let difference = |a: usize, b: usize| {
        let rounds: Vec<f64> = alphas(&taken[a])
            .iter()
            .zip(alphas(&taken[b]))
            .map(|(a, b)| a - b)
            .collect();
        let daily = series[a].as_ref().zip(series[b].as_ref());
        let daily = daily.map(|(a, b)| paired(a, b));
        estimate(daily.as_deref(), &rounds, &overlap, sessions)
    };
    let ranges = same_days(&series).and_then(|columns| {
        rank_ranges(&columns, &mut random_for(&set.definition.set_id, "ranks"))
    });
    let p_value = |a: usize, b: usize| difference(a, b).map_or(1.0, |found| told_apart(&found));
    let groups = tie_groups(set.rows.len(), 1.0 - LEVEL, p_value);
    let models = taken
        .iter()
        .zip(&set.rows)
        .enumerate()
        .map(|(place, (taken, row))| SetModel {
            model: model(&row.model_id, taken, track),
            rank: ranges.as_ref().map(|ranges| ranges[place]),
            group: groups[place],
            path: series[place].as_ref().and_then(|days| path(days, LEVEL)),
        });
    SetStatistics {
        effective_windows: overlap.effective(),
        models: models.collect(),
        pairs: pairs(set, difference),
        leader_deflated: leader_deflated(&series, versions),
    }
}

/// An interval that tells nothing tells nobody apart.
fn told_apart(found: &Estimate) -> f64 {
    match found.basis {
        Basis::NotInformative => 1.0,
        Basis::Days(_) | Basis::Rounds => found.p_value,
    }
}

/// The series as columns over the same days; none when they differ.
fn same_days(series: &[Option<ActiveDays>]) -> Option<Vec<Vec<f64>>> {
    let all: Option<Vec<&ActiveDays>> = series.iter().map(Option::as_ref).collect();
    let all = all?;
    let first = all.first()?;
    let days = |series: &ActiveDays| series.iter().map(|(day, _)| *day).collect::<Vec<_>>();
    let alike = all.iter().all(|other| days(other) == days(first));
    alike.then(|| all.iter().map(|series| values(series)).collect())
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
