//! A new round on disk: manifest, options, prompt, schema and an empty briefing.

use std::path::Path;

use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::{Manifest, Track};

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::{round::manifest, round::new_manifest};
use crate::round::reply_form::{ReplyForm, reply_form};
use crate::round::round_folder::RoundFolder;

/// What a new round is made of.
#[derive(Debug, Clone, Copy)]
pub struct NewRound<'a> {
    pub manifest: &'a Manifest,
    /// The prompt names the track.
    pub track: Track,
    /// One sentence for the manifest.
    pub description: &'a str,
    /// How the dates came about.
    pub notes: &'a str,
    /// The options, checked.
    pub universe: &'a Universe,
    /// The options, byte for byte.
    pub options_yaml: &'a str,
}

/// Creates the round's folder in one step; never changes an existing one.
pub fn create(rounds: &Path, round: &NewRound<'_>) -> Result<RoundFolder, FileError> {
    let folder = rounds.join(round.manifest.round_id.as_str());
    if folder.exists() {
        let text = "already exists, and a round is never overwritten; choose another --round-id";
        return Err(FileError::folder(&folder, text));
    }
    let rules = round.manifest;
    if let Some(ending) = foreign_ending(round) {
        let text = format!(
            "a round id that ends in {ending} does not fit the horizon {}; choose another \
             --round-id or --horizon",
            rules.horizon
        );
        return Err(FileError::folder(&folder, text));
    }
    let ReplyForm { prompt, schema } = reply_form(rules, round.track, round.universe);
    let text = new_manifest::render(rules, round.description, round.notes);
    // The text must read back as the manifest that was asked for.
    let again = manifest::parse(text.as_bytes());
    let again = again.map_err(|fault| fault.in_file(&folder.join(layout::MANIFEST)))?;
    if again != *rules {
        let text = "the manifest does not read back as it was written; please report this bug";
        return Err(FileError::folder(&folder, text));
    }
    let files: [(&str, &str); 6] = [
        (layout::MANIFEST, &text),
        (layout::OPTIONS, round.options_yaml),
        (layout::PROMPT, &prompt),
        (layout::BRIEFING, ""),
        (layout::SCHEMA, &schema),
        (layout::HASHES, "{}\n"),
    ];
    file_ops::create_folder(rounds)?;
    let files = files.map(|(path, text)| (path, text.as_bytes()));
    file_ops::create_folder_with(&folder, &files, &[layout::PRICES, layout::RUNS])?;
    RoundFolder::open(&folder)
}

/// The ending of an id that belongs to the other track.
fn foreign_ending(round: &NewRound<'_>) -> Option<&'static str> {
    let ending = match round.track {
        Track::Weekly => "-1M",
        Track::Monthly => "-1W",
    };
    let id = round.manifest.round_id.as_str();
    id.ends_with(ending).then_some(ending)
}
