//! Results and prices replace others only with a reason, and the replaced files are kept.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout::{self, run};
use crate::format::round::hashes::Digests;
use crate::format::text::json;
use crate::format::text::table::read_table;
use crate::results::scoring::{ScoredRun, ScoringError};
use crate::round::round_folder::{RoundFolder, next_number};
use crate::run::run_folder::RunFolder;

/// Files that scoring may write.
pub(crate) const RESULT_FILES: [&str; 7] = [
    run::RETURNS,
    run::ALLOCATIONS,
    run::LEADERBOARD,
    run::STABILITY,
    run::CONTROL_RESULTS,
    run::PRICE_WARNINGS,
    run::OUTCOMES,
];

/// Why results may be replaced.
#[derive(Debug, Clone)]
pub struct Correction {
    pub reason: String,
    pub at: WrittenInstant,
}

/// What storing a result did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// There was no result, or a part of it was missing.
    Written,
    /// The same bytes were there.
    Unchanged,
    /// It replaced another result, which is kept in this folder of the run; none where the files of
    /// the other result were missing.
    Corrected(Option<String>),
}

type Files = BTreeMap<&'static str, Vec<u8>>;

/// Writes the results of a run. Results that differ from those before need a correction, and so do
/// results whose files are missing although the log has them.
pub fn store_results(
    folder: &RunFolder,
    scored: &ScoredRun,
    signed: &Digests,
    correction: Option<&Correction>,
) -> Result<Stored, ScoringError> {
    let new = files_of(scored);
    let mut old = Files::new();
    for file in RESULT_FILES {
        old.extend(folder.read_optional(file)?.map(|bytes| (file, bytes)));
    }
    let differs = |file: &&'static str| old.get(file) != new.get(file);
    let gone = |file: &&'static str| signed.contains_key(*file) && !old.contains_key(file);
    let mut changed: Vec<_> = old.keys().copied().filter(differs).collect();
    changed.extend(RESULT_FILES.into_iter().filter(gone));
    let mut writes: Vec<_> = Vec::new();
    let mut became = Stored::Written;
    if changed.is_empty() {
        if new.keys().all(|file| old.contains_key(file)) {
            return Ok(Stored::Unchanged);
        }
    } else {
        let Some(correction) = correction else {
            return Err(ScoringError::WouldChange {
                run: folder.run_id().to_string(),
                files: changed.iter().map(|file| (*file).to_owned()).collect(),
            });
        };
        let place = (!old.is_empty()).then(|| next_place(folder)).transpose()?;
        for (file, bytes) in &old {
            let name = file.rsplit('/').next().unwrap_or(file);
            let folder = folder.file(place.as_deref().unwrap_or_default());
            writes.push((folder.join(name), bytes.clone()));
        }
        let mut lines = folder.read_optional(run::CORRECTIONS)?.unwrap_or_default();
        // The digests in the log count, should somebody have touched the files since.
        let mut before = digests(&old);
        before.extend(signed.clone());
        let line = CorrectionLine {
            prices: Some(json!({"old": prices(&old), "new": prices(&new)})),
            values: Some(changed_values(&old, &new)),
            ..CorrectionLine::new(correction, place.clone(), &before, &digests(&new))
        };
        lines.extend(line.text().into_bytes());
        writes.push((folder.file(run::CORRECTIONS), lines));
        became = Stored::Corrected(place);
    }
    let fresh = new.iter();
    writes.extend(fresh.map(|(file, bytes)| (folder.file(file), bytes.clone())));
    file_ops::replace_all(&writes).map_err(FileError::from)?;
    for file in old.keys().filter(|file| !new.contains_key(*file)) {
        file_ops::remove(&folder.file(file)).map_err(FileError::from)?;
    }
    Ok(became)
}

/// One line of `corrections.jsonl`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectionLine {
    #[serde(rename = "corrected_at_utc")]
    pub(crate) at: WrittenInstant,
    pub(crate) reason: String,
    /// Where the old files are kept; none where they are gone.
    #[serde(default)]
    kept_in: Option<String>,
    /// Digests of the files that changed.
    files: BTreeMap<String, Change>,
    // Only results have prices and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prices: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Vec<Value>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    #[serde(default)]
    old_sha256: Option<Digest>,
    #[serde(default)]
    new_sha256: Option<Digest>,
}

impl CorrectionLine {
    pub(crate) fn new(
        correction: &Correction,
        kept_in: Option<String>,
        old: &Digests,
        new: &Digests,
    ) -> Self {
        let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let change = |path: &String| {
            let change = Change {
                old_sha256: old.get(path).copied(),
                new_sha256: new.get(path).copied(),
            };
            (change.old_sha256 != change.new_sha256).then(|| (path.clone(), change))
        };
        Self {
            at: correction.at.clone(),
            reason: correction.reason.clone(),
            kept_in,
            files: paths.into_iter().filter_map(change).collect(),
            prices: None,
            values: None,
        }
    }

    /// The files that changed, as they were and as they became.
    pub(crate) fn digests(&self) -> (Digests, Digests) {
        let side = |of: fn(&Change) -> Option<Digest>| {
            let files = self.files.iter();
            let files = files.filter_map(|(path, change)| Some((path.clone(), of(change)?)));
            files.collect()
        };
        (side(|own| own.old_sha256), side(|own| own.new_sha256))
    }

    pub(crate) fn text(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{}\n", json::to_line(&value))
    }
}

/// Every correction of the results of a run, in order.
pub(crate) fn of_run(folder: &RunFolder) -> Result<Vec<CorrectionLine>, FileError> {
    let lines = folder.parse_optional(run::CORRECTIONS, parse_lines)?;
    Ok(lines.unwrap_or_default())
}

/// Every correction of the prices of a round, in order.
pub(crate) fn of_prices(round: &RoundFolder) -> Result<Vec<CorrectionLine>, FileError> {
    let lines = round.parse_optional(layout::PRICE_CORRECTIONS, parse_lines)?;
    Ok(lines.unwrap_or_default())
}

fn parse_lines(bytes: &[u8]) -> Result<Vec<CorrectionLine>, Fault> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let parsed = lines.map(|(number, line)| {
        let place = |fault: Fault| Fault::new(fault.problem.trim_start_matches("line 1, "));
        json::read(line).map_err(|fault| place(fault).on_line(number))
    });
    parsed.collect()
}

fn files_of(scored: &ScoredRun) -> Files {
    let tables = scored.tables.iter();
    let mut files: Files = tables
        .map(|(path, table)| (*path, table.render().into_bytes()))
        .collect();
    if let Some(text) = &scored.price_warnings {
        files.insert(run::PRICE_WARNINGS, text.clone().into_bytes());
    }
    files.insert(run::OUTCOMES, scored.outcomes_json.clone().into_bytes());
    files
}

fn next_place(folder: &RunFolder) -> Result<String, FileError> {
    let next = next_number(&folder.file(run::SUPERSEDED))?;
    Ok(format!("{}/{next}", run::SUPERSEDED))
}

fn digests(files: &Files) -> Digests {
    let digest = |(file, bytes): (&&'static str, &Vec<u8>)| ((*file).to_owned(), Digest::of(bytes));
    files.iter().map(digest).collect()
}

/// The digests of the sheets that results were made from, where `outcomes.json` names them.
fn prices(files: &Files) -> Value {
    let outcomes = files.get(run::OUTCOMES).and_then(|b| json::parse(b).ok());
    let prices = outcomes.as_ref().map(|outcomes| &outcomes["prices"]);
    prices.map_or(Value::Null, |prices| {
        json!({
            "entry_prices_sha256": prices["entry_prices_sha256"],
            "exit_prices_sha256": prices["exit_prices_sha256"],
        })
    })
}

/// Figures by model and replicate, in order.
type Figures = BTreeMap<(String, String), BTreeMap<&'static str, String>>;

const VALUES: [&str; 6] = [
    "selected_asset_return",
    "portfolio_return",
    "sp500_return",
    "alpha_vs_sp500",
    "regret_vs_best_option",
    "rank_among_options",
];

/// The figures of the leaderboard, or of the replicates; an unreadable table has none.
fn figures(files: &Files) -> Figures {
    let table = files.get(run::LEADERBOARD);
    let table = table.or_else(|| files.get(run::RETURNS));
    let mut figures = Figures::new();
    let Some(Ok(table)) = table.map(|bytes| read_table(bytes)) else {
        return figures;
    };
    let Some(model) = table.column("model_id") else {
        return figures;
    };
    for (place, row) in (1_usize..).zip(&table.rows) {
        let replicate = table.column("replicate_index");
        let replicate = replicate.map_or("1", |column| row.cells[column].as_ref());
        let key = (row.cells[model].to_string(), replicate.to_owned());
        let own = figures.entry(key).or_default();
        for name in VALUES {
            if let Some(column) = table.column(name) {
                own.insert(name, row.cells[column].to_string());
            }
        }
        if files.contains_key(run::LEADERBOARD) {
            own.insert("rank", place.to_string());
        }
    }
    figures
}

fn changed_values(old: &Files, new: &Files) -> Vec<Value> {
    let (before, after) = (figures(old), figures(new));
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let mut changes = Vec::new();
    for key in keys {
        for name in VALUES.into_iter().chain(["rank"]) {
            let value = |all: &Figures| all.get(key).and_then(|own| own.get(name).cloned());
            let (from, to) = (value(&before), value(&after));
            if from != to {
                changes.push(json!({
                    "model_id": key.0,
                    "replicate": key.1,
                    "figure": name,
                    "old": from,
                    "new": to,
                }));
            }
        }
    }
    changes
}
