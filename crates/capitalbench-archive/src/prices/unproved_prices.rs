//! Sheets without the record of a fetch, or out of files of the operator in a real round: who
//! accepted exactly these two, and why.

use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;
use serde_json::json;

use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::format::{prices::provenance, round::manifest, text::json, text::member};
use crate::round::round_folder::{RoundFolder, RoundInputs, optional};

/// The version of the file.
const VERSION: u64 = 1;

/// The members of the file; there are no others.
const MEMBERS: [&str; 5] = [
    "format_version",
    "entry_prices_sha256",
    "exit_prices_sha256",
    "reason",
    "accepted_at_utc",
];
/// The source that reads files of the operator.
const FILES: &str = "csv";

/// The operator's word about two sheets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnprovedAcceptance {
    /// Digests of the entry sheet and the exit sheet it speaks of.
    pub sheets: (Digest, Digest),
    /// Why they count.
    pub reason: String,
    /// When that was said.
    pub accepted_at: Stamp,
}

/// What is wrong with the sheets of a round: both are there, nothing proves them, nobody accepted
/// exactly these. Rounds of the earlier project are not held to it.
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

/// Whether a real round that froze where its prices come from has them out of files.
///
/// The digests of such answers are those of files that anybody can write.
pub fn is_from_files(folder: &RoundFolder) -> Result<bool, FileError> {
    let fetched = optional(folder.parse(layout::PROVENANCE, provenance::parse))?;
    if fetched.is_none_or(|fetched| fetched.source != FILES) {
        return Ok(false);
    }
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let real = manifest.stream != Stream::Synthetic;
    Ok(real && manifest.origins.price_source.is_some())
}

/// Whether the operator accepted the sheets that are there.
pub fn is_accepted(folder: &RoundFolder) -> Result<bool, FileError> {
    let accepted = acceptance(folder)?;
    let there = sheets(folder)?;
    Ok(accepted.is_some_and(|own| Some(own.sheets) == there))
}

/// The operator's word, where there is one.
pub fn acceptance(folder: &RoundFolder) -> Result<Option<UnprovedAcceptance>, FileError> {
    optional(folder.parse(layout::UNPROVED_ACCEPTANCE, parse))
}

/// The word about the sheets that are there; proved sheets, and those that were accepted before,
/// need none.
pub fn word(
    folder: &RoundFolder,
    reason: &str,
    now: Timestamp,
) -> Result<Option<UnprovedAcceptance>, FileError> {
    let proved = folder.file(layout::PROVENANCE).exists() && !is_from_files(folder)?;
    if proved || is_accepted(folder)? {
        return Ok(None);
    }
    let word = |sheets| UnprovedAcceptance {
        sheets,
        reason: reason.to_owned(),
        accepted_at: Stamp::of(now),
    };
    Ok(sheets(folder)?.map(word))
}

/// The file's text.
pub fn render(word: &UnprovedAcceptance) -> String {
    json::to_pretty(&json!({
        "format_version": VERSION,
        "entry_prices_sha256": word.sheets.0.to_hex(),
        "exit_prices_sha256": word.sheets.1.to_hex(),
        "reason": word.reason,
        "accepted_at_utc": word.accepted_at.text(),
    }))
}

/// Digests of both sheets; none when one is missing.
fn sheets(folder: &RoundFolder) -> Result<Option<(Digest, Digest)>, FileError> {
    let entry = folder.read_optional(layout::ENTRY_PRICES)?;
    let exit = folder.read_optional(layout::EXIT_PRICES)?;
    Ok(entry
        .zip(exit)
        .map(|(entry, exit)| (Digest::of(&entry), Digest::of(&exit))))
}

fn parse(bytes: &[u8]) -> Result<UnprovedAcceptance, Fault> {
    let value = json::parse(bytes)?;
    member::only(&value, &MEMBERS)?;
    member::version(&value, VERSION)?;
    Ok(UnprovedAcceptance {
        sheets: (
            member::digest(&value, "entry_prices_sha256")?,
            member::digest(&value, "exit_prices_sha256")?,
        ),
        reason: member::text(&value, "reason")?.to_owned(),
        accepted_at: member::stamp(&value, "accepted_at_utc")?,
    })
}
