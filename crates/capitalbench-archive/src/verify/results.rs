//! Results: computed again and compared byte for byte.

use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::round::methodology::Enforcement;

use super::finding::{Code, Finding, Findings, Severity};
use super::{RoundState, RunState};
use crate::disk::layout::run;
use crate::format::figures::results::ResultTable;
use crate::format::text::table::read_table;
use crate::results::scoring::{
    Entrants, RoundPrices, ScoredAs, ScoredRun, ScoringError, attempts, score_submissions,
};
use crate::round::round_folder::RoundInputs;
use crate::run::run_folder::RunFolder;

/// Re-scores every run that has results.
pub(super) fn check(state: &RoundState, official: Option<&RunState>, findings: &mut Findings) {
    let results = [run::RETURNS, run::LEADERBOARD, run::STABILITY];
    let scored = |run: &&RunState| results.iter().any(|file| run.folder.has(file));
    let is_scored = state.runs.iter().any(|run| scored(&run));
    let prices = is_scored.then(|| RoundPrices::load(&state.inputs));
    for run in &state.runs {
        right_to_results(run, official, findings);
        if let Some(prices) = prices.as_ref().filter(|_| scored(&run)) {
            rescore(state, run, prices, findings);
        }
    }
}

/// Only official, real runs may be ranked, and only the record should be.
fn right_to_results(run: &RunState, official: Option<&RunState>, findings: &mut Findings) {
    let own = &run.record.run;
    if own.rules.kind != RunKind::Official || own.calls == Calls::Mock {
        return;
    }
    let is_record = official.is_some_and(|official| official.folder == run.folder);
    let mut add = |code, file: &str, text: &str| {
        findings.add(code, run.place(file), text);
    };
    if run.folder.has(run::LEADERBOARD) {
        if !own.eligible {
            let text = "official_score_eligible is false";
            add(Code::ResultFromIneligibleRun, run::LEADERBOARD, text);
        } else if !is_record {
            let text = "the run is not the record";
            add(Code::ResultOfUnselectedRun, run::LEADERBOARD, text);
        }
    } else if run.folder.has(run::INTERIM) && !own.eligible {
        let text = "official_score_eligible is false";
        add(Code::InterimFromIneligibleRun, run::INTERIM, text);
    }
}

fn rescore(
    state: &RoundState,
    run: &RunState,
    prices: &Result<RoundPrices, ScoringError>,
    findings: &mut Findings,
) {
    let mut incomplete = |text: String| {
        findings.add(Code::ResultIncomplete, run.place(run::RESULTS), text);
    };
    let prices = match prices {
        Ok(prices) => prices,
        Err(error) => return incomplete(error.to_string()),
    };
    let attempts = attempts(&run.checked);
    let entrants = Entrants {
        submissions: valid_submissions(run),
        controls: run.controls.as_ref(),
    };
    let own = ScoredAs {
        run_id: run.folder.run_id(),
        rules: run.record.run.rules,
        attempts: &attempts,
    };
    match score_submissions(&state.inputs, own, entrants, prices) {
        // The check of the prices reports refused prices.
        Err(ScoringError::Prices { .. }) => {}
        Err(error) => incomplete(error.to_string()),
        Ok(scored) => {
            let enforcement = state.inputs.manifest.methodology.enforcement();
            compare(&run.folder, &scored, enforcement, findings);
        }
    }
}

/// The valid submissions of a run, in order of file name.
pub(super) fn valid_submissions(run: &RunState) -> Vec<Submission> {
    let valid = run.checked.iter();
    let valid = valid.filter_map(|file| file.verdict.as_ref().ok());
    valid.cloned().collect()
}

/// Compares stored results with those that were computed.
fn compare(
    folder: &RunFolder,
    scored: &ScoredRun,
    enforcement: Enforcement,
    findings: &mut Findings,
) {
    let mut missing = Vec::new();
    let mut older = false;
    for (path, table) in &scored.tables {
        match folder.read_optional(path) {
            Ok(Some(bytes)) if table.render().as_bytes() == bytes => {}
            Ok(Some(bytes)) => {
                let (was_older, finding) = explain(&folder.place(path), table, &bytes, enforcement);
                older |= was_older;
                findings.push(finding);
            }
            Ok(None) => missing.push(*path),
            Err(error) => {
                let text = error.to_string();
                findings.add(Code::UnreadableFile, folder.place(path), text);
            }
        }
    }
    // The earliest format had no allocations.
    missing.retain(|path| !(older && *path == run::ALLOCATIONS));
    for path in missing {
        findings.add(Code::ResultIncomplete, folder.place(path), "is missing");
    }
    compare_outcomes(folder, scored, enforcement, findings);
    let warned = folder.has(run::PRICE_WARNINGS);
    if warned != scored.price_warnings.is_some() {
        let text = if warned {
            "warns although every price is adjusted"
        } else {
            "is missing although a raw close was used"
        };
        findings.add(Code::ResultDiffers, folder.place(run::PRICE_WARNINGS), text);
    }
}

/// Rounds of the earlier project have no such file; ours always have one.
fn compare_outcomes(
    folder: &RunFolder,
    scored: &ScoredRun,
    enforcement: Enforcement,
    findings: &mut Findings,
) {
    let (code, text) = match folder.read_optional(run::OUTCOMES) {
        Ok(Some(bytes)) if bytes == scored.outcomes_json.as_bytes() => return,
        Ok(None) if enforcement == Enforcement::Reproduce => return,
        Ok(None) => (Code::ResultIncomplete, "is missing".to_owned()),
        Ok(Some(_)) => {
            let text = "does not follow from the submissions and the prices".to_owned();
            (Code::ResultDiffers, text)
        }
        Err(error) => (Code::UnreadableFile, error.to_string()),
    };
    findings.add(code, folder.place(run::OUTCOMES), text);
}

/// Refuses results that do not follow from the submissions and the prices, so that they are never
/// published.
pub(crate) fn require(
    inputs: &RoundInputs,
    folder: &RunFolder,
    scored: &ScoredRun,
) -> Result<(), ScoringError> {
    let mut findings = Findings::default();
    let enforcement = inputs.manifest.methodology.enforcement();
    compare(folder, scored, enforcement, &mut findings);
    let wrong = |finding: &Finding| finding.severity() == Severity::Error;
    let Some(first) = findings.0.into_iter().find(wrong) else {
        return Ok(());
    };
    Err(ScoringError::OtherResult {
        round: inputs.folder.name(),
        file: first.place,
        problem: first.detail,
    })
}

/// Tells whether a stored table that differs has an earlier format or is wrong.
fn explain(
    place: &str,
    table: &ResultTable,
    stored: &[u8],
    enforcement: Enforcement,
) -> (bool, Finding) {
    let header = read_table(stored).map(|table| table.header);
    let header = header.unwrap_or_default();
    let own = table.columns();
    // Our own rounds never had an earlier format; a missing column was removed.
    let may_be_older = enforcement == Enforcement::Reproduce;
    let older = may_be_older && header.len() < own && !header.is_empty();
    let same_columns = older.then(|| table.render_as(&header)).flatten();
    if same_columns.as_deref().map(str::as_bytes) == Some(stored) {
        let text = format!("has {} of {own} columns", header.len());
        return (older, Finding::new(Code::OlderResultFormat, place, text));
    }
    let ours = same_columns.unwrap_or_else(|| table.render());
    let detail = first_difference(&ours, &String::from_utf8_lossy(stored));
    (older, Finding::new(Code::ResultDiffers, place, detail))
}

/// The line and the column in which two tables first differ.
pub(super) fn first_difference(computed: &str, stored: &str) -> String {
    let [ours, theirs] = [computed, stored].map(|text| read_table(text.as_bytes()));
    let (ours, theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (_, Err(error)) => return error.to_string(),
        (Err(error), _) => return format!("computed: {error}"),
    };
    if ours.header != theirs.header {
        return "its columns are not those of this kind of result".to_owned();
    }
    for (own, row) in ours.rows.iter().zip(&theirs.rows) {
        let cells = own.cells.iter().zip(&row.cells);
        let parted = ours.header.iter().zip(cells).find(|(_, (a, b))| a != b);
        if let Some((column, (computed, stored))) = parted {
            let (stored, computed) = (shortened(stored), shortened(computed));
            let line = row.line;
            return format!("line {line}, {column} is {stored:?}; computed {computed:?}");
        }
    }
    match (ours.rows.len(), theirs.rows.len()) {
        (a, b) if a != b => format!("has {b} rows; computed {a}"),
        _ => "differs in its quotes or line ends".to_owned(),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests;
