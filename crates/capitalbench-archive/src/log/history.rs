//! The order of the steps of one round, by the log and by outside clocks.

use capitalbench_core::round::manifest::{Manifest, Window};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::order::{History, Mark};
use jiff::Timestamp;

use super::{LogFolder, Trust};
use crate::disk::error::FileError;
use crate::disk::layout;

/// The history of a round whose record is this run; without a run, what happened before.
///
/// A stamp counts if it holds by the roots of `trust` and its checkpoint contains the leaf.
pub fn history(
    log: &LogFolder,
    manifest: &Manifest,
    run: Option<&str>,
    trust: &Trust,
) -> Result<History, FileError> {
    let events = log.events_of_round(manifest.round_id.as_str())?;
    if let Some((index, _)) = events.iter().find(|(_, event)| instant(event).is_none()) {
        let text = format!("leaf {index}: its instant is out of range");
        return Err(FileError::folder(&log.file(layout::LOG), text));
    }
    let told = events.iter().map(|(index, event)| (*index, event));
    let mut told = steps(told, manifest.window, |own| run == Some(own));
    for mark in marks(&mut told) {
        let sizes = log.anchored_sizes()?.into_iter();
        let stamps = log.first_stamps(mark.last, sizes, trust)?;
        mark.before = stamps.map(|(earliest, _)| earliest);
    }
    Ok(told)
}

/// Which events are the steps of a round, without stamps; `of_record` knows the run that counts.
pub(crate) fn steps<'a>(
    events: impl Iterator<Item = (u64, &'a Event)>,
    window: Option<Window>,
    of_record: impl Fn(&str) -> bool,
) -> History {
    let mut told = History {
        entry: window.and_then(Window::entry_close),
        exit: window.and_then(Window::exit_close),
        ..History::default()
    };
    for (index, event) in events {
        let Some(mark) = mark_of(index, event) else {
            continue;
        };
        match &event.fact {
            // Only the last freeze is about the inputs that were used.
            Fact::Freeze { .. } => told.freeze = Some(mark),
            Fact::AttemptBegin { place, .. } if of_record(&place.run) => {
                told.first_attempt.get_or_insert(mark);
            }
            Fact::AttemptEnd { place, .. } if of_record(&place.run) => {
                // Answers come in any order; the latest instant counts.
                let at = told
                    .last_attempt
                    .map_or(mark.at, |last| last.at.max(mark.at));
                told.last_attempt = Some(Mark { at, ..mark });
            }
            Fact::Accepted { run, .. } | Fact::Pick { run, .. } if of_record(run) => {
                let first = told.picks.map_or(mark.first, |picks| picks.first);
                told.picks = Some(Mark { first, ..mark });
            }
            Fact::Score { run, .. } if of_record(run) => {
                told.score.get_or_insert(mark);
            }
            _ => {}
        }
    }
    told
}

/// The steps that happened.
pub(crate) fn marks(told: &mut History) -> impl Iterator<Item = &mut Mark> {
    [
        &mut told.freeze,
        &mut told.first_attempt,
        &mut told.last_attempt,
        &mut told.picks,
        &mut told.score,
    ]
    .into_iter()
    .flatten()
}

/// A step that this event alone records, without a stamp; none where its instant is out of range.
pub(crate) fn mark_of(index: u64, event: &Event) -> Option<Mark> {
    Some(Mark {
        first: index,
        last: index,
        at: instant(event)?,
        before: None,
    })
}

pub(crate) fn instant(event: &Event) -> Option<Timestamp> {
    WrittenInstant::parse(event.at.as_str()).map(|stamp| stamp.at())
}

/// The freeze of a round and the newest stamp that covers it.
///
/// The earliest stamp shows how old the freeze is; the newest, that the log is still being stamped.
pub fn stamped_freeze(
    log: &LogFolder,
    manifest: &Manifest,
    trust: &Trust,
) -> Result<Option<(Mark, Option<Timestamp>)>, FileError> {
    let Some(freeze) = history(log, manifest, None, trust)?.freeze else {
        return Ok(None);
    };
    let sizes = log.anchored_sizes()?.into_iter().rev();
    let stamps = log.first_stamps(freeze.last, sizes, trust)?;
    Ok(Some((freeze, stamps.map(|(_, newest)| newest))))
}

/// The earliest and the newest good stamp of a checkpoint.
type Stamps = (Timestamp, Timestamp);

impl LogFolder {
    /// The stamps of the first of these sizes with a good stamp of a checkpoint that holds this leaf.
    fn first_stamps(
        &self,
        index: u64,
        sizes: impl Iterator<Item = u64>,
        trust: &Trust,
    ) -> Result<Option<Stamps>, FileError> {
        let mut found = sizes
            .filter(|size| *size > index)
            .filter_map(|size| self.stamps(index, size, trust).transpose());
        found.next().transpose()
    }

    fn stamps(&self, index: u64, size: u64, trust: &Trust) -> Result<Option<Stamps>, FileError> {
        let anchors = self.anchors(size, trust)?;
        let good = anchors.iter().filter_map(|own| own.stamp.as_ref().ok());
        let instants: Vec<Timestamp> = good.map(|stamp| stamp.before).collect();
        match instants.iter().min().zip(instants.iter().max()) {
            Some((earliest, newest)) if self.is_in(index, size)? => Ok(Some((*earliest, *newest))),
            _ => Ok(None),
        }
    }

    fn is_in(&self, index: u64, size: u64) -> Result<bool, FileError> {
        let signed = self.kept(size)?;
        let leaf = self.leaf(index, self.size()?.max(size))?;
        let (Some(key), Some(leaf)) = (self.verifier()?, leaf) else {
            return Ok(false);
        };
        let proof = self.prove(index, &signed)?;
        Ok(proof.is_some_and(|proof| proof.verify(&leaf, &key, &[]).is_ok()))
    }
}
