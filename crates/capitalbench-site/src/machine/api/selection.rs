//! Finds the rows that a request asks for, and makes only the rounds that have them.

use std::ops::Range;

use capitalbench_core::publication::PublicRound;
use capitalbench_export::publication_v1::{object, value};
use capitalbench_export::table::{Cell, Filling, Row, Table};
use capitalbench_export::tables::ALL;
use serde_json::{Map, Value};

use super::Api;

/// The rows that one round adds to a table.
type RowsOf = for<'a> fn(&'a PublicRound) -> Vec<Row<'a>>;

/// Columns by index, with the text that each must equal.
type Wanted<'a> = [(usize, &'a str)];

impl Api {
    /// Keeps values without column names, which would take most of the memory.
    fn whole(&self, place: usize) -> &[Vec<Value>] {
        self.made[place].get_or_init(|| {
            let rows = ALL[place].rows(&self.publication).into_iter();
            rows.map(|row| row.into_iter().map(value).collect())
                .collect()
        })
    }

    fn counts(&self, place: usize, rows: RowsOf) -> &[usize] {
        self.counted[place].get_or_init(|| {
            let mut before = vec![0];
            for round in &self.publication.rounds {
                let all = before.last().copied().unwrap_or_default();
                before.push(all + rows(round).len());
            }
            before
        })
    }

    /// How many rows a table has.
    pub(super) fn count(&self, place: usize) -> usize {
        match ALL[place].filling {
            Filling::Whole(_) => self.whole(place).len(),
            Filling::ByRound(rows) => self.counts(place, rows).last().copied().unwrap_or_default(),
        }
    }

    /// The matching rows within a range, and the number of all matching rows.
    pub(super) fn select(
        &self,
        place: usize,
        wanted: &Wanted<'_>,
        range: Range<usize>,
    ) -> (Vec<Map<String, Value>>, usize) {
        let table = ALL[place];
        let rows = match table.filling {
            Filling::Whole(_) => {
                let fits = |row: &&Vec<Value>| {
                    let same = |(column, text): &(usize, &str)| text_is(row.get(*column), text);
                    wanted.iter().all(same)
                };
                let matching: Vec<&Vec<Value>> = self.whole(place).iter().filter(fits).collect();
                let named = |row: &&Vec<Value>| {
                    let names = table.columns.iter().map(|column| column.name.to_owned());
                    names.zip(row.iter().cloned()).collect()
                };
                let shown = within(&matching, &range).iter().map(named);
                return (shown.collect(), matching.len());
            }
            Filling::ByRound(rows) => rows,
        };
        if wanted.is_empty() {
            return self.stretch(place, rows, range);
        }
        let mut shown = Vec::new();
        let mut count = 0;
        for round in self.rounds_of(table, wanted) {
            for row in rows(round) {
                let same = |(column, text): &(usize, &str)| cell_is(&row[*column], text);
                if !wanted.iter().all(same) {
                    continue;
                }
                if range.contains(&count) {
                    shown.push(object(table, row));
                }
                count += 1;
            }
        }
        (shown, count)
    }

    /// The rounds that can have matching rows: all of them, or the one that the request names.
    fn rounds_of<'a>(
        &'a self,
        table: &Table,
        wanted: &'a Wanted<'_>,
    ) -> impl Iterator<Item = &'a PublicRound> {
        let column = table
            .columns
            .iter()
            .position(|column| column.name == "round_id");
        let named = wanted.iter().find(|(place, _)| Some(*place) == column);
        let named = named.map(|(_, id)| *id);
        let rounds = self.publication.rounds.iter();
        rounds.filter(move |round| named.is_none_or(|id| round.id().as_str() == id))
    }

    /// A range of all rows; rounds outside the range are not made.
    fn stretch(
        &self,
        place: usize,
        rows: RowsOf,
        range: Range<usize>,
    ) -> (Vec<Map<String, Value>>, usize) {
        let before = self.counts(place, rows);
        let all = before.last().copied().unwrap_or_default();
        let first = before.partition_point(|count| *count <= range.start);
        let first = first.saturating_sub(1);
        let mut shown = Vec::new();
        let rounds = self.publication.rounds.iter().zip(before).skip(first);
        for (round, count) in rounds.take_while(|(_, count)| **count < range.end) {
            let own = (*count..).zip(rows(round));
            let own = own.filter(|(number, _)| range.contains(number));
            shown.extend(own.map(|(_, row)| object(ALL[place], row)));
        }
        (shown, all)
    }
}

/// Compares a value, written as in the CSV, with a text; a missing value equals the empty text.
fn text_is(value: Option<&Value>, wanted: &str) -> bool {
    match value {
        Some(Value::String(text)) => text == wanted,
        None | Some(Value::Null) => wanted.is_empty(),
        Some(other) => {
            let text = other.to_string();
            text == wanted
        }
    }
}

/// The same for a cell, without making a JSON value of a text.
fn cell_is(cell: &Cell<'_>, wanted: &str) -> bool {
    match cell {
        Cell::Text(text) => text == wanted,
        other => text_is(Some(&value(other.clone())), wanted),
    }
}

/// The part of a list that lies in a range.
fn within<'a, T>(list: &'a [T], range: &Range<usize>) -> &'a [T] {
    let end = range.end.min(list.len());
    list.get(range.start..end).unwrap_or_default()
}
