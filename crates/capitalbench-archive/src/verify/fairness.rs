//! Was everybody asked once, in time, with the same chances?

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::round::manifest::Window;
use jiff::Timestamp;

use super::finding::{Code, Finding};
use super::{RoundState, RunState};
use crate::disk::layout::{self, run};
use crate::format::round::research;
use crate::format::run::run_log::LogLine;

/// A model asked this often deserves a remark.
const MANY_CALLS: usize = 3;

/// Checks the official run and the calls around it.
pub(super) fn check(state: &RoundState, official: &RunState, findings: &mut Vec<Finding>) {
    times(state, official, findings);
    roster(state, official, findings);
    assembly(state, official, findings);
    findings.push(Finding::new(
        Code::FreezeTimeUnproved,
        layout::HASHES,
        "no outside timestamp shows that the inputs were frozen before the calls",
    ));
}

fn elapsed(from: Timestamp, to: Timestamp) -> String {
    let minutes = to.duration_since(from).as_secs() / 60;
    if minutes >= 120 {
        format!("{}.{} h", minutes / 60, minutes % 60 / 6)
    } else {
        format!("{minutes} min")
    }
}

fn counted(count: usize, word: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {word}{ending}")
}

fn times(state: &RoundState, official: &RunState, findings: &mut Vec<Finding>) {
    let manifest = &state.inputs.manifest;
    let ends = official
        .log
        .iter()
        .filter_map(|line| Some(line.completed_at.as_ref()?.at()));
    let starts = official
        .log
        .iter()
        .filter_map(|line| Some(line.started_at.as_ref()?.at()));
    let (Some(last), Some(first)) = (ends.clone().max(), starts.min()) else {
        return;
    };
    let late = |limit: Timestamp| ends.clone().filter(|end| *end > limit).count();
    let mut add =
        |code, place: String, text: String| findings.push(Finding::new(code, place, text));
    if let Some(deadline) = &manifest.decision_deadline
        && last > deadline.at()
    {
        let (count, by) = (late(deadline.at()), elapsed(deadline.at(), last));
        let calls = counted(count, "call");
        let text = format!("{calls} ended after {deadline}, the last by {by}");
        add(Code::CallAfterDeadline, official.place(run::LOG), text);
    }
    if let Some(close) = manifest.window.and_then(Window::entry_close)
        && last > close
    {
        let (count, by) = (late(close), elapsed(close, last));
        let decisions = counted(count, "decision");
        let text = format!("{decisions} came after the entry close {close}, the last by {by}");
        add(
            Code::DecisionAfterEntryClose,
            official.place(run::LOG),
            text,
        );
    }
    order(state, official, first, findings);
}

/// Research and roster come before the first call, the result after the exit.
fn order(state: &RoundState, official: &RunState, first: Timestamp, findings: &mut Vec<Finding>) {
    let manifest = &state.inputs.manifest;
    let mut add =
        |code, place: String, text: String| findings.push(Finding::new(code, place, text));
    if let Some(roster) = &manifest.roster
        && roster.frozen_at.at() > first
    {
        let text = format!("frozen at {}, first call at {first}", roster.frozen_at);
        add(Code::RosterFrozenLate, layout::MANIFEST.into(), text);
    }
    let record = state
        .inputs
        .folder
        .parse(layout::RESEARCH_MANIFEST, research::parse);
    if let Some(cutoff) = record.ok().and_then(|record| record.cutoff)
        && cutoff.at() > first
    {
        let text = format!("cutoff {cutoff}, first call at {first}");
        add(
            Code::ResearchAfterCall,
            layout::RESEARCH_MANIFEST.into(),
            text,
        );
    }
    let exit = manifest.window.and_then(Window::exit_close);
    if let (Some(resolved), Some(exit)) = (&official.record.resolved_at, exit)
        && resolved.at() < exit
    {
        let text = format!("resolved at {resolved}, exit close {exit}");
        add(Code::ScoredBeforeExit, official.place(run::MANIFEST), text);
    }
}

fn roster(state: &RoundState, official: &RunState, findings: &mut Vec<Finding>) {
    let Some(roster) = &state.inputs.manifest.roster else {
        return;
    };
    let expected: BTreeSet<&str> = roster
        .model_ids
        .iter()
        .map(capitalbench_core::values::ids::ModelId::as_str)
        .collect();
    let asked: BTreeSet<&str> = official
        .checked
        .iter()
        .filter_map(|file| file.model_id())
        .collect();
    if expected != asked {
        let list = |ids: Vec<&&str>| ids.into_iter().copied().collect::<Vec<_>>().join(", ");
        let missing = list(expected.difference(&asked).collect());
        let added = list(asked.difference(&expected).collect());
        let text = format!("missing: [{missing}]; not on the roster: [{added}]");
        findings.push(Finding::new(
            Code::RosterIncomplete,
            official.place(run::MANIFEST),
            text,
        ));
    }
}

/// A call as one of a kind: assembled runs repeat the log lines of others.
type CallKey<'a> = (Option<Timestamp>, &'a str);

fn key(line: &LogLine) -> CallKey<'_> {
    let start = line
        .started_at
        .as_ref()
        .map(capitalbench_core::values::time::Stamp::at);
    (start, line.reply_digest.as_deref().unwrap_or_default())
}

fn assembly(state: &RoundState, official: &RunState, findings: &mut Vec<Finding>) {
    let mut sources = Vec::new();
    for other in state
        .runs
        .iter()
        .filter(|other| other.folder != official.folder)
    {
        let keys: BTreeSet<CallKey<'_>> = other.log.iter().map(key).collect();
        let shared = official
            .log
            .iter()
            .filter(|line| keys.contains(&key(line)))
            .count();
        if shared > 0 {
            sources.push(format!("{shared} from {}", other.folder.run_id()));
        }
    }
    if !sources.is_empty() {
        let text = format!("answers taken over: {}", sources.join(", "));
        findings.push(Finding::new(
            Code::AssembledRun,
            official.place(run::LOG),
            text,
        ));
    }
}

/// Looks at all real official calls of the round: a valid answer ends the asking.
pub(super) fn check_repeated_calls(state: &RoundState, findings: &mut Vec<Finding>) {
    let mut calls: BTreeMap<&str, BTreeMap<CallKey<'_>, bool>> = BTreeMap::new();
    for run in &state.runs {
        let own = &run.record.run;
        if own.calls != Calls::Real || own.rules.kind != RunKind::Official {
            continue;
        }
        for line in &run.log {
            let of_model = calls.entry(line.model_id.as_str()).or_default();
            of_model
                .entry(key(line))
                .or_insert(line.valid == Some(true));
        }
    }
    let mut again = Vec::new();
    for (model, calls) in &calls {
        if calls.values().rev().skip(1).any(|valid| *valid) {
            again.push(format!("{model} ({} calls)", calls.len()));
        } else if calls.len() >= MANY_CALLS {
            let text = format!("{model} was asked {} times", calls.len());
            findings.push(Finding::new(Code::ManyAttempts, layout::RUNS, text));
        }
    }
    if !again.is_empty() {
        let text = format!("asked again after a valid answer: {}", again.join(", "));
        findings.push(Finding::new(Code::AskedAgain, layout::RUNS, text));
    }
}
