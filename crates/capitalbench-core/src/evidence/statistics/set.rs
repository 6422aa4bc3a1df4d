//! A comparison set → who can be told apart from whom.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::aligned::Aligned;
use super::frame::{Frame, Frames};
use super::record::{
    Taken, alphas, enough, estimate, model, own_series, random_for, taken, values, windows,
};
use super::{Estimate, LEAST_DAYS, LEVEL, Pair, SetModel, SetStatistics, horizon_sessions};
use crate::evidence::inference::bootstrap::rank_ranges;
use crate::evidence::inference::daily::{ActiveDays, calendar_time, paired, path};
use crate::evidence::inference::sharpe::{deflated, moments};
use crate::evidence::inference::ties::{holm, tie_groups};
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::publication::boards::set_round::{ById, chosen};
use crate::values::sums::{real, variance};

pub(crate) fn of_set(
    set: &ComparisonSet,
    rounds: &ById<'_>,
    versions: f64,
    frames: &Frames,
) -> SetStatistics {
    let track = set.definition.track;
    let sessions = horizon_sessions(track);
    let chosen = chosen(rounds, &set.included);
    let taken: Vec<Vec<Taken<'_>>> = set
        .rows
        .iter()
        .map(|row| {
            let roster = &set.definition.model_ids;
            let place = roster.binary_search(&row.model_id).unwrap_or_default();
            taken(&chosen, (place, &row.model_id))
        })
        .collect();
    let windows = taken.first().map(|t| windows(t)).unwrap_or_default();
    let frame = frames.of(&windows);
    let overlap = &frame.overlap;
    let own: Vec<Option<ActiveDays>> = taken
        .iter()
        .map(|taken| own_series(taken, &frame))
        .collect();
    let aligned = Aligned::new(&taken);
    let between = |a: usize, b: usize| {
        let (first, second) = (&taken[a], &taken[b]);
        let gaps = match &aligned {
            Some(aligned) => aligned.gaps(a, b),
            None => gaps(first, second),
        };
        over(gaps, (first, second), &frame, sessions)
    };
    let columns = same_days(&own);
    let ranges = columns
        .as_ref()
        .and_then(|columns| rank_ranges(columns, &mut random_for(&set.definition.set_id, "ranks")));
    let pairs = pairs(set, between);
    // Pairs stand in order of rows, and groups ask for the better row first.
    let rows = set.rows.len();
    let p_value = |a: usize, b: usize| {
        let place = a * rows - a * (a + 1) / 2 + b - a - 1;
        let found = pairs.get(place).and_then(|pair| pair.difference);
        found.map_or(1.0, |found| found.p_apart())
    };
    let groups = tie_groups(rows, 1.0 - LEVEL, p_value);
    let models = taken
        .iter()
        .zip(&set.rows)
        .enumerate()
        .map(|(place, (taken, row))| SetModel {
            model: model(&row.model_id, taken, own[place].as_deref(), track, frames),
            rank: ranges.as_ref().map(|ranges| ranges[place]),
            group: groups[place],
            path: own[place].as_ref().and_then(|days| path(days, LEVEL)),
        });
    SetStatistics {
        effective_windows: overlap.effective(),
        informative: pairs.iter().any(|pair| pair.p_adjusted.is_some()),
        models: models.collect(),
        pairs,
        leader_deflated: columns.and_then(|columns| leader_deflated(&columns, versions)),
    }
}

/// The mean difference of two models over the same rounds; none with less than two windows.
pub(super) fn difference(
    first: &[Taken<'_>],
    second: &[Taken<'_>],
    frame: &Frame,
    sessions: f64,
) -> Option<Estimate> {
    over(gaps(first, second), (first, second), frame, sessions)
}

fn over(
    gaps: ActiveDays,
    (first, second): (&[Taken<'_>], &[Taken<'_>]),
    frame: &Frame,
    sessions: f64,
) -> Option<Estimate> {
    let (of_first, of_second) = (alphas(first), alphas(second));
    let rounds: Vec<f64> = of_first.iter().zip(of_second).map(|(a, b)| a - b).collect();
    let daily = enough(gaps, frame);
    estimate(daily.as_deref(), &rounds, &frame.overlap, sessions)
}

/// Daily differences round by round, so that both sides always hold the same rounds.
fn gaps(first: &[Taken<'_>], second: &[Taken<'_>]) -> ActiveDays {
    let rounds = first.iter().zip(second);
    let both = rounds.filter_map(|(a, b)| a.days.zip(b.days));
    calendar_time(both.flat_map(|(a, b)| paired(a, b)))
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
            });
        }
    }
    let mut tested: Vec<&mut Pair> = pairs
        .iter_mut()
        .filter(|pair| pair.difference.is_some_and(|found| found.informative()))
        .collect();
    let found = tested.iter().filter_map(|pair| pair.difference);
    let tests: Vec<f64> = found.map(|found| found.p_value).collect();
    for (pair, p) in tested.iter_mut().zip(holm(&tests)) {
        pair.p_adjusted = Some(p);
    }
    pairs
}

/// The series as columns over the days that all of them have; none when a series is missing or
/// too few days are shared.
fn same_days(series: &[Option<ActiveDays>]) -> Option<Vec<Vec<f64>>> {
    let all: Option<Vec<&ActiveDays>> = series.iter().map(Option::as_ref).collect();
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
