//! A comparison set → who can be told apart from whom.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::aligned::Aligned;
use super::frame::{Frame, Frames};
use super::record::{Taken, alphas, daily, estimate, model, own_daily, taken, values, windows};
use super::{Estimate, LEAST_DAYS, LEVEL, Pair, SetModel, SetStatistics, Tried};
use crate::evidence::inference::daily::{ActiveDays, DailyRecord, Day, by_day, paired, path};
use crate::evidence::inference::sharpe::{deflated, moments};
use crate::evidence::inference::shrinkage::{Shrinkage, shrinkage};
use crate::evidence::inference::ties::{holm, rank_ranges, tie_groups};
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::publication::boards::set_round::{ById, chosen};
use crate::values::ids::ModelId;
use crate::values::sums::{mean, real, variance};

pub(crate) fn of_set(
    set: &ComparisonSet,
    rounds: &ById<'_>,
    tried: &Tried,
    frames: &Frames,
) -> SetStatistics {
    let track = set.definition.track;
    let chosen = chosen(rounds, &set.included);
    let roster = &set.definition.model_ids;
    let of = |id: &ModelId| taken(&chosen, (roster.binary_search(id).unwrap_or_default(), id));
    let taken: Vec<Vec<Taken<'_>>> = set.rows.iter().map(|row| of(&row.model_id)).collect();
    let windows = taken.first().map(|t| windows(t)).unwrap_or_default();
    let frame = frames.of(&windows);
    let own: Vec<Option<DailyRecord>> = taken.iter().map(|t| own_daily(t, &frame)).collect();
    let aligned = Aligned::new(&taken);
    let between = |a: usize, b: usize| {
        let (first, second) = (&taken[a], &taken[b]);
        let gaps = match &aligned {
            Some(aligned) => aligned.gaps(a, b),
            None => gaps(first, second),
        };
        over(gaps, (first, second), &frame)
    };
    let pairs = pairs(set, between);
    let told = Told {
        rows: set.rows.len(),
        pairs: &pairs,
    };
    let groups = tie_groups(told.rows, |a, b| told.better(a, b) || told.better(b, a));
    let ranks = rank_ranges(told.rows, |a, b| told.better(a, b));
    let gaps: Vec<f64> = taken.iter().map(|t| mean(&alphas(t))).collect();
    let shrinkage = shrunken(&gaps, &pairs);
    let models = taken
        .iter()
        .zip(&set.rows)
        .enumerate()
        .map(|(place, (taken, row))| SetModel {
            model: model(&row.model_id, taken, own[place].as_ref(), track, frames),
            rank: ranks[place],
            group: groups[place],
            shrunken: shrinkage.map(|found| found.of(gaps[place])),
            path: own[place].as_ref().and_then(|own| path(&own.gains, LEVEL)),
        });
    let retired = tried.retired.get(&track).into_iter().flatten();
    SetStatistics {
        effective_windows: frame.overlap.effective(),
        informative: pairs.iter().any(|pair| pair.p_adjusted.is_some()),
        models: models.collect(),
        leader_deflated: same_days(&own).and_then(|own| leader_deflated(&own, tried.versions)),
        pairs,
        shrinkage,
        retired: retired
            .filter(|model| roster.binary_search(&model.model_id).is_err())
            .cloned()
            .collect(),
    }
}

/// What the pairs of a set tell, which stand in order of rows.
struct Told<'a> {
    rows: usize,
    pairs: &'a [Pair],
}

impl Told<'_> {
    /// Whether a row is above another one by more than chance explains.
    fn better(&self, row: usize, other: usize) -> bool {
        let (a, b) = (row.min(other), row.max(other));
        let place = (a * self.rows + b).checked_sub(a * (a + 1) / 2 + a + 1);
        let found = place.filter(|_| a != b);
        found
            .and_then(|place| self.pairs.get(place))
            .is_some_and(|pair| {
                let first_is_above = pair.difference.is_some_and(|found| found.value > 0.0);
                pair.apart() && first_is_above == (row == a)
            })
    }
}

/// What is left of the distances between models, where every pair has an error that tells something.
fn shrunken(gaps: &[f64], pairs: &[Pair]) -> Option<Shrinkage> {
    let error = |pair: &Pair| {
        let found = pair.difference.filter(Estimate::informative)?;
        Some(found.standard_error)
    };
    let errors: Option<Vec<f64>> = pairs.iter().map(error).collect();
    shrinkage(gaps, &errors?)
}

/// The mean difference of two models over the same rounds; none with less than two windows.
pub(super) fn difference(
    first: &[Taken<'_>],
    second: &[Taken<'_>],
    frame: &Frame,
) -> Option<Estimate> {
    over(gaps(first, second), (first, second), frame)
}

fn over(
    gaps: Vec<Day>,
    (first, second): (&[Taken<'_>], &[Taken<'_>]),
    frame: &Frame,
) -> Option<Estimate> {
    let (of_first, of_second) = (alphas(first), alphas(second));
    let rounds: Vec<f64> = of_first.iter().zip(of_second).map(|(a, b)| a - b).collect();
    estimate(daily(gaps, frame).as_ref(), &rounds, &frame.overlap)
}

/// Daily differences round by round, so that both sides always hold the same rounds.
fn gaps(first: &[Taken<'_>], second: &[Taken<'_>]) -> Vec<Day> {
    let rounds = first.iter().zip(second);
    let both = rounds.filter_map(|(a, b)| a.days.zip(b.days));
    by_day(both.flat_map(|(a, b)| paired(a, b)))
}

fn pairs(set: &ComparisonSet, difference: impl Fn(usize, usize) -> Option<Estimate>) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (place, first) in set.rows.iter().enumerate() {
        for (other, second) in set.rows.iter().enumerate().skip(place + 1) {
            pairs.push(Pair {
                first: first.model_id.clone(),
                second: second.model_id.clone(),
                difference: difference(place, other),
                p_adjusted: None,
                detectable: None,
            });
        }
    }
    let all = pairs.iter_mut();
    let tests = correct(all.map(|pair| (pair.difference, &mut pair.p_adjusted)));
    for pair in &mut pairs {
        pair.detectable = pair.difference.and_then(|found| found.detectable(tests));
    }
    pairs
}

/// Corrects the differences that can be tested after Holm; how many they are.
pub(super) fn correct<'a>(
    differences: impl Iterator<Item = (Option<Estimate>, &'a mut Option<f64>)>,
) -> usize {
    let known = |(found, adjusted): (Option<Estimate>, &'a mut Option<f64>)| {
        Some((found.filter(Estimate::informative)?.p_value, adjusted))
    };
    let (tests, adjusted): (Vec<f64>, Vec<&mut Option<f64>>) =
        differences.filter_map(known).unzip();
    for (adjusted, p) in adjusted.into_iter().zip(holm(&tests)) {
        *adjusted = Some(p);
    }
    tests.len()
}

/// The series as columns over the days that all of them have; none when a series is missing or
/// too few days are shared.
fn same_days(records: &[Option<DailyRecord>]) -> Option<Vec<Vec<f64>>> {
    let series = records.iter().map(|own| own.as_ref().map(|own| &own.gains));
    let all: Option<Vec<&ActiveDays>> = series.collect();
    let all = all?;
    let mut shared: BTreeSet<Date> = all.first()?.iter().map(|(day, _)| *day).collect();
    for other in &all {
        let days: BTreeSet<Date> = other.iter().map(|(day, _)| *day).collect();
        shared.retain(|day| days.contains(day));
    }
    let column = |series: &ActiveDays| {
        let mut kept = series.clone();
        kept.retain(|(day, _)| shared.contains(day));
        values(&kept)
    };
    (shared.len() >= LEAST_DAYS).then(|| all.iter().map(|series| column(series)).collect())
}

/// What the leader's daily record is worth among all models, tracks and versions that were tried.
fn leader_deflated(columns: &[Vec<f64>], versions: f64) -> Option<f64> {
    let leader = moments(columns.first()?)?;
    let all = columns.iter().filter_map(|column| moments(column));
    let sharpes: Vec<f64> = all.map(|moments| moments.sharpe).collect();
    let tries = real(sharpes.len()) * TRACKS * versions;
    deflated(&leader, variance(&sharpes).unwrap_or(0.0), tries)
}

/// Weekly and monthly.
const TRACKS: f64 = 2.0;
