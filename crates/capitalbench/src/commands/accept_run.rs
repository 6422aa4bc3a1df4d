//! `accept-run`: make a run the record of its round, or say every reason why not.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::format::run::acceptance::to_value;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::acceptance::{accept, facts};
use capitalbench_archive::verify::derivation;
use capitalbench_core::asking::acceptance::{Acceptance, Choice, Refusal, refusals, remarks};
use capitalbench_core::round::manifest::{Proof, Stream};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Exit, parse_run_id};
use crate::cli::AcceptRun;
use crate::clock::{Clock, now_or};
use crate::console::{ERROR, GOOD, WARNING, document, line, paint, table};
use crate::error::CommandError;
use crate::steps::given_instant::note_given_instant;
use crate::steps::held_round::take;
use crate::steps::promise::{Objection, objections_to_accepting};
use crate::steps::public_store::follow_round;
use crate::steps::record::record;
use crate::steps::shared_jobs;
use crate::steps::stamped_picks::{StampedPicks, stamp_picks};

pub(crate) fn run(arguments: &AcceptRun) -> Result<Exit, CommandError> {
    let now = now_or(arguments.now.instant);
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    let run_id = parse_run_id("--run-id", &arguments.run_id)?;
    note_given_instant(&folder, "accept-run", arguments.now.instant)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let run = folder.run(&run_id)?;
    let facts = facts(&inputs, &run, choice(arguments), now)?;
    let refused = refusals(&facts);
    if inputs.manifest.proof == Proof::Anchored && refused == [Refusal::AcceptedBefore] {
        return complete(arguments, &inputs, &run_id, clock);
    }
    let mut against = listed(&refused);
    let promised = objections_to_accepting(&folder, &inputs.manifest, run_id.as_str(), now)?;
    against.extend(promised.iter().map(Objection::to_json));
    if !against.is_empty() {
        if refused == [Refusal::AcceptedBefore] {
            // An acceptance that was killed may not be in the log yet.
            record(&folder, now)?;
        }
        report_refusals(&folder.name(), &run_id, &against, arguments.output.json);
        return Ok(Exit::DoesNotHold);
    }
    derivation::require(&inputs, &run)?;
    let planned = plan(arguments, &inputs, &run_id, now)?;
    let written = || accept(&inputs, &run, &facts, arguments.reason.clone());
    let acceptance = scheduling(&folder, planned.as_ref(), written)?;
    let recorded = record(&folder, now)?;
    let stamped = stamp_picks(&inputs, &run_id, clock)?;
    let scheduled = planned.is_some();
    // A demo beside a configured database gives its workers nothing to do.
    let is_real = inputs.manifest.stream != Stream::Synthetic;
    let registered = shared_jobs::register(planned.as_ref().filter(|_| is_real));
    let due = planned.map(|job| job.due_at);
    let due = due.or_else(|| jobs::due_at(&inputs.manifest));
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "run_id": run_id.as_str(),
            "accepted": true,
            "acceptance": to_value(&acceptance),
            "due_at_utc": due.map(|due| due.to_string()),
            "scheduled": scheduled,
            "remarks": listed(&remarks(&facts)),
            "log": recorded.to_json(),
            "proof": stamped.as_ref().map(StampedPicks::to_json),
        }));
    } else {
        print(&folder.name(), &acceptance, due, &remarks(&facts));
        recorded.print_signed();
        if let Some(stamped) = &stamped {
            stamped.print();
        }
    }
    if stamped.is_some_and(|stamped| !stamped.is_complete()) {
        return Ok(Exit::DoesNotHold);
    }
    let synced = follow_round(&arguments.round.path, now);
    Ok(synced.and(registered))
}

fn choice(arguments: &AcceptRun) -> Choice {
    if arguments.supersede {
        Choice::Supersede
    } else {
        Choice::First
    }
}

/// Writes the acceptance and the job that follows from it, with the round held where there is one.
fn scheduling(
    folder: &RoundFolder,
    planned: Option<&ResolutionJob>,
    write: impl FnOnce() -> Result<Acceptance, FileError>,
) -> Result<Acceptance, CommandError> {
    let Some(job) = planned else {
        return Ok(write()?);
    };
    let held = take(folder)?;
    // The job comes first: a record that nobody would resolve is worse than a job that waits for one.
    jobs::store(folder, job)?;
    let acceptance = write()?;
    held.release()?;
    Ok(acceptance)
}

/// A run that is the record already: whether its picks are stamped by now.
fn complete(
    arguments: &AcceptRun,
    inputs: &RoundInputs,
    run_id: &RunId,
    clock: Clock,
) -> Result<Exit, CommandError> {
    let (folder, now) = (&inputs.folder, clock.now());
    let recorded = record(folder, now)?;
    let Some(stamped) = stamp_picks(inputs, run_id, clock)? else {
        return Ok(Exit::DoesNotHold);
    };
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "run_id": run_id.as_str(),
            "accepted": true,
            "log": recorded.to_json(),
            "proof": stamped.to_json(),
        }));
    } else {
        line(format!(
            "{}: {run_id} is {} already",
            folder.name(),
            paint(GOOD, "the record")
        ));
        stamped.print();
    }
    if !stamped.is_complete() {
        return Ok(Exit::DoesNotHold);
    }
    Ok(follow_round(&arguments.round.path, now))
}

/// The job that resolves the round once the rows of its exit day are final; none where nobody
/// wants one or the exit day is not known.
fn plan(
    arguments: &AcceptRun,
    inputs: &RoundInputs,
    run_id: &RunId,
    now: Timestamp,
) -> Result<Option<ResolutionJob>, CommandError> {
    let manifest = &inputs.manifest;
    let resolved = jobs::load(&inputs.folder)?
        .is_some_and(|job| job.run_id == *run_id && job.status == JobStatus::Succeeded);
    if arguments.no_schedule_resolution || resolved {
        return Ok(None);
    }
    let earliest = jobs::due_at(manifest);
    if let (Some(given), Some(earliest)) = (arguments.due_at_utc, earliest)
        && given < earliest
    {
        let text = format!("--due-at-utc {given}: the exit rows are not final before {earliest}");
        return Err(CommandError::new(text).hint("leave the flag away, or name a later instant"));
    }
    Ok(jobs::for_run(manifest, run_id, arguments.due_at_utc, now))
}

fn listed(refusals: &[Refusal]) -> Vec<Value> {
    let one = |refusal: &Refusal| json!({"code": refusal.code(), "text": refusal.to_string()});
    refusals.iter().map(one).collect()
}

fn report_refusals(round: &str, run_id: &RunId, against: &[Value], json: bool) {
    if json {
        document(&json!({
            "round_id": round,
            "run_id": run_id.as_str(),
            "accepted": false,
            "refusals": against,
        }));
        return;
    }
    line(format!(
        "{round}: {run_id} is {}",
        paint(ERROR, "not accepted")
    ));
    let text = |refusal: &Value, name: &str| refusal[name].as_str().map(str::to_owned);
    let row = |refusal: &Value| {
        let why = [text(refusal, "text"), text(refusal, "next")];
        let why: Vec<String> = why.into_iter().flatten().collect();
        vec![text(refusal, "code").unwrap_or_default(), why.join("; ")]
    };
    let rows = against.iter().map(row).collect();
    line(table(&["refusal", "why"], &[], rows));
}

fn print(round: &str, acceptance: &Acceptance, due: Option<Timestamp>, remarks: &[Refusal]) {
    line(format!(
        "{round}: {} is {}",
        acceptance.run_id,
        paint(GOOD, "the record")
    ));
    line(format!("accepted     {}", acceptance.accepted_at));
    line(format!("submissions  {}", acceptance.submissions.len()));
    line(format!("run log      {}", acceptance.run_log));
    line(format!("frozen       {}", acceptance.hashes));
    if let Some(earlier) = &acceptance.supersedes {
        line(format!("supersedes   {earlier}"));
    }
    let due = due.map_or_else(|| "-".to_owned(), |due| due.to_string());
    line(format!("due          {due}"));
    for remark in remarks {
        line(format!("{}  {remark}", paint(WARNING, "warning")));
    }
}
