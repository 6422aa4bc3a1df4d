//! One model's rounds → what its record may claim.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::frame::{Frame, Frames};
use super::{
    Basis, Estimate, LEAST_DAYS, LEVEL, LeftOut, METHOD, ModelStatistics, RecordStatistics,
    Repeated, horizon_sessions,
};
use crate::evidence::inference::bootstrap::studentised_interval;
use crate::evidence::inference::daily::{DailyRecord, Day, by_day};
use crate::evidence::inference::excess::{Excess, LuckTest, luck_test};
use crate::evidence::inference::noise::{self, place_among};
use crate::evidence::inference::null::{DRAWS, NEAREST, Stouffer, stouffer};
use crate::evidence::inference::overlap::{NoInterval, Overlap, score_estimate};
use crate::evidence::inference::random::Random;
use crate::evidence::inference::reliability::{Stated, bins, brier};
use crate::evidence::inference::synthetic::{Synthetic, synthetic};
use crate::evidence::inference::ties::{EDGES, YEAR_DAYS, years_to_detect};
use crate::publication::boards::mean;
use crate::publication::boards::set_round::SetRound;
use crate::publication::facts::Percentiles;
use crate::publication::{NotStated, PublicRound};
use crate::round::manifest::{Track, Window};
use crate::values::ids::{Digest, ModelId, RoundId};
use crate::values::sums::{compensated_sum, real};
use crate::values::units::Return;

/// One decision with its result, as statistics need it.
pub(super) struct Taken<'a> {
    pub(super) window: Window,
    /// Return of the decision.
    pub(super) value: f64,
    pub(super) alpha: f64,
    percentiles: Option<Percentiles>,
    pub(super) days: Option<&'a [(Date, f64)]>,
    excess: Option<&'a Excess>,
    /// Daily returns of the reference.
    reference: &'a [(Date, f64)],
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
            excess: standing.excess,
            reference: result.reference_days,
            oracle: result.oracle,
            chance: result.chance,
        })
    };
    rounds.iter().filter_map(of).collect()
}

/// What only a whole record tells of a decision.
pub(super) struct Answer {
    stated: Result<Stated, NotStated>,
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
            stated: round.stated(standing),
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

/// The daily record of some rounds; none where it says too little about them.
///
/// One round is one decision, however many days it lasts, so two are needed; fewer days than
/// [`LEAST_DAYS`], or known days on less than half of the live sessions, are no record.
pub(super) fn daily(days: Vec<Day>, frame: &Frame) -> Option<DailyRecord> {
    let found = DailyRecord::new(days, &frame.live, frame.count);
    let days = found.gains.len();
    let enough = frame.count >= 2 && days >= LEAST_DAYS && 2 * days >= frame.live.len();
    enough.then_some(found)
}

/// The daily record of a model's own rounds, where it says enough.
pub(super) fn own_daily(taken: &[Taken<'_>], frame: &Frame) -> Option<DailyRecord> {
    let days = taken.iter().filter_map(|t| t.days).flatten().copied();
    daily(by_day(days), frame)
}

pub(super) fn values(series: &[(Date, f64)]) -> Vec<f64> {
    series.iter().map(|(_, value)| *value).collect()
}

/// The mean of these rounds; its error from days where their record is given, else from rounds.
pub(super) fn estimate(
    daily: Option<&DailyRecord>,
    rounds: &[f64],
    overlap: &Overlap,
) -> Option<Estimate> {
    let by_days = daily.and_then(|daily| {
        let estimate = daily.estimate(mean(rounds)?)?;
        Some(Estimate::new(&estimate, Basis::Days(daily.gains.len())))
    });
    by_days.or_else(|| overlap.mean(rounds).map(Estimate::from))
}

/// The figures that records and sets share; `daily` is the model's own over these rounds.
pub(super) fn model(
    model_id: &ModelId,
    taken: &[Taken<'_>],
    daily: Option<&DailyRecord>,
    track: Track,
    frames: &Frames,
) -> ModelStatistics {
    let frame = frames.of(&windows(taken));
    let overlap = &frame.overlap;
    let alpha = estimate(daily, &alphas(taken), overlap);
    let (luck, spread) = luck_of(taken, (|p| Some(p.all), DRAWS), frames).unzip();
    ModelStatistics {
        model_id: model_id.clone(),
        rounds: taken.len(),
        effective_windows: overlap.effective(),
        live_sessions: frame.live.len(),
        score: score(taken, overlap),
        chance_score: chance_score(taken),
        luck,
        luck_matched: luck_of(taken, (|p| p.matched, NEAREST), frames).map(|(own, _)| own),
        chance_spread: spread,
        luck_test: tested(taken, frames),
        detectable: alpha.and_then(|alpha| alpha.detectable(1)),
        years_to_detect: alpha.and_then(|alpha| years(&alpha, track, frame.live.len())),
        alpha,
    }
}

/// Years of such rounds until a yearly gap of each size is detected.
fn years(alpha: &Estimate, track: Track, live_sessions: usize) -> Option<[f64; 3]> {
    let share = horizon_sessions(track) / YEAR_DAYS;
    let known = alpha.informative();
    let needed = |edge: f64| years_to_detect(alpha.standard_error, live_sessions, edge * share);
    let [small, middle, large] = EDGES.map(|edge| needed(edge).filter(|_| known));
    Some([small?, middle?, large?])
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

/// Percentiles of the rounds that have one, combined over those rounds alone, with the spread that
/// chance gives their mean.
fn luck_of(
    taken: &[Taken<'_>],
    (of, draws): (fn(&Percentiles) -> Option<f64>, usize),
    frames: &Frames,
) -> Option<(Stouffer, f64)> {
    let known = |t: &Taken<'_>| Some((t.window, of(t.percentiles.as_ref()?)?));
    let (windows, percentiles): (Vec<Window>, Vec<f64>) = taken.iter().filter_map(known).unzip();
    let overlap = &frames.of(&windows).overlap;
    let found = stouffer(&percentiles, draws, overlap)?;
    Some((found, Stouffer::chance_spread(overlap.effective())))
}

/// The test of luck over the rounds that froze what it needs.
fn tested(taken: &[Taken<'_>], frames: &Frames) -> Option<LuckTest> {
    let known = taken.iter().filter_map(|t| Some((t.window, t.excess?)));
    let (windows, excesses): (Vec<Window>, Vec<&Excess>) = known.unzip();
    luck_test(&excesses, &frames.of(&windows).overlap)
}

pub(super) fn record(
    model_id: &ModelId,
    taken: &[Taken<'_>],
    answers: &[Answer],
    track: Track,
    frames: &Frames,
) -> RecordStatistics {
    let frame = frames.of(&windows(taken));
    let daily = own_daily(taken, &frame);
    let resampled = daily.as_ref().and_then(|daily| {
        let mut random = random_for(&format!("{} {model_id}", track.as_str()), "interval");
        let (low, high) = studentised_interval(&daily.added, &mut random)?;
        // Of the mean of a day; the mean of the rounds is moved by the same error.
        let day = crate::values::sums::mean(&daily.added);
        let all = (real(daily.added.len()) * real(daily.live_sessions)).sqrt();
        let centre = mean(&alphas(taken))?;
        Some((centre + (low - day) * all, centre + (high - day) * all))
    });
    let repeated: Vec<Vec<f64>> = answers.iter().map(|a| a.repeated.clone()).collect();
    let stated: Vec<Stated> = answers.iter().filter_map(|a| a.stated.ok()).collect();
    let left_out = |why: NotStated| {
        let own = answers.iter().filter(|a| a.stated.err() == Some(why));
        own.count()
    };
    let asked: Vec<Window> = stated.iter().map(|own| own.window).collect();
    RecordStatistics {
        model: model(model_id, taken, daily.as_ref(), track, frames),
        alpha_resampled: resampled,
        noise: noise::split(&repeated),
        repeated: asked_again(taken, answers),
        synthetic: daily.as_ref().and_then(|daily| synthetic_of(taken, daily)),
        asked_windows: frames.of(&asked).overlap.effective(),
        left_out: LeftOut {
            other_question: left_out(NotStated::OtherQuestion),
            level: left_out(NotStated::Level),
        },
        brier: brier(&stated, &frames.of(&asked).overlap).map(Estimate::from),
        reliability: bins(&stated),
    }
}

/// The figures of the synthetic portfolio on the days of a record.
fn synthetic_of(taken: &[Taken<'_>], daily: &DailyRecord) -> Option<Synthetic> {
    let reference = by_day(taken.iter().flat_map(|t| t.reference).copied());
    let reference: BTreeMap<Date, f64> = reference.iter().map(|own| (own.day, own.mean)).collect();
    let both = daily.gains.iter();
    let both = both.filter_map(|(day, gain)| Some((*gain, *reference.get(day)?)));
    let (gains, reference): (Vec<f64>, Vec<f64>) = both.unzip();
    synthetic(&gains, &reference)
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
