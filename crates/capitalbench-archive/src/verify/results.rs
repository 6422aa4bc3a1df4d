//! Results: computed again and compared byte for byte.

use capitalbench_core::run::{Calls, RunKind};
use capitalbench_core::submission::Submission;

use super::finding::{Code, Finding};
use super::{RoundState, RunState};
use crate::format::results::ResultTable;
use crate::format::table::read_table;
use crate::layout::run;
use crate::scoring::{ScoredRun, ScoringError, attempts, score_submissions};

/// Re-scores every run that has results.
pub(super) fn check(state: &RoundState, official: Option<&RunState>, findings: &mut Vec<Finding>) {
    for run in &state.runs {
        right_to_results(run, official, findings);
        if run.folder.has(run::RETURNS) || run.folder.has(run::LEADERBOARD) {
            rescore(state, run, findings);
        }
    }
}

/// Official, real runs alone may be ranked, and only the record should be.
fn right_to_results(run: &RunState, official: Option<&RunState>, findings: &mut Vec<Finding>) {
    let own = &run.record.run;
    if own.rules.kind != RunKind::Official || own.calls == Calls::Mock {
        return;
    }
    let is_record = official.is_some_and(|official| official.folder == run.folder);
    let mut add = |code, file: &str, text: &str| {
        findings.push(Finding::new(code, run.place(file), text));
    };
    if run.folder.has(run::LEADERBOARD) {
        if !own.eligible {
            let text = "official_score_eligible is false";
            add(Code::ResultFromIneligibleRun, run::LEADERBOARD, text);
        } else if !is_record {
            add(
                Code::ResultOfUnselectedRun,
                run::LEADERBOARD,
                "the run is not the record",
            );
        }
    } else if run.folder.has(run::INTERIM) && !own.eligible {
        let text = "official_score_eligible is false";
        add(Code::InterimFromIneligibleRun, run::INTERIM, text);
    }
}

fn rescore(state: &RoundState, run: &RunState, findings: &mut Vec<Finding>) {
    let mut incomplete = |text: String| {
        findings.push(Finding::new(
            Code::ResultIncomplete,
            run.place(run::RESULTS),
            text,
        ));
    };
    let (Some(entry), Some(exit)) = (&state.sheets.entry, &state.sheets.exit) else {
        return incomplete("results without both price sheets".into());
    };
    let rules = run.record.run.rules;
    let attempts = attempts(&run.checked);
    let submissions = valid_submissions(run);
    match score_submissions(&state.inputs, rules, submissions, (entry, exit), &attempts) {
        // Refused prices are reported with the prices.
        Err(ScoringError::Prices { .. }) => {}
        Err(error) => incomplete(error.to_string()),
        Ok(scored) => compare(run, &scored, findings),
    }
}

/// The valid submissions of a run, in order of file name.
pub(super) fn valid_submissions(run: &RunState) -> Vec<Submission> {
    run.checked
        .iter()
        .filter_map(|file| file.verdict.as_ref().ok())
        .cloned()
        .collect()
}

fn compare(run: &RunState, scored: &ScoredRun, findings: &mut Vec<Finding>) {
    let mut missing = Vec::new();
    let mut older = false;
    for (path, table) in &scored.tables {
        match run.folder.read_optional(path) {
            Ok(Some(bytes)) => older |= compare_table(run, path, table, &bytes, findings),
            Ok(None) => missing.push(*path),
            Err(error) => {
                let text = error.to_string();
                findings.push(Finding::new(Code::UnreadableFile, run.place(path), text));
            }
        }
    }
    // The earliest format had no allocations.
    missing.retain(|path| !(older && *path == run::ALLOCATIONS));
    for path in missing {
        findings.push(Finding::new(
            Code::ResultIncomplete,
            run.place(path),
            "is missing",
        ));
    }
    let warned = run.folder.has(run::PRICE_WARNINGS);
    if warned != scored.price_warnings.is_some() {
        let text = if warned {
            "warns although every price is adjusted"
        } else {
            "is missing although a raw close was used"
        };
        findings.push(Finding::new(
            Code::ResultDiffers,
            run.place(run::PRICE_WARNINGS),
            text,
        ));
    }
}

/// Compares one table; true when the stored one has an earlier format.
fn compare_table(
    run: &RunState,
    path: &str,
    table: &ResultTable,
    stored: &[u8],
    findings: &mut Vec<Finding>,
) -> bool {
    let text = table.render();
    if text.as_bytes() == stored {
        return false;
    }
    let header = read_table(stored)
        .map(|table| table.header)
        .unwrap_or_default();
    let own = table.columns();
    let older = header.len() < own && !header.is_empty();
    let same_columns = if older {
        table.render_as(&header)
    } else {
        None
    };
    let place = run.place(path);
    if same_columns.as_deref().map(str::as_bytes) == Some(stored) {
        let text = format!("has {} of {own} columns", header.len());
        findings.push(Finding::new(Code::OlderResultFormat, place, text));
    } else {
        let ours = same_columns.unwrap_or(text);
        let detail = first_difference(&ours, &String::from_utf8_lossy(stored));
        findings.push(Finding::new(Code::ResultDiffers, place, detail));
    }
    older
}

/// Says in which line two texts part.
pub(super) fn first_difference(computed: &str, stored: &str) -> String {
    let (mut ours, mut theirs) = (computed.lines(), stored.lines());
    let mut line = 1;
    loop {
        let (a, b) = (ours.next(), theirs.next());
        match (a, b) {
            (None, None) => return "differs in its line ends".to_owned(),
            _ if a == b => line += 1,
            _ => {
                let shown = |text: Option<&str>| -> String {
                    text.unwrap_or("nothing").chars().take(120).collect()
                };
                return format!("line {line} is {:?}; computed {:?}", shown(b), shown(a));
            }
        }
    }
}
