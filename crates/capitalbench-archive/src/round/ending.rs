//! The end of a round without a record, and explanations of a round with one: new files, never edits.

use capitalbench_core::round::ending::{ExceptionNote, Tombstone};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, Hold};
use crate::disk::layout::{self, run};
use crate::format::text::json;
use crate::round::round_folder::{RoundFolder, entries_in};

/// Why the round ended without a record; none where it did not.
pub fn tombstone(folder: &RoundFolder) -> Result<Option<Tombstone>, FileError> {
    folder.parse_optional(layout::TOMBSTONE, |bytes| {
        let own: Tombstone = json::read(bytes)?;
        filled(&own.reason)?;
        Ok(own)
    })
}

/// Refuses to go on with a round that ended without a record.
pub fn require_open(folder: &RoundFolder) -> Result<(), FileError> {
    match tombstone(folder)? {
        None => Ok(()),
        Some(own) => Err(FileError::folder(folder.path(), own.sentence())),
    }
}

/// Writes the tombstone; refuses to overwrite one.
pub fn bury(folder: &RoundFolder, own: &Tombstone) -> Result<(), FileError> {
    let file = folder.file(layout::TOMBSTONE);
    Ok(file_ops::create_new(&file, json::render(own).as_bytes())?)
}

/// The operator's explanations in their order; refuses a gap and a strange file.
pub fn exceptions(folder: &RoundFolder) -> Result<Vec<ExceptionNote>, FileError> {
    let mut names: Vec<String> = entries_in(&folder.file(layout::EXCEPTIONS))?
        .into_iter()
        .map(|entry| entry.0)
        .filter(|name| !name.starts_with(file_ops::TEMPORARY_PREFIX))
        .collect();
    names.sort_unstable();
    let mut found = Vec::new();
    for (number, name) in (1..).zip(names) {
        let path = exception_path(number);
        if path != format!("{}/{name}", layout::EXCEPTIONS) {
            let text = format!("is not the next explanation, {path}; move it out of the folder");
            return Err(Fault::new(text).in_file(&folder.file(layout::EXCEPTIONS).join(name)));
        }
        found.push(folder.parse(&path, |bytes| {
            let own: ExceptionNote = json::read(bytes)?;
            filled(&own.reason)?;
            if own.number != number {
                return Err(Fault::field(
                    "number",
                    "does not match the name of the file",
                ));
            }
            Ok(own)
        })?);
    }
    Ok(found)
}

/// Writes one more explanation.
pub fn explain(folder: &RoundFolder, own: &ExceptionNote) -> Result<(), FileError> {
    file_ops::create_folder(&folder.file(layout::EXCEPTIONS))?;
    let file = folder.file(&exception_path(own.number));
    Ok(file_ops::create_new(&file, json::render(own).as_bytes())?)
}

/// The file of an explanation inside its round.
pub fn exception_path(number: u64) -> String {
    format!("{}/{number:03}.json", layout::EXCEPTIONS)
}

fn filled(reason: &str) -> Result<(), Fault> {
    if reason.trim().is_empty() {
        return Err(Fault::field(
            "reason",
            "is blank; restore the file that the program wrote",
        ));
    }
    Ok(())
}

/// The same where a run with a ledger has made the lock; other rounds need none.
pub(crate) fn hold_if_asked(folder: &RoundFolder) -> Result<Option<Hold>, FileError> {
    let lock = folder.file(layout::RUNS).join(run::LOCK);
    lock.exists().then(|| hold_decision(folder)).transpose()
}

/// Makes the end of a round, its acceptances and the beginnings of its runs follow each other.
pub fn hold_decision(folder: &RoundFolder) -> Result<Hold, FileError> {
    let runs = folder.file(layout::RUNS);
    file_ops::create_folder(&runs)?;
    Ok(file_ops::hold_in_turn(&runs.join(run::LOCK))?)
}
