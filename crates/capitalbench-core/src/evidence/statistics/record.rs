//! One model's rounds → what its record may claim.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::frame::{Frame, Frames};
use super::{
    Basis, Estimate, LEAST_DAYS, LEVEL, METHOD, ModelStatistics, RecordStatistics, Repeated,
    horizon_sessions,
};
use crate::evidence::inference::bootstrap::studentised_interval;
use crate::evidence::inference::daily::{ActiveDays, calendar_time, per_horizon};
use crate::evidence::inference::noise::{self, place_among};
use crate::evidence::inference::null::{DRAWS, NEAREST, stouffer};
use crate::evidence::inference::overlap::{NoInterval, Overlap, score_estimate};
use crate::evidence::inference::random::Random;
use crate::evidence::inference::reliability::{Stated, bins, brier};
use crate::evidence::inference::ties::{detectable, years_to_know};
use crate::publication::PublicRound;
use crate::publication::boards::mean;
use crate::publication::boards::set_round::SetRound;
use crate::publication::facts::Percentiles;
use crate::round::manifest::{Track, Window};
use crate::values::ids::{Digest, ModelId, RoundId};
use crate::values::sums::{compensated_sum, real, variance};
use crate::values::units::Return;

/// One decision with its result, as statistics need it.
pub(super) struct Taken<'a> {
    pub(super) window: Window,
    /// Return of the decision.
    pub(super) value: f64,
    pub(super) alpha: f64,
    percentiles: Option<Percentiles>,
    pub(super) days: Option<&'a [(Date, f64)]>,
    oracle: Option<Return>,
    /// Return of the middle random portfolio.
    chance: Option<f64>,
}

/// The rounds of a model among these; it is looked for at `place` first.
pub(super) fn taken<'a>(
    rounds: &[&'a SetRound<'a>],
    (place, model_id): (usize, &ModelId),
) -> Vec<Taken<'a>> {
    let of = |round: &&'a SetRound<'a>| {
        let result = round.result.as_ref()?;
        let standing = result.of_near(model_id, place)?;
        Some(Taken {
            window: round.window?,
            value: standing.value.get(),
            alpha: standing.alpha.get(),
            percentiles: standing.percentiles,
            days: standing.days,
            oracle: result.oracle,
            chance: result.chance,
        })
    };
    rounds.iter().filter_map(of).collect()
}

/// What only a whole record tells of a decision.
pub(super) struct Answer {
    stated: Stated,
    /// Gains beyond the reference of the same question asked again.
    repeated: Vec<f64>,
}

/// The answers of a model in these rounds, beside what [`taken`] finds.
pub(super) fn answers(
    rounds: &BTreeMap<&RoundId, &PublicRound>,
    ids: &[RoundId],
    model_id: &ModelId,
) -> Vec<Answer> {
    let of = |id: &RoundId| {
        let round = rounds.get(id)?;
        let (resolved, own) = (round.resolved()?, round.stored(model_id));
        let standing = round.standing(own)?;
        let runs = resolved.repeated.iter();
        let answered = runs
            .flat_map(|run| &run.models)
            .filter(|model| model.model_id == *own);
        Some(Answer {
            stated: Stated {
                confidence: standing.scored.submission.confidence,
                beat: standing.scored.outcome.beats_reference,
                window: round.manifest.window?,
            },
            repeated: answered
                .filter_map(|m| m.figures.as_ref())
                .flat_map(|figures| figures.alphas.iter().copied())
                .collect(),
        })
    };
    ids.iter().filter_map(of).collect()
}

pub(super) fn windows(taken: &[Taken<'_>]) -> Vec<Window> {
    taken.iter().map(|t| t.window).collect()
}

pub(super) fn alphas(taken: &[Taken<'_>]) -> Vec<f64> {
    taken.iter().map(|t| t.alpha).collect()
}

/// A calendar-time series of some rounds; none where it says too little about them.
///
/// One round is one decision, however many days it lasts, so two are needed; fewer days than
/// [`LEAST_DAYS`], or known days on less than half of the live sessions, are no record.
pub(super) fn enough(series: ActiveDays, frame: &Frame) -> Option<ActiveDays> {
    let enough =
        frame.count >= 2 && series.len() >= LEAST_DAYS && 2 * series.len() >= frame.live_sessions;
    enough.then_some(series)
}

/// The calendar-time series of a model's own rounds, where it says enough.
pub(super) fn own_series(taken: &[Taken<'_>], frame: &Frame) -> Option<ActiveDays> {
    let days = taken.iter().filter_map(|t| t.days).flatten().copied();
    enough(calendar_time(days), frame)
}

pub(super) fn values(series: &[(Date, f64)]) -> Vec<f64> {
    series.iter().map(|(_, value)| *value).collect()
}

/// A mean per horizon: from days where a series is given, else from rounds.
pub(super) fn estimate(
    series: Option<&[(Date, f64)]>,
    rounds: &[f64],
    overlap: &Overlap,
    sessions: f64,
) -> Option<Estimate> {
    let daily = series.and_then(|series| {
        let estimate = per_horizon(series, sessions)?;
        Some(Estimate::new(&estimate, Basis::Days(series.len())))
    });
    daily.or_else(|| overlap.mean(rounds).map(Estimate::from))
}

/// The figures that records and sets share; `series` is the model's own over these rounds.
pub(super) fn model(
    model_id: &ModelId,
    taken: &[Taken<'_>],
    series: Option<&[(Date, f64)]>,
    track: Track,
    frames: &Frames,
) -> ModelStatistics {
    let frame = frames.of(&windows(taken));
    let overlap = &frame.overlap;
    let sessions = horizon_sessions(track);
    let alphas = alphas(taken);
    let alpha = estimate(series, &alphas, overlap, sessions);
    let noise = match series {
        Some(series) => deviation(&values(series)).map(|found| (found, real(series.len()))),
        None => round_deviation(&alphas, overlap, sessions),
    };
    ModelStatistics {
        model_id: model_id.clone(),
        rounds: taken.len(),
        effective_windows: overlap.effective(),
        live_sessions: frame.live_sessions,
        score: score(taken, overlap),
        chance_score: chance_score(taken),
        luck: luck(taken, (|p| Some(p.all), DRAWS), frames),
        luck_matched: luck(taken, (|p| p.matched, NEAREST), frames),
        daily_deviation: noise.map(|(daily, _)| daily),
        detectable: noise.map(|(daily, days)| detectable(daily, sessions, days)),
        years_to_know: noise
            .zip(alpha)
            .and_then(|((daily, _), alpha)| years_to_know(daily, sessions, alpha.value)),
        alpha,
    }
}

fn score(taken: &[Taken<'_>], overlap: &Overlap) -> Result<(f64, f64), NoInterval> {
    let returns: Vec<f64> = taken.iter().map(|t| t.value).collect();
    let oracles: Option<Vec<f64>> = taken.iter().map(|t| t.oracle.map(Return::get)).collect();
    let oracles = oracles.ok_or(NoInterval::NoOracle)?;
    score_estimate(overlap, &returns, &oracles).map(|found| found.interval(LEVEL))
}

fn chance_score(taken: &[Taken<'_>]) -> Option<f64> {
    let both = |t: &Taken<'_>| Some((t.chance?, t.oracle?.get()));
    let rounds: Option<Vec<(f64, f64)>> = taken.iter().map(both).collect();
    let rounds = rounds?;
    let oracle = compensated_sum(rounds.iter().map(|(_, oracle)| *oracle));
    let middle = compensated_sum(rounds.iter().map(|(chance, _)| *chance));
    (oracle > 0.0).then(|| 100.0 * middle / oracle)
}

/// Percentiles of the rounds that have one, combined over those rounds alone.
fn luck(
    taken: &[Taken<'_>],
    (of, draws): (fn(&Percentiles) -> Option<f64>, usize),
    frames: &Frames,
) -> Option<crate::evidence::inference::null::Stouffer> {
    let known = |t: &Taken<'_>| Some((t.window, of(t.percentiles.as_ref()?)?));
    let (windows, percentiles): (Vec<Window>, Vec<f64>) = taken.iter().filter_map(known).unzip();
    stouffer(&percentiles, draws, &frames.of(&windows).overlap)
}

/// Sample deviation; none of less than two.
fn deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The daily deviation that the spread of round figures implies, and the days they are worth.
fn round_deviation(alphas: &[f64], overlap: &Overlap, sessions: f64) -> Option<(f64, f64)> {
    let effective = overlap.effective();
    let spread = deviation(alphas).filter(|_| effective >= 2.0)?;
    let spread = spread / (1.0 - 1.0 / effective).sqrt();
    Some((spread / sessions.sqrt(), effective * sessions))
}

pub(super) fn record(
    model_id: &ModelId,
    taken: &[Taken<'_>],
    answers: &[Answer],
    track: Track,
    frames: &Frames,
) -> RecordStatistics {
    let sessions = horizon_sessions(track);
    let frame = frames.of(&windows(taken));
    let series = own_series(taken, &frame);
    let resampled = series.as_deref().and_then(|series| {
        let mut random = random_for(&format!("{} {model_id}", track.as_str()), "interval");
        let (low, high) = studentised_interval(&values(series), &mut random)?;
        Some((low * sessions, high * sessions))
    });
    let repeated: Vec<Vec<f64>> = answers.iter().map(|a| a.repeated.clone()).collect();
    let stated: Vec<Stated> = answers.iter().map(|answer| answer.stated).collect();
    RecordStatistics {
        model: model(model_id, taken, series.as_deref(), track, frames),
        alpha_resampled: resampled,
        noise: noise::split(&repeated),
        repeated: asked_again(taken, answers),
        brier: brier(&stated, &frame.overlap).map(Estimate::from),
        reliability: bins(&stated),
    }
}

fn asked_again(taken: &[Taken<'_>], answers: &[Answer]) -> Option<Repeated> {
    let mut expected = Vec::new();
    let mut official = Vec::new();
    let mut places = Vec::new();
    for (t, Answer { repeated, .. }) in taken.iter().zip(answers) {
        if let Some((mean, place)) = mean(repeated).zip(place_among(t.alpha, repeated)) {
            expected.push(mean);
            official.push(t.alpha);
            places.push(place);
        }
    }
    Some(Repeated {
        rounds: expected.len(),
        expected_alpha: mean(&expected)?,
        official_alpha: mean(&official)?,
        official_place: mean(&places)?,
    })
}

/// Derives the seed of a resampling from what is resampled, so that no one can pick a lucky seed.
pub(super) fn random_for(what: &str, label: &str) -> Random {
    Random::of(Digest::of(what.as_bytes()), &format!("{METHOD} {label}"))
}
