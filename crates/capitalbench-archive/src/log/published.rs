//! The log as a website carries it: what is in it anyway, and salts of the files that are shown.

use std::collections::BTreeMap;

use capitalbench_core::time::Stamp;
use capitalbench_proof::event::Event;
use jiff::Timestamp;
use serde_json::json;

use super::LogFolder;
use super::salts::render;
use crate::error::FileError;
use crate::file_ops;
use crate::layout;
use crate::verify::walk;

/// What lies in the log's folder for everybody; anything else stays there.
const PLACES: [&str; 7] = [
    "vkey",
    "checkpoint",
    "witnesses",
    "checkpoints/",
    "anchors/",
    "roots/",
    "tile/",
];

impl LogFolder {
    /// The files of the log below `log/`, `rounds/<round>/log.json` with the places of its leaves,
    /// and `verify/signed.json` with the rounds that have some.
    ///
    /// Empty where nothing is signed, or where the newest leaf is younger than the instant of which
    /// the record is told: a log cannot be shown in part.
    pub fn published<'a>(
        &self,
        as_of: Timestamp,
        rounds: impl Iterator<Item = &'a str>,
        shows: impl Fn(&str, &str) -> bool,
    ) -> Result<BTreeMap<String, Vec<u8>>, FileError> {
        let mut files = BTreeMap::new();
        let Some(state) = self.checkpoint()? else {
            return Ok(files);
        };
        let size = state.checkpoint.size;
        let newest = self.leaf(size.saturating_sub(1), size)?;
        let newest = newest.and_then(|leaf| Event::parse(&leaf).ok());
        let newest = newest.and_then(|event| Stamp::parse(event.at.as_str()));
        if newest.is_none_or(|newest| newest.at() > as_of) {
            return Ok(files);
        }
        let folder = self.file(layout::LOG);
        for path in walk(&folder)? {
            let is_public = |place: &&str| match place.strip_suffix('/') {
                Some(_) => path.starts_with(*place),
                None => path == **place,
            };
            if PLACES.iter().any(is_public) {
                let bytes = file_ops::read(&folder.join(&path))?;
                files.insert(format!("{}/{path}", layout::LOG), bytes);
            }
        }
        // What was appended since is of the next site.
        files.insert(layout::LOG_CHECKPOINT.to_owned(), state.note.into_bytes());
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
            files.insert(format!("rounds/{round}/log.json"), list.into_bytes());
            signed.push(round);
            let mut salts = self.salts(round)?.unwrap_or_default();
            salts.retain(|path, _| shows(round, path));
            if !salts.is_empty() {
                let place = format!("{}/{round}.json", layout::LOG_SALTS);
                files.insert(place, render(&salts));
            }
        }
        let signed = format!("{}\n", json!(signed));
        files.insert("verify/signed.json".to_owned(), signed.into_bytes());
        Ok(files)
    }
}
