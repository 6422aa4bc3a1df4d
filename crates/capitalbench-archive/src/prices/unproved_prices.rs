//! Price sheets without the record of a fetch, or made from the operator's own files in a real round:
//! they count only if the operator accepted exactly these two, with a reason.

use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::stored::FormatVersion;
use crate::format::{prices::provenance, round::manifest, text::json};
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// The price source that reads the operator's own files.
const FILES: &str = "csv";

/// The operator's reason for scoring two sheets that no fetch proves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnprovedAcceptance {
    format_version: FormatVersion<1>,
    entry_prices_sha256: Digest,
    exit_prices_sha256: Digest,
    pub reason: String,
    #[serde(rename = "accepted_at_utc")]
    pub accepted_at: WrittenInstant,
}

impl UnprovedAcceptance {
    /// Digests of the entry and the exit sheet that are accepted; other sheets need another reason.
    pub fn sheets(&self) -> (Digest, Digest) {
        (self.entry_prices_sha256, self.exit_prices_sha256)
    }
}

/// The problem of sheets that nothing proves and that are not accepted. Rounds of the earlier project
/// are exempt.
pub fn problem(inputs: &RoundInputs) -> Result<Option<PriceProblem>, FileError> {
    let folder = &inputs.folder;
    let ours = inputs.manifest.methodology.enforcement() == Enforcement::Refuse;
    let problem = if !folder.file(layout::PROVENANCE).exists() {
        PriceProblem::NoRecord
    } else if is_from_files(folder)? {
        PriceProblem::FromFiles
    } else {
        return Ok(None);
    };
    let unproved = ours && sheets(folder)?.is_some() && !is_accepted(folder)?;
    Ok(unproved.then_some(problem))
}

/// Whether a real round that froze its price source has prices from the operator's own files.
///
/// Anybody can write such files, so their digests prove nothing.
pub fn is_from_files(folder: &RoundFolder) -> Result<bool, FileError> {
    let fetched = folder.parse_optional(layout::PROVENANCE, provenance::parse)?;
    if fetched.is_none_or(|fetched| fetched.source != FILES) {
        return Ok(false);
    }
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let real = manifest.stream != Stream::Synthetic;
    Ok(real && manifest.origins.price_source.is_some())
}

/// Whether the operator accepted the present sheets.
pub fn is_accepted(folder: &RoundFolder) -> Result<bool, FileError> {
    let accepted = acceptance(folder)?;
    let there = sheets(folder)?;
    Ok(accepted.is_some_and(|own| Some(own.sheets()) == there))
}

/// The operator's acceptance, where there is one.
pub fn acceptance(folder: &RoundFolder) -> Result<Option<UnprovedAcceptance>, FileError> {
    folder.parse_optional(layout::UNPROVED_ACCEPTANCE, json::read)
}

/// The acceptance that the present sheets need; none where they are proved or already accepted.
pub fn word(
    folder: &RoundFolder,
    reason: &str,
    now: Timestamp,
) -> Result<Option<UnprovedAcceptance>, FileError> {
    let proved = folder.file(layout::PROVENANCE).exists() && !is_from_files(folder)?;
    if proved || is_accepted(folder)? {
        return Ok(None);
    }
    let word = |(entry, exit)| UnprovedAcceptance {
        format_version: FormatVersion,
        entry_prices_sha256: entry,
        exit_prices_sha256: exit,
        reason: reason.to_owned(),
        accepted_at: WrittenInstant::of(now),
    };
    Ok(sheets(folder)?.map(word))
}

/// Digests of both sheets; none when one is missing.
fn sheets(folder: &RoundFolder) -> Result<Option<(Digest, Digest)>, FileError> {
    let entry = folder.read_optional(layout::ENTRY_PRICES)?;
    let exit = folder.read_optional(layout::EXIT_PRICES)?;
    Ok(entry
        .zip(exit)
        .map(|(entry, exit)| (Digest::of(&entry), Digest::of(&exit))))
}
