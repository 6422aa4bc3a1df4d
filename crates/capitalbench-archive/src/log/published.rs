//! The log as a website publishes it: its public files, and the salts of the files that are shown.

use std::collections::BTreeMap;

use capitalbench_core::publication::visible::{self, Item};
use capitalbench_proof::event::Event;
use capitalbench_proof::tiles::Tile;
use jiff::Timestamp;
use serde_json::json;

use super::salts::render;
use super::{LogFolder, SignedCheckpoint, instant, read};
use crate::disk::error::FileError;
use crate::disk::file_ops::TEMPORARY_PREFIX;
use crate::disk::layout;
use crate::verify::walk;

/// The public part of the log's folder; nothing else is published.
const PLACES: [&str; 11] = [
    "agents/",
    "claims/",
    "entrants/",
    "entries/",
    "vkey",
    "checkpoint",
    "witnesses",
    "checkpoints/",
    "anchors/",
    "roots/",
    "tile/",
];

/// Where a site lists the rounds that are in its log.
pub const SIGNED: &str = "verify/signed.json";

pub fn signed_list(rounds: &[&str]) -> Vec<u8> {
    format!("{}\n", json!(rounds)).into_bytes()
}

/// Where a site lists the files of its log.
pub const LOG_LIST: &str = "verify/log.json";

/// The list of the log's files among the paths of a site. A reader needs it to find stamps and
/// checkpoints; a checkpoint that is left out is named by the next one.
pub fn log_list<'a>(paths: impl Iterator<Item = &'a String>) -> Vec<u8> {
    let below = format!("{}/", layout::LOG);
    let salts = format!("{}/", layout::LOG_SALTS);
    let own = |path: &&String| path.starts_with(&below) && !path.starts_with(&salts);
    let files: Vec<&String> = paths.filter(own).collect();
    format!("{}\n", json!({ "files": files })).into_bytes()
}

/// Where a site lists the leaves of a round.
pub fn places_file(round: &str) -> String {
    format!("rounds/{round}/log.json")
}
/// How often the files are read again while another process keeps appending.
const MOST_LOOKS: usize = 8;

/// Files by their path from the folder of rounds.
type Files = BTreeMap<String, Vec<u8>>;

impl LogFolder {
    /// The public files of the log, without salts, as of its checkpoint; none where nothing is
    /// signed.
    ///
    /// It takes no lock, because the folder may be read-only: when the checkpoint has changed
    /// meanwhile, it reads everything again.
    pub(crate) fn public_files(&self) -> Result<Option<(SignedCheckpoint, Files)>, FileError> {
        for _ in 0..MOST_LOOKS {
            let Some(state) = self.checkpoint()? else {
                return Ok(None);
            };
            let files = self.files_at(&state)?;
            if self.checkpoint()?.as_ref() == Some(&state) {
                return Ok(Some((state, files)));
            }
        }
        let text = "is being appended to without a pause; try again";
        Err(FileError::folder(&self.file(layout::LOG), text))
    }

    fn files_at(&self, state: &SignedCheckpoint) -> Result<Files, FileError> {
        let size = state.checkpoint.size;
        let folder = self.file(layout::LOG);
        let mut files = Files::new();
        for path in walk(&folder)? {
            // A partial tile may be removed meanwhile; then the full one is used.
            if is_public(&path, size)
                && let Some(bytes) = read(&folder.join(&path))?
            {
                files.insert(format!("{}/{path}", layout::LOG), bytes);
            }
        }
        let note = state.note.as_bytes();
        files.insert(layout::LOG_CHECKPOINT.to_owned(), note.to_vec());
        // A new checkpoint is copied there only after it became the present one.
        let kept = format!("{}/{size}", layout::LOG_CHECKPOINTS);
        files.entry(kept).or_insert_with(|| note.to_vec());
        Ok(files)
    }

    /// The files of the log below `log/`, `rounds/<round>/log.json` with the places of its leaves,
    /// and `verify/signed.json` with the rounds that have some.
    ///
    /// Empty where nothing is signed, or where the newest leaf is later than `as_of`: a log cannot be
    /// published in part.
    pub fn published<'a>(
        &self,
        as_of: Timestamp,
        rounds: impl Iterator<Item = &'a str>,
        shows: impl Fn(&str, &str) -> bool,
    ) -> Result<Files, FileError> {
        let Some((state, mut files)) = self.public_files()? else {
            return Ok(BTreeMap::new());
        };
        let size = state.checkpoint.size;
        let newest = self.leaf(size.saturating_sub(1), size)?;
        let newest = newest.and_then(|leaf| Event::parse(&leaf).ok());
        let newest = newest.and_then(|event| instant(&event));
        let newest = newest.map(|at| Item::Event { at });
        if !newest.is_some_and(|newest| visible::is_public(newest, None, as_of)) {
            return Ok(BTreeMap::new());
        }
        let mut signed = Vec::new();
        for round in rounds {
            let leaves = self.leaves_of_round(round)?.into_iter();
            let leaves: Vec<u64> = leaves
                .map(|(index, _)| index)
                .filter(|i| *i < size)
                .collect();
            if leaves.is_empty() {
                continue;
            }
            let list = format!("{}\n", json!({ "leaves": leaves }));
            files.insert(places_file(round), list.into_bytes());
            signed.push(round);
            let mut salts = self.salts(round)?.unwrap_or_default();
            salts.retain(|path, _| shows(round, path));
            let place = format!("{}/{round}.json", layout::LOG_SALTS);
            files.insert(place, render(&salts));
        }
        files.insert(SIGNED.to_owned(), signed_list(&signed));
        Ok(files)
    }
}

/// Whether a file of the log is public and belongs to a log of this size.
fn is_public(path: &str, size: u64) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let listed = |place: &str| match place.strip_suffix('/') {
        Some(_) => path.starts_with(place),
        None => path == place,
    };
    let (folder, rest) = path.split_once('/').unwrap_or((path, ""));
    let number = rest.split('/').next().and_then(|part| part.parse().ok());
    let is_later = match folder {
        "checkpoints" | "anchors" => number.is_some_and(|number: u64| number > size),
        "tile" => Tile::parse(path).is_some_and(|tile| {
            let present = Tile::at_size(tile.content, tile.index, size);
            present.is_none_or(|present| tile.width > present.width)
        }),
        _ => false,
    };
    PLACES.into_iter().any(listed) && !name.starts_with(TEMPORARY_PREFIX) && !is_later
}

#[cfg(test)]
mod tests;
