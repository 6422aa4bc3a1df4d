//! Results and prices take the place of others only with a reason, and what they replace is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::Stamp;
use serde_json::{Map, Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout::{self, run};
use crate::format::text::json;
use crate::format::text::member::only;
use crate::format::text::table::read_table;
use crate::results::scoring::{ScoredRun, ScoringError};
use crate::round::round_folder::{RoundFolder, names_in};
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

/// The members of a line; there are no others.
const MEMBERS: [&str; 6] = [
    "corrected_at_utc",
    "reason",
    "kept_in",
    "files",
    "prices",
    "values",
];

/// Why results may be replaced.
#[derive(Debug, Clone)]
pub struct Correction {
    /// The operator's reason.
    pub reason: String,
    /// When it was given.
    pub at: Stamp,
}

/// What became of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// There was none, or a part was missing.
    Written,
    /// The same bytes were there.
    Unchanged,
    /// It took the place of another one, which is in this folder of the run; none where the files of
    /// the other one were gone.
    Corrected(Option<String>),
}

/// Digests of files by their path.
pub type Digests = BTreeMap<String, Digest>;

type Files = BTreeMap<&'static str, Vec<u8>>;

/// Writes the results of a run; other results than before need a correction, and so do results
/// whose files are gone although the log knows them.
pub fn store_results(
    folder: &RunFolder,
    scored: &ScoredRun,
    signed: &Digests,
    correction: Option<&Correction>,
) -> Result<Stored, ScoringError> {
    let new = files_of(scored);
    let mut old = Files::new();
    for file in RESULT_FILES {
        if let Some(bytes) = folder.read_optional(file)? {
            old.insert(file, bytes);
        }
    }
    let mut changed: Vec<&'static str> = old
        .iter()
        .filter(|(file, bytes)| new.get(*file) != Some(*bytes))
        .map(|(file, _)| *file)
        .collect();
    let gone = |file: &&'static str| signed.contains_key(*file) && !old.contains_key(file);
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
        let entry = Entry {
            correction,
            place: place.as_ref(),
            old: &old,
            new: &new,
            signed,
        };
        lines.extend(entry.line().into_bytes());
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

/// A correction as its line tells.
pub(crate) struct LoggedCorrection {
    pub(crate) at: Stamp,
    pub(crate) reason: String,
    /// The files that changed, as they were.
    pub(crate) old: BTreeMap<String, Digest>,
    /// The same files, as they became.
    pub(crate) new: BTreeMap<String, Digest>,
}

/// Every correction of the results of a run, in order.
pub(crate) fn of_run(folder: &RunFolder) -> Result<Vec<LoggedCorrection>, FileError> {
    let bytes = folder.read_optional(run::CORRECTIONS)?.unwrap_or_default();
    parse_lines(&bytes, &folder.file(run::CORRECTIONS))
}

/// Every correction of the prices of a round, in order.
pub(crate) fn of_prices(round: &RoundFolder) -> Result<Vec<LoggedCorrection>, FileError> {
    let file = layout::PRICE_CORRECTIONS;
    let bytes = round.read_optional(file)?.unwrap_or_default();
    parse_lines(&bytes, &round.file(file))
}

fn parse_lines(bytes: &[u8], file: &Path) -> Result<Vec<LoggedCorrection>, FileError> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = (1..).zip(lines).filter(|(_, line)| !line.is_empty());
    let parsed = lines.map(|(number, line)| {
        parse_line(line).map_err(|fault| fault.on_line(number).in_file(file))
    });
    parsed.collect()
}

fn parse_line(line: &[u8]) -> Result<LoggedCorrection, Fault> {
    let value = json::parse(line)?;
    only(&value, &MEMBERS)?;
    let text = |name: &str| {
        let missing = || Fault::field(name, "is missing or no text");
        value[name].as_str().ok_or_else(missing)
    };
    let at = Stamp::parse(text("corrected_at_utc")?);
    let files = value["files"].as_object();
    let files = files.ok_or_else(|| Fault::field("files", "is missing or no object"))?;
    let (mut old, mut new) = (BTreeMap::new(), BTreeMap::new());
    for (path, pair) in files {
        only(pair, &["old_sha256", "new_sha256"])?;
        for (name, side) in [("old_sha256", &mut old), ("new_sha256", &mut new)] {
            if !pair[name].is_null() {
                let wrong = || Fault::field(format!("files.{path}.{name}"), "is not a digest");
                let digest = pair[name].as_str().and_then(Digest::parse);
                side.insert(path.clone(), digest.ok_or_else(wrong)?);
            }
        }
    }
    Ok(LoggedCorrection {
        at: at.ok_or_else(|| Fault::field("corrected_at_utc", "is no instant"))?,
        reason: text("reason")?.to_owned(),
        old,
        new,
    })
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
    let names = names_in(&folder.file(run::SUPERSEDED))?;
    let last = names.iter().filter_map(|name| name.parse::<u32>().ok());
    let next = last.max().unwrap_or(0).saturating_add(1);
    Ok(format!("{}/{next:04}", run::SUPERSEDED))
}

/// What one correction of results is about.
struct Entry<'a> {
    correction: &'a Correction,
    /// Where the old files are kept; none where they are gone.
    place: Option<&'a String>,
    old: &'a Files,
    new: &'a Files,
    /// Digests of old files by the log.
    signed: &'a Digests,
}

impl Entry<'_> {
    fn line(&self) -> String {
        let (old, new) = (digests(self.old), digests(self.new));
        // What the log knows counts, should somebody have touched the files since.
        let was = |file: &str| self.signed.get(file).or_else(|| old.get(file));
        let pairs = RESULT_FILES.into_iter().filter_map(|file| {
            let (was, is) = (was(file), new.get(file));
            (was != is).then(|| (file, pair(was, is)))
        });
        let files: Map<String, Value> = pairs.map(|(file, pair)| (file.to_owned(), pair)).collect();
        let line = json::to_line(&json!({
            "corrected_at_utc": self.correction.at.text(),
            "reason": self.correction.reason,
            "kept_in": self.place,
            "files": files,
            "prices": {"old": prices(self.old), "new": prices(self.new)},
            "values": changed_values(self.old, self.new),
        }));
        format!("{line}\n")
    }
}

/// The line of a correction of prices.
pub(crate) fn price_line(
    correction: &Correction,
    place: Option<&str>,
    old: &Digests,
    new: &Digests,
) -> String {
    let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let changed = paths
        .into_iter()
        .filter(|path| old.get(*path) != new.get(*path));
    let files: Map<String, Value> = changed
        .map(|path| (path.clone(), pair(old.get(path), new.get(path))))
        .collect();
    let line = json::to_line(&json!({
        "corrected_at_utc": correction.at.text(),
        "reason": correction.reason,
        "kept_in": place,
        "files": files,
    }));
    format!("{line}\n")
}

fn digests(files: &Files) -> Digests {
    let digest = |(file, bytes): (&&'static str, &Vec<u8>)| ((*file).to_owned(), Digest::of(bytes));
    files.iter().map(digest).collect()
}

fn pair(old: Option<&Digest>, new: Option<&Digest>) -> Value {
    let hex = |digest: Option<&Digest>| digest.map(|digest| digest.to_hex());
    json!({"old_sha256": hex(old), "new_sha256": hex(new)})
}

/// The digests of the sheets that results were made from, where they say so.
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
    let mut keys: Vec<_> = before.keys().chain(after.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
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
