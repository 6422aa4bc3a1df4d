//! The candidate slate of a judgment round from its two frozen tables.

use std::collections::BTreeMap;

use capitalbench_core::decision::judgment::{ContextRow, Slate};
use capitalbench_core::round::manifest::Track;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::{column, optional_number, text::json, text::table};

/// Reads `universe_decision_context.csv`.
pub fn parse_context(bytes: &[u8]) -> Result<Vec<ContextRow>, Fault> {
    let table = table::read_table(bytes)?;
    let has = |track: Track| table.column(track.judgment_columns()[0]).is_some();
    let track = [Track::Weekly, Track::Monthly]
        .into_iter()
        .find(|track| has(*track))
        .ok_or_else(|| Fault::new("no active_return_5s or active_return_21s column").on_line(1))?;
    let id = column(&table, "option_id")?;
    let metrics = track.judgment_columns();
    let mut rows = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let metric = |name: &str| -> Result<Option<f64>, Fault> {
            let text = row.cells[column(&table, name)?].trim();
            optional_number(name, text, row.line)
        };
        rows.push(ContextRow {
            option_id: row.cells[id].trim().to_owned(),
            active: metric(metrics[0])?,
            prior: metric(metrics[1])?,
            volume: metric(metrics[2])?,
        });
    }
    Ok(rows)
}

/// Reads `universe_quality_evidence.json` and completes the slate.
pub fn parse_slate(context: &[ContextRow], quality: &[u8]) -> Result<Slate, Fault> {
    let value = json::parse(quality)?;
    let coverage = value.get("coverage").and_then(Value::as_f64);
    let coverage = coverage.ok_or_else(|| Fault::field("coverage", "must be a number"))?;
    let rows = value.get("rows").and_then(Value::as_array);
    let rows = rows.ok_or_else(|| Fault::field("rows", "must be a list"))?;
    let mut scores = BTreeMap::new();
    for row in rows {
        let id = row.get("option_id").and_then(Value::as_str);
        let score = row.get("quality_evidence_score").and_then(Value::as_f64);
        if let (Some(id), Some(score)) = (id, score) {
            scores.insert(id.to_owned(), score);
        }
    }
    Slate::new(context, &scores, coverage).map_err(Fault::new)
}
