//! The state of the round: its official run, its job, and whether a result is due.

use capitalbench_core::asking::run::{
    Calls, NoOfficialRun, RunKind, Selection, official_run, selection,
};
use capitalbench_core::round::lifecycle::{Due, due};
use capitalbench_core::round::manifest::Stream;
use capitalbench_core::round::resolution_job::JobStatus;

use super::finding::{Code, Finding, Findings};
use super::{RoundState, RunState, unreadable};
use crate::disk::layout::{self, run};
use crate::format::round::job;

/// Finds the official run, and reports why there is none.
pub(super) fn check<'a>(state: &'a RoundState, findings: &mut Findings) -> Option<&'a RunState> {
    super::acceptance::check(state, findings);
    let runs = || state.runs.iter().map(|run| &run.record.run);
    let rules = state.inputs.manifest.record_rules();
    let found = official_run(runs(), rules);
    let candidates: Vec<&str> = runs()
        .filter(|run| run.may_count(rules))
        .map(|run| run.run_id.as_str())
        .collect();
    if candidates.len() > 1 && found.is_ok() {
        let text = format!("may count: {}", candidates.join(", "));
        findings.add(Code::SeveralEligibleRuns, layout::RUNS, text);
    }
    for run in &state.runs {
        let own = &run.record.run;
        let accepted = own.acceptance.is_some() || own.accepted_at.is_some();
        if accepted && selection(own, runs()) == Selection::Withdrawn {
            let accepted = own.acceptance.as_ref();
            let file = accepted.map_or(run::MANIFEST, |_| run::ACCEPTANCE);
            let text = "was accepted and withdrawn later";
            findings.add(Code::AcceptanceWithdrawn, run.place(file), text);
        }
    }
    let official = match found {
        Ok(found) => state
            .runs
            .iter()
            .find(|run| run.record.run.run_id == found.run_id),
        Err(reason) => {
            if !super::ending::has_ended(state) {
                findings.push(missing_record(state, &reason));
            }
            None
        }
    };
    super::ending::check(state, findings);
    check_job(state, official, findings);
    if let Some(official) = official {
        check_market(state, official, findings);
        check_due(state, official, findings);
    }
    official
}

fn missing_record(state: &RoundState, reason: &NoOfficialRun) -> Finding {
    let asked = state.runs.iter().any(|run| {
        let own = &run.record.run;
        own.calls == Calls::Real && own.rules.kind == RunKind::Official
    });
    let code = match reason {
        NoOfficialRun::Ambiguous(_) => Code::OfficialRunAmbiguous,
        NoOfficialRun::NotAccepted(_) => Code::NoOfficialRun,
        NoOfficialRun::None if asked => Code::NoOfficialRun,
        NoOfficialRun::None if state.unreadable_runs => Code::NoOfficialRun,
        NoOfficialRun::None if state.runs.is_empty() => Code::Draft,
        NoOfficialRun::None => Code::NoRealCall,
    };
    Finding::new(code, layout::RUNS, reason.to_string())
}

fn check_market(state: &RoundState, official: &RunState, findings: &mut Findings) {
    let invented = state.inputs.manifest.stream == Stream::Synthetic;
    if (official.record.run.calls == Calls::Synthetic) != invented {
        let stream = state.inputs.manifest.stream.as_str();
        let text = format!("publication_stream is {stream}");
        let place = official.place(run::MANIFEST);
        findings.add(Code::InventedRecord, place, text);
    }
}

fn check_due(state: &RoundState, official: &RunState, findings: &mut Findings) {
    if official.folder.has(run::LEADERBOARD) {
        return;
    }
    let window = state.inputs.manifest.window;
    let exit = window.map_or_else(|| "the exit".to_owned(), |window| window.exit.to_string());
    let (code, text) = match due(window, state.now) {
        Due::Overdue => {
            let text = format!("{exit} has passed, but nothing is scored");
            (Code::Overdue, text)
        }
        Due::NotYet => (Code::Pending, format!("waits for the close of {exit}")),
    };
    findings.add(code, official.place(run::RESULTS), text);
}

fn check_job(state: &RoundState, official: Option<&RunState>, findings: &mut Findings) {
    let folder = &state.inputs.folder;
    let job = match folder.parse_optional(layout::JOB, job::parse) {
        Ok(Some(job)) => job,
        Ok(None) => return,
        Err(error) => return findings.push(unreadable(folder, &error)),
    };
    let mut add = |code, text: String| findings.add(code, layout::JOB, text);
    if job.round_id != state.inputs.manifest.round_id {
        let text = format!("belongs to {}", job.round_id);
        add(Code::RoundIdMismatch, text);
    }
    let board = format!("{}/{}/{}", layout::RUNS, job.run_id, run::LEADERBOARD);
    let scored = folder.file(&board).exists();
    match job.status {
        JobStatus::Cancelled if job.last_error.is_empty() => {
            add(Code::ResolutionCancelled, "no reason was given".to_owned());
        }
        JobStatus::Cancelled => add(Code::ResolutionCancelled, job.last_error.clone()),
        JobStatus::Succeeded if !scored => {
            let run_id = &job.run_id;
            let text = format!("says that {run_id} was scored, but it has no leaderboard");
            add(Code::JobContradictsResult, text);
        }
        JobStatus::Scheduled | JobStatus::Running | JobStatus::Failed if scored => {
            let status = job.status.as_str();
            let text = format!("says {status}, but {} has a leaderboard", job.run_id);
            add(Code::JobContradictsResult, text);
        }
        _ => {}
    }
    if let Some(official) = official
        && *official.folder.run_id() != job.run_id
    {
        let (named, record) = (&job.run_id, official.folder.run_id());
        let text = format!("names {named}, but the record is {record}");
        add(Code::JobContradictsResult, text);
    }
}
