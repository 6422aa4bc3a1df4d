//! [`Part`]: rows that are synced together.

use std::collections::BTreeMap;

use capitalbench_core::publication::RoundState;
use capitalbench_core::values::ids::{Digest, RoundId};
use serde_json::{Map, Value, json};

use super::{DIGEST, FILES, LOG, PART};
use crate::log_files::LogFiles;
use crate::round_files::RoundFiles;
use crate::row_digest::{instant, members, row_digest};

/// What the name of a part adds to the size of a row, beside the name itself.
const PART_BYTES: usize = PART.len() + 6;

/// Rows that are synced together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    pub(super) tables: BTreeMap<&'static str, Vec<Value>>,
    /// The approximate size of the rows as JSON.
    bytes: usize,
    /// Packed files of the round; the sender decides where they go.
    pub(crate) files: Option<RoundFiles>,
}

impl Part {
    pub(super) fn put(&mut self, table: &'static str, mut row: Map<String, Value>) {
        for (name, value) in &mut row {
            storable(name, value);
        }
        let digest = row_digest(&row);
        row.insert(DIGEST.into(), digest.to_hex().into());
        let row = Value::Object(row);
        self.bytes += row.to_string().len();
        self.tables.entry(table).or_default().push(row);
    }

    /// Adds a bundle of the log; a separate digest in the row covers its content.
    pub(super) fn put_log(&mut self, files: &LogFiles) {
        let content = files.content();
        self.put(LOG, files.row(&content));
        let row = self.tables.get_mut(LOG).and_then(|rows| rows.last_mut());
        if let Some(row) = row {
            self.bytes += content.len();
            row["content"] = content.into();
        }
    }

    /// Adds a row of an exported table, with the columns that only the database has.
    pub(super) fn put_row(&mut self, table: &'static str, mut row: Map<String, Value>) {
        if table == "set_rows" {
            let id = [&row["model_id"], &row["entrant"]];
            let id = id.into_iter().find(|id| !id.is_null()).cloned();
            row.insert("entrant_id".into(), id.unwrap_or_default());
        }
        self.put(table, row);
    }

    pub(super) fn put_runs(&mut self, id: &RoundId, state: &RoundState) {
        let mut put = |run_id: &str, kind: &str, replicates: Option<u32>| {
            let row = json!({
                "round_id": id.as_str(), "run_id": run_id, "kind": kind, "replicates": replicates,
            });
            self.put("runs", members(row));
        };
        match state {
            RoundState::Draft | RoundState::Ended(_) => {}
            RoundState::Open(open) => put(open.run_id.as_str(), "official", None),
            RoundState::Resolved(resolved) => {
                put(resolved.run_id.as_str(), "official", None);
                for run in &resolved.repeated {
                    put(run.run_id.as_str(), "repeated", Some(run.replicates));
                }
            }
        }
    }

    /// The digest that the database computes for the same rows.
    pub fn digest(&self) -> String {
        let tables = self.tables.iter();
        let rows = tables.flat_map(|(table, rows)| rows.iter().map(move |row| (table, row)));
        let digest = |row: &Value| row[DIGEST].as_str().unwrap_or_default().to_owned();
        let mut lines: Vec<String> = rows
            .map(|(table, row)| format!("{table} {}", digest(row)))
            .collect();
        lines.sort();
        Digest::of(lines.join("\n").as_bytes()).to_hex()
    }

    /// The rows by table, each with the name of the part, and their approximate size. `place` is the column
    /// that says where the files of a round lie.
    pub(crate) fn into_tables(
        mut self,
        name: &str,
        place: Option<(&str, String)>,
    ) -> (BTreeMap<&'static str, Vec<Value>>, usize) {
        let mut bytes = self.bytes + self.rows() * (name.len() + PART_BYTES);
        let row = self.tables.get_mut(FILES).and_then(|rows| rows.first_mut());
        if let (Some((column, value)), Some(row)) = (place, row) {
            bytes += value.len();
            if column == "content" {
                row["packed_sha256"] = Digest::of(value.as_bytes()).to_hex().into();
            }
            row[column] = value.into();
        }
        for row in self.tables.values_mut().flatten() {
            row[PART] = name.into();
        }
        (self.tables, bytes)
    }

    pub fn rows(&self) -> usize {
        self.tables.values().map(Vec::len).sum()
    }
}

/// PostgreSQL cannot store NUL in text or instants finer than microseconds. Documents keep both exactly, and
/// rows show a replacement.
fn storable(name: &str, value: &mut Value) {
    if let Value::String(text) = value {
        if text.contains('\0') {
            *text = text.replace('\0', "\u{fffd}");
        }
        if let Some(instant) = instant(name, text) {
            let whole = jiff::Timestamp::from_microsecond(instant.as_microsecond());
            *text = whole.unwrap_or(instant).to_string();
        }
    }
}
