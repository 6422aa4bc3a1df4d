//! The order of the steps of one round, by the log and by outside clocks.

use capitalbench_core::round::manifest::{Manifest, Window};
use capitalbench_core::values::time::Stamp;
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::order::{History, Mark};
use jiff::Timestamp;

use super::{LogFolder, Trust};
use crate::disk::error::{Fault, FileError};
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
    let leaves = StampedLeaves::load(log, manifest.round_id.as_str(), trust)?;
    let events = leaves.leaves.iter().map(|leaf| (leaf.index, &leaf.event));
    let mut told = steps(events, manifest.window, |own| run == Some(own));
    for mark in marks(&mut told) {
        mark.before = leaves.earliest_stamp(mark.last)?;
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
        let Some(at) = instant(event) else {
            continue;
        };
        let mark = Mark {
            first: index,
            last: index,
            at,
            before: None,
        };
        match &event.fact {
            // Only the last freeze is about the inputs that were used.
            Fact::Freeze { .. } => told.freeze = Some(mark),
            Fact::AttemptBegin { place, .. } if of_record(&place.run) => {
                keep_first(&mut told.first_attempt, mark);
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
            Fact::Score { run, .. } if of_record(run) => keep_first(&mut told.score, mark),
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

pub(crate) fn instant(event: &Event) -> Option<Timestamp> {
    Stamp::parse(event.at.as_str()).map(|stamp| stamp.at())
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
    let leaves = StampedLeaves::load(log, manifest.round_id.as_str(), trust)?;
    let newest = leaves.newest_stamp(freeze.last)?;
    Ok(Some((freeze, newest)))
}

fn keep_first(place: &mut Option<Mark>, mark: Mark) {
    if place.is_none() {
        *place = Some(mark);
    }
}

struct Leaf {
    index: u64,
    bytes: Vec<u8>,
    event: Event,
}

/// The leaves of one round, in a log whose stamps a reader trusts.
struct StampedLeaves<'a> {
    log: &'a LogFolder,
    trust: &'a Trust,
    leaves: Vec<Leaf>,
}

impl<'a> StampedLeaves<'a> {
    fn load(log: &'a LogFolder, round: &str, trust: &'a Trust) -> Result<Self, FileError> {
        let place = log.rounds().join(layout::LOG);
        let mut leaves = Vec::new();
        for (index, bytes) in log.leaves_of_round(round)? {
            let named = |text: String| Fault::field(format!("leaf {index}"), text).in_file(&place);
            let event = Event::parse(&bytes).map_err(|error| named(error.to_string()))?;
            if instant(&event).is_none() {
                return Err(named("its instant is out of range".to_owned()));
            }
            leaves.push(Leaf {
                index,
                bytes,
                event,
            });
        }
        Ok(Self { log, trust, leaves })
    }

    /// When at the latest a leaf existed: the first checkpoint with a good stamp that holds it.
    fn earliest_stamp(&self, index: u64) -> Result<Option<Timestamp>, FileError> {
        for size in self.log.anchored_sizes()? {
            if let Some((earliest, _)) = self.stamps(index, size)? {
                return Ok(Some(earliest));
            }
        }
        Ok(None)
    }

    fn newest_stamp(&self, index: u64) -> Result<Option<Timestamp>, FileError> {
        for size in self.log.anchored_sizes()?.into_iter().rev() {
            if let Some((_, newest)) = self.stamps(index, size)? {
                return Ok(Some(newest));
            }
        }
        Ok(None)
    }

    /// The earliest and the newest good stamp of a checkpoint that holds this leaf.
    fn stamps(&self, index: u64, size: u64) -> Result<Option<(Timestamp, Timestamp)>, FileError> {
        if size <= index {
            return Ok(None);
        }
        let anchors = self.log.anchors(size, self.trust)?;
        let good = anchors.iter().filter_map(|own| own.stamp.as_ref().ok());
        let instants: Vec<Timestamp> = good.map(|stamp| stamp.before).collect();
        let ends = instants.iter().min().zip(instants.iter().max());
        match ends {
            Some((earliest, newest)) if self.is_in(index, size)? => Ok(Some((*earliest, *newest))),
            _ => Ok(None),
        }
    }

    fn is_in(&self, index: u64, size: u64) -> Result<bool, FileError> {
        let signed = self.log.kept(size)?;
        let leaf = self.leaves.iter().find(|leaf| leaf.index == index);
        let (Some(key), Some(leaf)) = (self.log.verifier()?, leaf) else {
            return Ok(false);
        };
        let proof = self.log.prove(index, &signed)?;
        Ok(proof.is_some_and(|proof| proof.verify(&leaf.bytes, &key, &[]).is_ok()))
    }
}
