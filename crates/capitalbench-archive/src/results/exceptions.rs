//! Exceptions that the operator grants with a command: each holds for this command only, and is
//! stored together with the result.
//!
//! An exception that was stored first would stay behind if the command then failed, and let a later
//! command pass without one.

use std::path::PathBuf;

use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::prices::cross_check::{self, CrossCheckAcceptance};
use crate::format::stored::FormatVersion;
use crate::format::text::json;
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices::{self, UnprovedAcceptance};
use crate::round::round_folder::RoundFolder;

/// What a command may do once, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// Two price sources may disagree.
    pub cross_check: Option<CrossCheckAcceptance>,
    /// Price sheets may lack the record of a fetch.
    pub unproved: Option<UnprovedAcceptance>,
}

impl Exceptions {
    /// The exceptions that the present prices need, with the operator's reasons; writes nothing.
    pub fn of(
        folder: &RoundFolder,
        cross_check: Option<&str>,
        unproved: Option<&str>,
        now: Timestamp,
    ) -> Result<Self, FileError> {
        let cross_check = cross_check.map(|reason| apart(folder, reason, now));
        let unproved = unproved.map(|reason| unproved_prices::word(folder, reason, now));
        Ok(Self {
            cross_check: cross_check.transpose()?.flatten(),
            unproved: unproved.transpose()?.flatten(),
        })
    }

    /// Stores the exceptions after the result that they allowed. A process that dies in between leaves
    /// a result that `verify` refuses, and no exception that would allow another one.
    pub fn store(&self, folder: &RoundFolder) -> Result<(), FileError> {
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(word) = &self.cross_check {
            let text = cross_check::render_acceptance(word);
            files.push((folder.file(layout::CROSS_CHECK_ACCEPTANCE), text));
        }
        if let Some(word) = &self.unproved {
            let text = json::render(word);
            files.push((folder.file(layout::UNPROVED_ACCEPTANCE), text));
        }
        Ok(file_ops::replace_all(&files)?)
    }
}

/// The exception for a comparison that is beyond its tolerance and not accepted yet.
fn apart(
    folder: &RoundFolder,
    reason: &str,
    now: Timestamp,
) -> Result<Option<CrossCheckAcceptance>, FileError> {
    let Some(record) = PriceRecord::load(folder)? else {
        return Ok(None);
    };
    let (Some(_), Some((_, digest))) = (record.unaccepted_cross_check(), &record.cross_check)
    else {
        return Ok(None);
    };
    Ok(Some(CrossCheckAcceptance {
        format_version: FormatVersion,
        cross_check: *digest,
        reason: reason.to_owned(),
        accepted_at: WrittenInstant::of(now),
    }))
}
