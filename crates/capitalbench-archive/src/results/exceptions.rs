//! The operator's words that come with a command: what they allow is allowed to this command alone,
//! and they are stored with the result that came of it.
//!
//! A word that were stored first would stay behind when the command then failed, and a later one
//! without it would pass.

use std::path::PathBuf;

use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::prices::cross_check::{self, CrossCheckAcceptance};
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices::{self, UnprovedAcceptance};
use crate::round::round_folder::RoundFolder;

/// What a command may do this once, and why.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exceptions {
    /// Two sources may be apart.
    pub cross_check: Option<CrossCheckAcceptance>,
    /// Sheets may lack the record of a fetch.
    pub unproved: Option<UnprovedAcceptance>,
}

impl Exceptions {
    /// The words about the prices that are there; what needs none gets none. Nothing is written.
    pub fn of(
        folder: &RoundFolder,
        cross_check: Option<&str>,
        unproved: Option<&str>,
        now: Timestamp,
    ) -> Result<Self, FileError> {
        let cross_check = match cross_check {
            Some(reason) => apart(folder, reason, now)?,
            None => None,
        };
        let unproved = match unproved {
            Some(reason) => unproved_prices::word(folder, reason, now)?,
            None => None,
        };
        Ok(Self {
            cross_check,
            unproved,
        })
    }

    /// Stores the words, after the result that they allowed: a process that dies between the two
    /// leaves a result that `verify` refuses, and no word that allows another one.
    pub fn store(&self, folder: &RoundFolder) -> Result<(), FileError> {
        let mut files: Vec<(PathBuf, String)> = Vec::new();
        if let Some(word) = &self.cross_check {
            let text = cross_check::render_acceptance(word);
            files.push((folder.file(layout::CROSS_CHECK_ACCEPTANCE), text));
        }
        if let Some(word) = &self.unproved {
            let text = unproved_prices::render(word);
            files.push((folder.file(layout::UNPROVED_ACCEPTANCE), text));
        }
        Ok(file_ops::replace_all(&files)?)
    }
}

/// The word about a comparison that is beyond its tolerance and that nobody accepted yet.
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
        cross_check: *digest,
        reason: reason.to_owned(),
        accepted_at: Stamp::of(now),
    }))
}
