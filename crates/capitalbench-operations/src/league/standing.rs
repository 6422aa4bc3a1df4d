//! [`Standing`]: where the rounds of a league stand, by what lies on the disk.

use std::collections::BTreeMap;

use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_archive::round::{ending, freeze, jobs};
use capitalbench_archive::run::ledger::RunPlan;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::round::manifest::{Manifest, Track};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use jiff::civil::Date;

use super::pass::Work;
use crate::error::Error;
use crate::resolving::held_round::is_over;

/// All rounds in which something is left to do.
pub(super) struct Standing {
    /// The rounds that the league opened, in the order of their deadlines.
    pub(super) live: Vec<Live>,
    /// Jobs that are not over, also of rounds that somebody opened by hand.
    pub(super) jobs: Vec<ResolutionJob>,
    /// The last day for which each track has a round, whatever became of it.
    pub(super) last: BTreeMap<Track, Date>,
    pub(super) names: Vec<String>,
    /// How many steps the pass had made when it looked.
    pub(super) steps: usize,
}

/// A round that the league opened and that is not over.
pub(super) struct Live {
    pub(super) folder: RoundFolder,
    pub(super) manifest: Manifest,
    pub(super) name: String,
    pub(super) deadline: Timestamp,
    /// When everything about it begins.
    pub(super) opens: Timestamp,
    pub(super) state: State,
}

/// How far a round is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Draft,
    Frozen,
    /// Models were asked, and some slots may be open.
    Asking(RunId),
    /// Every slot has ended, and the run is not the record.
    Ended(RunId),
    Accepted(RunId),
}

impl Standing {
    pub(super) fn look(work: &mut Work<'_>) -> Result<Self, Error> {
        let mut found = Self {
            live: Vec::new(),
            jobs: Vec::new(),
            last: BTreeMap::new(),
            names: Vec::new(),
            steps: work.pass.steps.len(),
        };
        for folder in rounds(work)? {
            let name = folder.name();
            if let Some((track, day)) = decided(work, &name) {
                let last = found.last.entry(track).or_insert(day);
                *last = day.max(*last);
            }
            found.names.push(name.clone());
            if work.hints.is_over(&folder) {
                continue;
            }
            if let Err(error) = found.add(work, folder) {
                work.problem(Some(&name), error.to_string());
            }
        }
        found
            .live
            .sort_by(|a, b| (a.deadline, &a.name).cmp(&(b.deadline, &b.name)));
        Ok(found)
    }

    fn add(&mut self, work: &mut Work<'_>, folder: RoundFolder) -> Result<(), Error> {
        let name = folder.name();
        let is_ours = decided(work, &name).is_some();
        if let Some(tombstone) = ending::tombstone(&folder)? {
            if is_ours {
                // A pass that was killed may not have signed it or told of it.
                work.settle_end(&folder, tombstone)?;
            }
            work.hints.set_over(&folder);
            return Ok(());
        }
        let job = jobs::load(&folder)?;
        if let Some(job) = &job
            && is_over(job)
        {
            if is_ours && job.status == JobStatus::Succeeded {
                work.tell(
                    MessageKind::Resolved,
                    Some(&name),
                    format!("{name} has its result."),
                );
            }
            work.hints.set_over(&folder);
            return Ok(());
        }
        self.jobs.extend(job);
        if is_ours {
            self.live.extend(Live::of(work, folder)?);
        }
        Ok(())
    }
}

/// Rounds of the league's folder; none where there is none yet.
fn rounds(work: &Work<'_>) -> Result<Vec<RoundFolder>, Error> {
    let folder = work.league.rounds();
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| Error::new(format!("{}: {error}", folder.display())))?;
    let mut entries = entries.flatten();
    // What a killed command left half made is hidden.
    let is_round = |entry: std::fs::DirEntry| {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        !is_hidden && RoundFolder::is_round(&entry.path())
    };
    if !entries.any(is_round) {
        return Ok(Vec::new());
    }
    Ok(list_rounds(&folder)?)
}

/// Track and day of a round of the league, by its id.
fn decided(work: &Work<'_>, name: &str) -> Option<(Track, Date)> {
    let track = work.league.league.track_of(name)?;
    let (rest, _) = name.rsplit_once('-')?;
    let day = rest.get(rest.len().checked_sub(10)?..)?;
    Some((track, day.parse().ok()?))
}

impl Live {
    /// None for a round that does not tell when it is decided.
    fn of(work: &Work<'_>, folder: RoundFolder) -> Result<Option<Self>, Error> {
        let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
        let Some(deadline) = manifest.decision_deadline.as_ref().map(WrittenInstant::at) else {
            return Ok(None);
        };
        let before = work.league.league.opens_before_deadline;
        let opens = deadline.checked_sub(before).unwrap_or(Timestamp::MIN);
        let created = manifest.created_at.as_ref().map(WrittenInstant::at);
        let early = created.filter(|_| work.league.is_rehearsed());
        Ok(Some(Self {
            name: folder.name(),
            state: state(&folder)?,
            opens: early.map_or(opens, |early| early.min(opens)),
            folder,
            manifest,
            deadline,
        }))
    }

    /// The day on which it is decided.
    pub(super) fn day(&self) -> Date {
        let day = self.manifest.decision_date;
        day.unwrap_or_else(|| jiff::tz::TimeZone::UTC.to_datetime(self.deadline).date())
    }

    /// The run that is the record.
    pub(super) fn record(&self) -> Option<&RunId> {
        match &self.state {
            State::Accepted(run) => Some(run),
            _ => None,
        }
    }

    /// Looks again how far it is.
    pub(super) fn state_now(&self) -> Result<State, Error> {
        state(&self.folder)
    }
}

fn state(folder: &RoundFolder) -> Result<State, Error> {
    let mut open = None;
    for id in folder.run_ids()? {
        let own = folder.run(&id)?;
        let is_official = |plan: &RunPlan| plan.rules.kind == RunKind::Official;
        if !RunPlan::of_run(&own)?.as_ref().is_some_and(is_official) {
            continue;
        }
        if own.has(run::ACCEPTANCE) {
            return Ok(State::Accepted(id));
        }
        let has_ended = own.has(run::MANIFEST) && own.record()?.run.completed_at.is_some();
        open = Some(if has_ended {
            State::Ended(id)
        } else {
            State::Asking(id)
        });
    }
    if let Some(state) = open {
        return Ok(state);
    }
    Ok(match freeze::stored_digests(folder)? {
        Some(_) => State::Frozen,
        None => State::Draft,
    })
}
