//! The end of a round without a record, and explanations of one with a record, as events.

use capitalbench_proof::event::{Event, Fact};

use super::events::RoundFiles;
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::round::ending::{exception_path, exceptions, tombstone};
use crate::round::round_folder::RoundFolder;

pub(super) fn ending_events(
    files: &RoundFiles<'_>,
    round: &RoundFolder,
) -> Result<Vec<Event>, FileError> {
    let mut events = Vec::new();
    if let Some(own) = tombstone(round)? {
        let fact = Fact::Ended {
            ending: own.ending.as_str().to_owned(),
            reason: own.reason,
            record: files.seal_file(layout::TOMBSTONE, &round.read(layout::TOMBSTONE)?),
        };
        events.push(files.event(own.ended_at.at(), fact)?);
    }
    for own in exceptions(round)? {
        let path = exception_path(own.number);
        let fact = Fact::Explained {
            number: own.number,
            record: files.seal_file(&path, &round.read(&path)?),
            reason: own.reason,
        };
        events.push(files.event(own.noted_at.at(), fact)?);
    }
    Ok(events)
}
