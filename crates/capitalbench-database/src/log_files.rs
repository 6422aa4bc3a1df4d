//! The published log in bundles, so that an append changes few of them.
//!
//! A full tile never changes and is a bundle of its own; kept checkpoints and time stamps come in
//! bundles of 256 sizes; the edge has what every append replaces. What the log tells of one round
//! (the places of its leaves, salts of its public files) belongs to that round and is withheld with it.

use std::collections::BTreeMap;

use capitalbench_core::values::ids::{Digest, RoundId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::delta::{LOG, round_part};
use crate::packing::{Files, Packed, PackingError, unpack_content};
use crate::round_files::FilesError;
use crate::stored::{ChangedRow, check_row};

/// Parts of the log begin like this.
pub(crate) const PARTS: &str = "log/";

/// The part that is written after the other ones of the log: before its checkpoint is there, nothing
/// of what is new is looked for.
pub(crate) const EDGE: &str = "log/edge";

/// Sizes whose checkpoints and stamps are in one bundle; as many as leaves in a tile.
const BLOCK: u64 = 256;

/// The file of a bundle that says which files are only the beginning of another one.
const CUTS: &str = "cuts.json";

/// Files of the log that travel together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFiles {
    part: String,
    round: Option<(RoundId, bool)>,
    packed: Packed,
}

/// A row of `log_files` without its content.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogRow {
    /// The part, which has one row.
    pub part: String,
    /// The round it tells of, if it is of one.
    pub round_id: Option<RoundId>,
    /// Digest of the archive before it was compressed.
    pub sha256: Digest,
    /// How many files it holds.
    pub file_count: u64,
    /// Bytes of its files.
    pub byte_count: u64,
    /// Whether it tells of a result.
    pub holds_results: bool,
    /// Digest of the content as it is stored.
    pub packed_sha256: Digest,
    /// Digest of the row.
    pub content_sha256: String,
}

/// The content of such a row.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogContent {
    /// The part.
    pub part: String,
    /// The archive, compressed, as text.
    pub content: String,
}

/// A file that is the beginning of another one.
#[derive(Debug, Deserialize)]
struct Cut {
    of: String,
    bytes: usize,
}

/// Where a file of the published log belongs; none for one that follows from the rest.
enum Place {
    Part(String),
    Round(RoundId),
    Nowhere,
}

fn place(path: &str) -> Place {
    let of_round = path
        .strip_prefix("rounds/")
        .and_then(|rest| rest.strip_suffix("/log.json"));
    let salts = path
        .strip_prefix("log/salts/")
        .and_then(|rest| rest.strip_suffix(".json"));
    if let Some(id) = of_round.or(salts).and_then(|id| RoundId::parse(id).ok()) {
        return Place::Round(id);
    }
    let Some(inside) = path.strip_prefix(PARTS) else {
        return Place::Nowhere;
    };
    if inside.starts_with("tile/") && !inside.contains(".p/") {
        return Place::Part(path.to_owned());
    }
    for kind in ["checkpoints", "anchors"] {
        let size = inside.strip_prefix(kind).and_then(|rest| {
            let size = rest.strip_prefix('/')?.split('/').next()?;
            size.parse::<u64>().ok()
        });
        if let Some(size) = size {
            return Place::Part(format!("{PARTS}{kind}/{}", size / BLOCK));
        }
    }
    Place::Part(EDGE.to_owned())
}

/// The bundles of a published log; of which rounds it tells results is asked.
///
/// Files by the paths that they have in the site. `verify/signed.json` is not among what is stored: it
/// lists the rounds of which something is.
pub fn bundles(
    files: Files,
    resolved: impl Fn(&RoundId) -> bool,
) -> Result<Vec<LogFiles>, FilesError> {
    let mut parts: BTreeMap<(String, Option<RoundId>), Files> = BTreeMap::new();
    for (path, bytes) in files {
        let key = match place(&path) {
            Place::Part(part) => (part, None),
            Place::Round(id) => (round_part(&id), Some(id)),
            Place::Nowhere => continue,
        };
        parts.entry(key).or_default().insert(path, bytes);
    }
    let bundle = |((part, round), files): ((String, Option<RoundId>), Files)| {
        let packed = Packed::of(&cut(files)).map_err(|error| fault(&part, error))?;
        let round = round.map(|id| {
            let results = resolved(&id);
            (id, results)
        });
        Ok(LogFiles {
            part,
            round,
            packed,
        })
    };
    parts.into_iter().map(bundle).collect()
}

fn fault(part: &str, error: PackingError) -> FilesError {
    FilesError(format!("the log in {part}"), error)
}

/// Every width of a partial tile stays until the tile is full, and each begins like the next: only the
/// longest one is kept whole.
fn cut(mut files: Files) -> Files {
    let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
    let mut longest: BTreeMap<String, String> = BTreeMap::new();
    for (path, bytes) in files.iter().filter(|(path, _)| path.contains(".p/")) {
        let known = longest.entry(folder(path).unwrap_or_default());
        let known = known.or_insert_with(|| path.clone());
        if bytes.len() > files[known.as_str()].len() {
            known.clone_from(path);
        }
    }
    let mut cuts = Map::new();
    for (path, bytes) in &files {
        let whole = folder(path).and_then(|folder| longest.get(&folder));
        let whole = whole.filter(|whole| *whole != path && files[*whole].starts_with(bytes));
        if let Some(whole) = whole {
            cuts.insert(path.clone(), json!({"of": whole, "bytes": bytes.len()}));
        }
    }
    if !cuts.is_empty() {
        files.retain(|path, _| !cuts.contains_key(path));
        let list = Value::Object(cuts).to_string();
        files.insert(CUTS.to_owned(), list.into_bytes());
    }
    files
}

/// What [`cut`] was given.
fn uncut(mut files: Files) -> Result<Files, PackingError> {
    let Some(list) = files.remove(CUTS) else {
        return Ok(files);
    };
    let broken = |reason: String| PackingError::Packing(format!("{CUTS}: {reason}"));
    let cuts: BTreeMap<String, Cut> =
        serde_json::from_slice(&list).map_err(|error| broken(error.to_string()))?;
    for (path, cut) in cuts {
        let begin = files.get(&cut.of).and_then(|whole| whole.get(..cut.bytes));
        let begin = begin.ok_or_else(|| broken(format!("{} is too short", cut.of)))?;
        let begin = begin.to_vec();
        files.insert(path, begin);
    }
    Ok(files)
}

impl LogFiles {
    /// The part it belongs to.
    pub fn part(&self) -> &str {
        &self.part
    }

    /// The archive as text.
    pub(crate) fn content(&self) -> String {
        self.packed.content()
    }

    /// What a row says of them and of their content; its digest is taken of this alone.
    pub(crate) fn row(&self, content: &str) -> Map<String, Value> {
        let round = self.round.as_ref();
        let row = json!({
            "round_id": round.map(|(id, _)| id.as_str()),
            "sha256": self.packed.sha256.to_hex(),
            "file_count": self.packed.file_count,
            "byte_count": self.packed.byte_count,
            "holds_results": round.is_some_and(|(_, results)| *results),
            "packed_sha256": Digest::of(content.as_bytes()).to_hex(),
            "content": null,
        });
        row.as_object().cloned().unwrap_or_default()
    }
}

impl LogRow {
    /// Whether it is what its digest says.
    pub fn check(&self) -> Result<(), ChangedRow> {
        let row = json!({
            "round_id": self.round_id.as_ref().map(RoundId::as_str),
            "sha256": self.sha256.to_hex(),
            "file_count": self.file_count,
            "byte_count": self.byte_count,
            "holds_results": self.holds_results,
            "packed_sha256": self.packed_sha256.to_hex(),
            "content": null,
        });
        let row = row.as_object().cloned().unwrap_or_default();
        let claim = (self.part.as_str(), self.content_sha256.as_str());
        check_row(LOG, claim, (&row, "the row of the log's files"))
    }

    /// The files of this row.
    pub fn unpack(&self, content: &LogContent) -> Result<Files, FilesError> {
        let files = unpack_content(&content.content, self.sha256).and_then(uncut);
        files.map_err(|error| fault(&self.part, error))
    }
}

#[cfg(test)]
mod tests;
