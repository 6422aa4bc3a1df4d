//! The days of a set side by side, so that every pair of models is one pass over two columns.

use jiff::civil::Date;

use super::record::Taken;
use crate::evidence::inference::daily::Day;
use crate::values::sums::{CompensatedSum, real};

/// Daily figures of models that know the same days of every round.
#[derive(Debug)]
pub(super) struct Aligned {
    /// The days that any round has, in order.
    days: Vec<Date>,
    /// Rounds that know each of them.
    known: Vec<usize>,
    /// For each figure of a column, round by round, the place of its day.
    places: Vec<usize>,
    /// Figures by model.
    columns: Vec<Vec<f64>>,
}

impl Aligned {
    /// Lines the rounds of a set up; none where a model lacks a day that another one has.
    pub(super) fn new(taken: &[Vec<Taken<'_>>]) -> Option<Self> {
        let first = taken.first()?;
        if taken.iter().any(|other| other.len() != first.len()) {
            return None;
        }
        let mut dates = Vec::new();
        let mut columns = vec![Vec::new(); taken.len()];
        for round in 0..first.len() {
            let own = first[round].days;
            for (column, taken) in columns.iter_mut().zip(taken) {
                let other = taken[round].days;
                let same = match (own, other) {
                    (None, None) => true,
                    (Some(a), Some(b)) => a.iter().map(|d| d.0).eq(b.iter().map(|d| d.0)),
                    _ => false,
                };
                if !same {
                    return None;
                }
                column.extend(other.into_iter().flatten().map(|(_, value)| *value));
            }
            dates.extend(own.into_iter().flatten().map(|(day, _)| *day));
        }
        let mut days = dates.clone();
        days.sort_unstable();
        days.dedup();
        let mut known = vec![0; days.len()];
        let mut places = Vec::with_capacity(dates.len());
        for day in &dates {
            let place = days.binary_search(day).unwrap_or_default();
            known[place] += 1;
            places.push(place);
        }
        Some(Self {
            days,
            known,
            places,
            columns,
        })
    }

    /// The mean difference of two models over the rounds that know a day, by day.
    pub(super) fn gaps(&self, first: usize, second: usize) -> Vec<Day> {
        let mut sums = vec![CompensatedSum::default(); self.days.len()];
        let both = self.columns[first].iter().zip(&self.columns[second]);
        for (place, (a, b)) in self.places.iter().zip(both) {
            sums[*place].add(a - b);
        }
        let days = self.days.iter().zip(sums).zip(&self.known);
        days.map(|((day, sum), known)| Day {
            day: *day,
            mean: sum.get() / real(*known),
            known: *known,
        })
        .collect()
    }
}
