//! What a frozen round demands of entries.

use std::path::Path;

use capitalbench_core::decision::entering::admission::RoundTerms;
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::values::ids::{Digest, RoundId};

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::round::manifest;
use crate::round::round_folder::RoundFolder;

/// The terms of a round; none while it is not frozen, or where it has no window.
pub fn round_terms(folder: &RoundFolder) -> Result<Option<RoundTerms>, FileError> {
    let Some(hashes) = folder.read_optional(layout::HASHES)? else {
        return Ok(None);
    };
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    Ok(Times::of(&manifest).map(|times| RoundTerms {
        round: manifest.round_id,
        inputs: Digest::of(&hashes),
        times,
    }))
}

/// The same for a round of a folder by its name; none where there is no such round.
pub(crate) fn terms_in(rounds: &Path, round: &RoundId) -> Result<Option<RoundTerms>, FileError> {
    let path = rounds.join(round.as_str());
    if !RoundFolder::is_round(&path) {
        return Ok(None);
    }
    round_terms(&RoundFolder::open(&path)?)
}
