//! Was every model asked once, in time, under the same conditions?

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use super::finding::{Code, Findings};
use super::{RoundState, RunState};
use crate::disk::layout::{self, run};
use crate::format::round::research;
use crate::format::run::run_log::RunLogLine;
use crate::run::validation::Checked;

/// A model that was called this often gets a warning; rejections are not counted.
const MANY_CALLS: usize = 3;

/// Checks the official run and the calls around it.
pub(super) fn check(state: &RoundState, official: &RunState, findings: &mut Findings) {
    times(state, official, findings);
    roster(state, official, findings);
    assembly(state, official, findings);
    let text = "no outside timestamp shows that the inputs were frozen before the calls";
    findings.add(Code::FreezeTimeUnproved, layout::HASHES, text);
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

fn times(state: &RoundState, official: &RunState, findings: &mut Findings) {
    let manifest = &state.inputs.manifest;
    let lines = official.run_log.iter();
    // Where the round goes on without a model, the end of a call without an answer decides nothing.
    let goes_on = manifest.record_rules().enough.is_some();
    let starts = lines.clone().filter_map(|line| line.started_at.as_ref());
    let starts = starts.map(WrittenInstant::at);
    let ends = lines.filter(|line| !goes_on || line.valid == Some(true));
    let ends = ends.filter_map(|line| line.completed_at.as_ref());
    let ends = ends.map(WrittenInstant::at);
    let (Some(last), Some(first)) = (ends.clone().max(), starts.min()) else {
        return;
    };
    let mut late = |code, limit: Timestamp, (word, came): (&str, String)| {
        let count = ends.clone().filter(|end| *end > limit).count();
        if count > 0 {
            let (calls, by) = (counted(count, word), elapsed(limit, last));
            let text = format!("{calls} {came}, the last by {by}");
            findings.add(code, official.place(run::RUN_LOG), text);
        }
    };
    if let Some(deadline) = &manifest.decision_deadline {
        let ended = ("call", format!("ended after {deadline}"));
        late(Code::CallAfterDeadline, deadline.at(), ended);
    }
    if let Some(close) = manifest.window.and_then(Window::entry_close) {
        let came = ("decision", format!("came after the entry close {close}"));
        late(Code::DecisionAfterEntryClose, close, came);
    }
    order(state, official, first, findings);
}

/// Research and roster must come before the first call, and the result after the exit.
fn order(state: &RoundState, official: &RunState, first: Timestamp, findings: &mut Findings) {
    let manifest = &state.inputs.manifest;
    if let Some(roster) = &manifest.roster
        && roster.frozen_at.at() > first
    {
        let text = format!(
            "the roster was frozen at {}, the first call was at {first}",
            roster.frozen_at
        );
        findings.add(Code::RosterFrozenLate, layout::MANIFEST, text);
    }
    let folder = &state.inputs.folder;
    let record = folder.parse(layout::RESEARCH_MANIFEST, research::parse);
    if let Some(cutoff) = record.ok().and_then(|record| record.cutoff)
        && cutoff.at() > first
    {
        let text = format!("the cutoff is {cutoff}, the first call was at {first}");
        findings.add(Code::ResearchAfterCall, layout::RESEARCH_MANIFEST, text);
    }
    let exit = manifest.window.and_then(Window::exit_close);
    if let (Some(resolved), Some(exit)) = (&official.record.resolved_at, exit)
        && resolved.at() < exit
    {
        let text = format!("resolved at {resolved}, but the exit close was at {exit}");
        findings.add(Code::ScoredBeforeExit, official.place(run::MANIFEST), text);
    }
}

fn roster(state: &RoundState, official: &RunState, findings: &mut Findings) {
    let Some(roster) = &state.inputs.manifest.roster else {
        return;
    };
    let expected: BTreeSet<&str> = roster.model_ids.iter().map(ModelId::as_str).collect();
    let files = official.checked.iter();
    let accepted = official.record.run.acceptance.as_ref();
    let missing = accepted.map_or(&[][..], |own| &own.missing);
    let missing = missing.iter().map(|own| own.model_id.as_str());
    let asked = files.filter_map(Checked::model_id).chain(missing);
    let asked: BTreeSet<&str> = asked.collect();
    if expected != asked {
        let list = |ids: Vec<&&str>| ids.into_iter().copied().collect::<Vec<_>>().join(", ");
        let missing = list(expected.difference(&asked).collect());
        let added = list(asked.difference(&expected).collect());
        let text = format!("missing: [{missing}]; not on the roster: [{added}]");
        findings.add(Code::RosterIncomplete, official.place(run::MANIFEST), text);
    }
}

/// Identifies a call: assembled runs repeat the log lines of others.
type CallKey<'a> = (Option<Timestamp>, &'a str);

fn key(line: &RunLogLine) -> CallKey<'_> {
    let start = line.started_at.as_ref().map(WrittenInstant::at);
    (start, line.reply_digest.as_deref().unwrap_or_default())
}

fn assembly(state: &RoundState, official: &RunState, findings: &mut Findings) {
    let mut sources = Vec::new();
    let others = state.runs.iter();
    for other in others.filter(|other| other.folder != official.folder) {
        let keys: BTreeSet<CallKey<'_>> = other.run_log.iter().map(key).collect();
        let lines = official.run_log.iter();
        let shared = lines.filter(|line| keys.contains(&key(line))).count();
        if shared > 0 {
            sources.push(format!("{shared} from {}", other.folder.run_id()));
        }
    }
    if !sources.is_empty() {
        let text = format!("holds answers of other runs: {}", sources.join(", "));
        findings.add(Code::AssembledRun, official.place(run::RUN_LOG), text);
    }
}

/// Checks all real official calls of the round: a valid answer must be the last call to a model.
pub(super) fn check_repeated_calls(state: &RoundState, findings: &mut Findings) {
    let mut calls: BTreeMap<&str, BTreeMap<CallKey<'_>, &RunLogLine>> = BTreeMap::new();
    for run in &state.runs {
        let own = &run.record.run;
        if own.calls != Calls::Real || own.rules.kind != RunKind::Official {
            continue;
        }
        for line in &run.run_log {
            let of_model = calls.entry(line.model_id.as_str()).or_default();
            let call = of_model.entry(key(line));
            call.or_insert(line);
        }
    }
    let mut again = Vec::new();
    for (model, calls) in &calls {
        let mut earlier = calls.values().rev().skip(1);
        if earlier.any(|line| line.valid == Some(true)) {
            again.push(format!("{model} ({} calls)", calls.len()));
            continue;
        }
        let rejected = |line: &&&RunLogLine| line.reason.is_some_and(Reason::is_rejection);
        let asked = calls.len() - calls.values().filter(rejected).count();
        if asked >= MANY_CALLS {
            let text = format!("{model} was asked {asked} times");
            findings.add(Code::ManyAttempts, layout::RUNS, text);
        }
    }
    if !again.is_empty() {
        let text = format!("asked again after a valid answer: {}", again.join(", "));
        findings.add(Code::AskedAgain, layout::RUNS, text);
    }
}
