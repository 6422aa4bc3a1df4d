//! Makes a run the record of its round, or gives every reason why not.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::round::{ending, jobs};
use capitalbench_archive::run::acceptance::{accept, facts};
use capitalbench_archive::verify::derivation;
use capitalbench_core::asking::acceptance::{Acceptance, Choice, Refusal, refusals, remarks};
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;

use crate::asking::closing::{close_run, has_ended, is_over};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::given_instant::{note_given_instant, refuse_given_instant};
use crate::proof::promise::{Objection, Promise};
use crate::proof::record::{Recorded, record};
use crate::proof::stamped_picks::{StampedPicks, stamp_picks};
use crate::resolving::held_round::take;
use crate::resolving::shared_jobs;

/// What an operator wants accepted.
#[derive(Debug)]
pub struct AcceptRequest {
    pub round: RoundFolder,
    pub run_id: RunId,
    pub choice: Choice,
    pub reason: Option<String>,
    pub scheduling: Scheduling,
}

/// Whether a job resolves the round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduling {
    /// Once the rows of the exit day are final.
    WhenDue,
    /// Not before this instant.
    At(Timestamp),
    NoJob,
}

/// Whether the run is the record.
#[derive(Debug)]
pub enum Accepting {
    Refused {
        refusals: Vec<Refusal>,
        objections: Vec<Objection>,
    },
    /// It was accepted earlier; the stamps of an anchored round were looked at again.
    Before {
        acceptance: Box<Acceptance>,
        recorded: Recorded,
        stamped: Option<StampedPicks>,
    },
    Accepted(Box<Accepted>),
}

#[derive(Debug)]
pub struct Accepted {
    pub acceptance: Acceptance,
    pub remarks: Vec<Refusal>,
    /// When the round can be resolved, where that is known.
    pub due: Option<Timestamp>,
    pub is_scheduled: bool,
    pub recorded: Recorded,
    pub stamped: Option<StampedPicks>,
    /// Whether the job is in the database too; false where none is configured.
    pub registered: Result<bool, Error>,
}

/// Every reason why a run may not become the record now; empty where it may.
pub fn refusals_now(
    operator: &Operator,
    round: &RoundFolder,
    run_id: &RunId,
) -> Result<Vec<Refusal>, Error> {
    let inputs = RoundInputs::load(round.clone(), &Universes::default())?;
    let run = round.run(run_id)?;
    let facts = facts(&inputs, &run, Choice::First, operator.now())?;
    Ok(refusals(&facts))
}

/// Accepts a run, schedules its resolution, signs both and has the picks stamped.
pub fn accept_run(operator: &Operator, request: &AcceptRequest) -> Result<Accepting, Error> {
    let now = operator.now();
    let (folder, run_id) = (&request.round, &request.run_id);
    ending::require_open(folder)?;
    if request.choice == Choice::Supersede && request.reason.is_none() {
        let text = "--supersede replaces the record, and readers must know why";
        return Err(Error::new(text).hint("add --reason TEXT"));
    }
    refuse_given_instant(operator, folder, "accept-run")?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let run = folder.run(run_id)?;
    if inputs.manifest.record_rules().enough.is_some()
        && is_over(&inputs.manifest, now)
        && !has_ended(folder, run_id)?
    {
        note_given_instant(operator, folder, "accept-run")?;
        close_run(operator, folder, run_id)?;
    }
    let facts = facts(&inputs, &run, request.choice, now)?;
    let refusals = refusals(&facts);
    if refusals == [Refusal::AcceptedBefore]
        && let Some(acceptance) = run.record()?.run.acceptance
    {
        // An acceptance that was killed may not be in the log yet.
        let recorded = record(operator, folder, operator.clock.now())?;
        let stamped = stamp_picks(operator, &inputs, run_id)?;
        return Ok(Accepting::Before {
            acceptance: Box::new(acceptance),
            recorded,
            stamped,
        });
    }
    let promise = Promise::of(folder, &inputs.manifest);
    let objections = promise.objections_to_accepting(operator, run_id.as_str())?;
    if !refusals.is_empty() || !objections.is_empty() {
        return Ok(Accepting::Refused {
            refusals,
            objections,
        });
    }
    note_given_instant(operator, folder, "accept-run")?;
    derivation::require(&inputs, &run)?;
    let job = plan(request, &inputs, now)?;
    let written = || accept(&inputs, &run, &facts, request.reason.clone());
    let acceptance = write(folder, job.as_ref(), written)?;
    let recorded = record(operator, folder, now)?;
    let stamped = stamp_picks(operator, &inputs, run_id)?;
    // A demo beside a configured database gives its workers nothing to do.
    let is_real = inputs.manifest.stream != Stream::Synthetic;
    let registered = job.as_ref().filter(|_| is_real);
    let registered = registered.map_or(Ok(false), |job| shared_jobs::register(operator, job));
    let due = job.as_ref().map(|job| job.due_at);
    Ok(Accepting::Accepted(Box::new(Accepted {
        acceptance,
        remarks: remarks(&facts),
        due: due.or_else(|| jobs::due_at(&inputs.manifest)),
        is_scheduled: job.is_some(),
        recorded,
        stamped,
        registered,
    })))
}

/// Writes the acceptance and the job that follows from it, with the round held where there is one.
fn write(
    folder: &RoundFolder,
    job: Option<&ResolutionJob>,
    accept: impl FnOnce() -> Result<Acceptance, FileError>,
) -> Result<Acceptance, Error> {
    let Some(job) = job else {
        return Ok(accept()?);
    };
    let held = take(folder)?;
    // The job comes first: a record that no job resolves is worse than a job that waits for one.
    jobs::store(folder, job)?;
    let acceptance = accept()?;
    held.release()?;
    Ok(acceptance)
}

/// The job that resolves the round once the rows of its exit day are final; none where the operator
/// wants none or the exit day is not known.
fn plan(
    request: &AcceptRequest,
    inputs: &RoundInputs,
    now: Timestamp,
) -> Result<Option<ResolutionJob>, Error> {
    let manifest = &inputs.manifest;
    let is_resolved = jobs::load(&inputs.folder)?
        .is_some_and(|job| job.run_id == request.run_id && job.status == JobStatus::Succeeded);
    let given = match request.scheduling {
        Scheduling::NoJob => return Ok(None),
        Scheduling::WhenDue => None,
        Scheduling::At(given) => Some(given),
    };
    if is_resolved {
        return Ok(None);
    }
    if let (Some(given), Some(earliest)) = (given, jobs::due_at(manifest))
        && given < earliest
    {
        let text = format!("--due-at-utc {given}: the exit rows are not final before {earliest}");
        return Err(Error::new(text).hint("omit the flag, or name a later instant"));
    }
    Ok(jobs::for_run(manifest, &request.run_id, given, now))
}
