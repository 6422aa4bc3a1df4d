//! The published log in bundles, arranged so that an append changes few of them.
//!
//! A full tile never changes and is a bundle of its own. Stored checkpoints and time stamps come in
//! bundles of 256 sizes. The edge holds the files that every append replaces. The files about one round
//! (the indexes of its leaves, the salts of its public files) belong to that round's part, so they are
//! withheld with it.

use std::collections::BTreeMap;

use capitalbench_core::values::ids::{Digest, RoundId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::delta::{LOG, round_part};
use crate::packing::{Files, Packed, PackingError, unpack_content};
use crate::round_files::FilesError;
use crate::row_digest::members;
use crate::stored::{ChangedRow, check_row};

/// How the names of the log's parts begin.
pub(crate) const PARTS: &str = "log/";

/// The part that is written after all others of the log: readers look for new files only once its
/// checkpoint names them.
pub(crate) const EDGE: &str = "log/edge";

/// The number of sizes whose checkpoints and stamps share a bundle; a tile has as many leaves.
const BLOCK: u64 = 256;

/// The file of a bundle that lists the files which are only the start of another file.
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
    /// The part; each part has one row.
    pub part: String,
    /// The round that the files are about, if they are about one.
    pub round_id: Option<RoundId>,
    /// Digest of the archive before compression.
    pub sha256: Digest,
    pub file_count: u64,
    pub byte_count: u64,
    /// Whether the files reveal a result.
    pub holds_results: bool,
    /// Digest of the stored content.
    pub packed_sha256: Digest,
    pub content_sha256: String,
}

/// The content of a row of `log_files`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogContent {
    pub part: String,
    /// The compressed archive as text.
    pub content: String,
}

/// A file that is the start of another file.
#[derive(Debug, Deserialize)]
struct Cut {
    of: String,
    bytes: usize,
}

/// The part to which a file of the published log belongs.
enum Bundle {
    Part(String),
    Round(RoundId),
    /// The file follows from the others, so it is not stored.
    NotStored,
}

fn bundle_of(path: &str) -> Bundle {
    let of_round = path
        .strip_prefix("rounds/")
        .and_then(|rest| rest.strip_suffix("/log.json"));
    let salts = path
        .strip_prefix("log/salts/")
        .and_then(|rest| rest.strip_suffix(".json"));
    if let Some(id) = of_round.or(salts).and_then(|id| RoundId::parse(id).ok()) {
        return Bundle::Round(id);
    }
    let Some(inside) = path.strip_prefix(PARTS) else {
        return Bundle::NotStored;
    };
    if inside.starts_with("tile/") && !inside.contains(".p/") {
        return Bundle::Part(path.to_owned());
    }
    for kind in ["checkpoints", "anchors"] {
        let size = inside.strip_prefix(kind).and_then(|rest| {
            let size = rest.strip_prefix('/')?.split('/').next()?;
            size.parse::<u64>().ok()
        });
        if let Some(size) = size {
            return Bundle::Part(format!("{PARTS}{kind}/{}", size / BLOCK));
        }
    }
    Bundle::Part(EDGE.to_owned())
}

/// Packs the files of a published log, named by their paths in the site; `resolved` says whether a round
/// has results. `verify/signed.json` is left out, because it only lists the rounds of the other files.
pub fn bundles(
    files: Files,
    resolved: impl Fn(&RoundId) -> bool,
) -> Result<Vec<LogFiles>, FilesError> {
    let mut parts: BTreeMap<(String, Option<RoundId>), Files> = BTreeMap::new();
    for (path, bytes) in files {
        let key = match bundle_of(&path) {
            Bundle::Part(part) => (part, None),
            Bundle::Round(id) => (round_part(&id), Some(id)),
            Bundle::NotStored => continue,
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

/// Every width of a partial tile stays until the tile is full, and each is the start of the next, so only
/// the longest one is stored whole.
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

/// Undoes [`cut`].
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
    pub fn part(&self) -> &str {
        &self.part
    }

    pub(crate) fn content(&self) -> String {
        self.packed.content()
    }

    /// The row of these files; the digest is computed from these columns alone.
    pub(crate) fn row(&self, content: &str) -> Map<String, Value> {
        let round = self.round.as_ref();
        let row = LogRow {
            part: self.part.clone(),
            round_id: round.map(|(id, _)| id.clone()),
            sha256: self.packed.sha256,
            file_count: self.packed.file_count as u64,
            byte_count: self.packed.byte_count as u64,
            holds_results: round.is_some_and(|(_, results)| *results),
            packed_sha256: Digest::of(content.as_bytes()),
            content_sha256: String::new(),
        };
        row.content()
    }
}

impl LogRow {
    /// The columns from which the digest of the row is computed.
    fn content(&self) -> Map<String, Value> {
        members(json!({
            "round_id": self.round_id,
            "sha256": self.sha256,
            "file_count": self.file_count,
            "byte_count": self.byte_count,
            "holds_results": self.holds_results,
            "packed_sha256": self.packed_sha256,
            "content": null,
        }))
    }

    /// Refuses a row that does not match its digest.
    pub fn check(&self) -> Result<(), ChangedRow> {
        let what = "the row of the log's files";
        check_row(LOG, &self.part, &self.content_sha256, &self.content(), what)
    }

    /// Unpacks the content of this row.
    pub fn unpack(&self, content: &LogContent) -> Result<Files, FilesError> {
        let files = unpack_content(&content.content, self.sha256).and_then(uncut);
        files.map_err(|error| fault(&self.part, error))
    }
}

#[cfg(test)]
mod tests;
