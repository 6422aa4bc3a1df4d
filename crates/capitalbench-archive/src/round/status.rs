//! The state of every round, and the next command.

use std::path::Path;

use capitalbench_core::asking::run::{NoOfficialRun, Run, RunKind, official_run};
use capitalbench_core::round::lifecycle::{Facts, RecordState, Stage, stage};
use capitalbench_core::round::manifest::{Manifest, Stream, Window};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use capitalbench_core::values::ids::RunId;
use jiff::Timestamp;

use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::disk::shell::shell_word;
use crate::format::round::manifest;
use crate::round::ending;
use crate::round::freeze;
use crate::round::jobs;
use crate::round::round_folder::{RoundFolder, list_rounds};

/// One round of a status report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundStatus {
    pub round_id: String,
    pub stage: Stage,
    /// The window, when both days are set.
    pub window: Option<Window>,
    /// The next command, where one is due now.
    pub next: Option<String>,
    /// Days until the exit close; negative once it has passed.
    pub days_left: Option<i64>,
    /// Why a due round has no result.
    pub waits_for: Option<String>,
}

/// The status of every round in a folder; an unreadable round is an error in its place.
pub fn status(
    rounds: &Path,
    now: Timestamp,
) -> Result<Vec<Result<RoundStatus, FileError>>, FileError> {
    let folders = list_rounds(rounds)?;
    Ok(folders
        .iter()
        .map(|folder| round_status(folder, now))
        .collect())
}

pub fn round_status(folder: &RoundFolder, now: Timestamp) -> Result<RoundStatus, FileError> {
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let runs = folder.runs()?;
    let found = official_run(&runs, manifest.record_rules());
    let record = match &found {
        Err(_) => RecordState::Missing,
        Ok(record) if folder.run(&record.run_id)?.has(run::LEADERBOARD) => RecordState::Scored,
        Ok(_) => RecordState::Chosen,
    };
    let facts = Facts {
        frozen: freeze::stored_digests(folder)?.is_some(),
        runs: runs.len(),
        record,
        ending: ending::tombstone(folder)?.map(|own| own.ending),
        entry_close: manifest.window.and_then(Window::entry_close),
        exit_close: manifest.window.and_then(Window::exit_close),
    };
    let stage = stage(&facts, now);
    let left = facts
        .exit_close
        .map(|close| close.duration_since(now).as_secs());
    let job = jobs::load(folder)?;
    let is_late = matches!(stage, Stage::Due | Stage::Overdue);
    Ok(RoundStatus {
        round_id: folder.name(),
        stage,
        window: manifest.window,
        next: match (stage, &found) {
            (Stage::Frozen | Stage::Run, Err(missing)) => {
                Some(next_asking(folder, &manifest, (&runs, missing), now))
            }
            _ => next(folder, &manifest, stage, job.as_ref()),
        },
        waits_for: is_late.then(|| waits_for(job.as_ref(), now)),
        days_left: left.map(|seconds| seconds.div_euclid(86_400)),
    })
}

/// Why a round whose window has closed has no result yet.
fn waits_for(job: Option<&ResolutionJob>, now: Timestamp) -> String {
    let Some(job) = job else {
        return "has no resolution job".to_owned();
    };
    let error = if job.last_error.is_empty() {
        "no reason was given"
    } else {
        &job.last_error
    };
    match (job.status, job.next_attempt()) {
        (JobStatus::Cancelled, _) => format!("cancelled: {error}"),
        (JobStatus::Succeeded, _) => {
            "its job says it was resolved, but there is no result".to_owned()
        }
        (_, None) => format!("gave up after {} attempts: {error}", job.attempts),
        (JobStatus::Running, _) => {
            format!("attempt {} is under way, or its worker died", job.attempts)
        }
        (_, Some(next)) if next > now && job.last_error.is_empty() => {
            format!("is due at {next}")
        }
        (_, Some(next)) if job.last_error.is_empty() => {
            format!("was due at {next}; no worker has resolved it")
        }
        (_, Some(next)) => format!("{error}; next attempt {next}"),
    }
}

/// The next command for a round at this stage.
fn next(
    folder: &RoundFolder,
    manifest: &Manifest,
    stage: Stage,
    job: Option<&ResolutionJob>,
) -> Option<String> {
    let round = shell_word(folder.path());
    if matches!(stage, Stage::Due | Stage::Overdue)
        && let Some(job) = job
    {
        return Some(if job.next_attempt().is_some() {
            let rounds = shell_word(&folder.rounds());
            format!("capitalbench resolve-due --rounds-dir {rounds}")
        } else {
            format!("capitalbench automation-retry --round {round}")
        });
    }
    let has = |file: &str| folder.file(file).is_file();
    // From v1.2 on the briefing can be made from the histories of the table, which come first.
    let by_rule = manifest.methodology.freezes_daily_returns();
    let has_table = has(crate::format::prices::trailing::MARKDOWN);
    Some(match stage {
        Stage::Draft if by_rule && has_table && !has(layout::FINAL_BRIEFING) => {
            format!("capitalbench make-briefing --round {round}")
        }
        Stage::Draft if !by_rule && !has(layout::FINAL_BRIEFING) => format!(
            "capitalbench import-research --round {round} --market-fact-report FILE \
             --audit-report FILE --final-briefing FILE --research-cutoff-utc INSTANT"
        ),
        Stage::Draft if !has_table => {
            // The close of the decision day itself is not known yet.
            let deadline = manifest.decision_deadline.as_ref();
            let day = deadline.map(|deadline| manifest.market.day_at(deadline.at()));
            let day = day.or(manifest.decision_date);
            let day = day.and_then(|day| manifest.market.previous_session(day));
            let day = day.map(|day| day.to_string());
            let day = day.unwrap_or_else(|| "DAY".to_owned());
            format!("capitalbench fetch-universe-performance --round {round} --as-of-date {day}")
        }
        Stage::Draft => format!("capitalbench hash-round --round {round}"),
        Stage::Due | Stage::Overdue => format!("capitalbench score-round --round {round}"),
        Stage::Frozen
        | Stage::Run
        | Stage::Accepted
        | Stage::Pending
        | Stage::Resolved
        | Stage::Voided
        | Stage::Abandoned => return None,
    })
}

/// What is due between the freeze and the record: ask, finish asking, accept, or end the round.
fn next_asking(
    folder: &RoundFolder,
    manifest: &Manifest,
    (runs, missing): (&[Run], &NoOfficialRun),
    now: Timestamp,
) -> String {
    let round = shell_word(folder.path());
    let accept = |run: &str| format!("capitalbench accept-run --round {round} --run-id {run}");
    match missing {
        NoOfficialRun::NotAccepted(run) => return accept(run.as_str()),
        NoOfficialRun::Ambiguous(several) => {
            let ids: Vec<&str> = several.iter().map(RunId::as_str).collect();
            return accept(&ids.join("|"));
        }
        NoOfficialRun::None => {}
    }
    let permission = match manifest.stream {
        Stream::Synthetic => "--mock --run-type official",
        Stream::Primary | Stream::Pilot => "--allow-real-api-calls",
    };
    let mut official = runs
        .iter()
        .filter(|run| run.rules.kind == RunKind::Official);
    if let Some(last) = official.next_back() {
        let run = last.run_id.as_str();
        if last.completed_at.is_some() {
            // It says itself what keeps the run from being the record.
            return accept(run);
        }
        return format!(
            "capitalbench run-round --round {round} --models FILE --run-id {run} --resume {permission}"
        );
    }
    let deadline = manifest.decision_deadline.as_ref();
    if deadline.is_some_and(|deadline| deadline.at() <= now) {
        return format!("capitalbench void-round {round} --reason TEXT");
    }
    format!("capitalbench run-round --round {round} --models FILE {permission}")
}
