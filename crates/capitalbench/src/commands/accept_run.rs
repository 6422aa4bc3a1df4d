//! `accept-run`: make a run the record of its round, or say every reason why not.

use capitalbench_archive::acceptance::{accept, facts};
use capitalbench_archive::format::acceptance::to_value;
use capitalbench_archive::jobs;
use capitalbench_archive::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::acceptance::{Acceptance, Choice, Refusal, refusals, remarks};
use capitalbench_core::ids::RunId;
use capitalbench_core::resolution_job::{JobStatus, ResolutionJob};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Outcome, parse_run_id};
use crate::cli::AcceptRun;
use crate::clock::{Clock, now_or};
use crate::console::{ERROR, GOOD, WARNING, document, line, paint, table};
use crate::error::CommandError;
use crate::steps::held_round::{HeldRound, held_by, worker};
use crate::steps::public_store::follow_round;
use crate::steps::record::record;
use crate::steps::shared_jobs;

pub(crate) fn run(arguments: &AcceptRun) -> Result<Outcome, CommandError> {
    let now = now_or(arguments.now.instant);
    let clock = Clock::starting_at(arguments.now.instant);
    let folder = RoundFolder::open(&arguments.round.path)?;
    let run_id = parse_run_id("--run-id", &arguments.run_id)?;
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let run = folder.run(&run_id)?;
    let choice = if arguments.supersede {
        Choice::Supersede
    } else {
        Choice::First
    };
    let facts = facts(&inputs, &run, choice, now)?;
    let refused = refusals(&facts);
    if !refused.is_empty() {
        report_refusals(&folder.name(), &run_id, &refused, arguments.output.json);
        return Ok(Outcome::DoesNotHold);
    }
    let planned = plan(arguments, &inputs, &run_id, now)?;
    let held = match planned {
        None => None,
        Some(_) => Some(
            HeldRound::take(&folder, &worker(None, None), clock)?
                .map_err(|holder| held_by(&folder, &holder))?,
        ),
    };
    // The job comes first: a record that nobody would resolve is worse than a job that waits for one.
    if let Some(job) = &planned {
        jobs::store(&folder, job)?;
    }
    let acceptance = accept(&inputs, &run, &facts, arguments.reason.clone())?;
    if let Some(held) = held {
        held.release()?;
    }
    let recorded = record(&folder, now)?;
    let scheduled = planned.is_some();
    let registered = shared_jobs::register(planned.as_ref());
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
        }));
    } else {
        print(&folder.name(), &acceptance, due, &remarks(&facts));
        recorded.print_signed();
    }
    let synced = follow_round(&arguments.round.path, now);
    Ok(synced.and(registered))
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

fn report_refusals(round: &str, run_id: &RunId, refused: &[Refusal], json: bool) {
    if json {
        document(&json!({
            "round_id": round,
            "run_id": run_id.as_str(),
            "accepted": false,
            "refusals": listed(refused),
        }));
        return;
    }
    line(format!(
        "{round}: {run_id} is {}",
        paint(ERROR, "not accepted")
    ));
    let row = |refusal: &Refusal| vec![refusal.code().to_owned(), refusal.to_string()];
    let rows = refused.iter().map(row).collect();
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
