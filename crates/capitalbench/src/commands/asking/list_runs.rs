//! `list-runs`: the runs of a round.

use capitalbench_archive::disk::layout::run;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::run::{Run, Selection, official_run, selection};
use capitalbench_core::values::time::WrittenInstant;
use serde_json::json;

use crate::cli::ListRuns;
use crate::console::{Table, document, is_json, line, or_none};
use crate::error::{Error, Exit};

/// A run and what its folder holds.
struct Row {
    run: Run,
    scored: bool,
    report: bool,
    /// Control entrants on disk; they are counted apart from models.
    controls: usize,
}

pub(crate) fn run(arguments: &ListRuns) -> Result<Exit, Error> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    let mut rows = Vec::new();
    for run_id in folder.run_ids()? {
        let opened = folder.run(&run_id)?;
        rows.push(Row {
            run: opened.record()?.run,
            scored: opened.has(run::LEADERBOARD) || opened.has(run::STABILITY),
            report: opened.has(run::REPORT),
            controls: opened.submission_names(run::CONTROLS)?.len(),
        });
    }
    let rules = folder.record_rules()?;
    let record = official_run(rows.iter().map(|row| &row.run), rules).ok();
    if is_json() {
        let runs: Vec<_> = rows.iter().map(|row| as_json(row, &rows, record)).collect();
        document(&json!({"round_id": folder.name(), "runs": runs}));
    } else if rows.is_empty() {
        line(format!("{} has no run yet", folder.name()));
    } else {
        print(&rows, record);
    }
    Ok(Exit::Success)
}

fn as_json(row: &Row, all: &[Row], record: Option<&Run>) -> serde_json::Value {
    let run = &row.run;
    let selection = selection(run, all.iter().map(|row| &row.run));
    json!({
        "run_id": run.run_id.as_str(),
        "run_type": run.rules.kind.as_str(),
        "replicates": run.rules.replicates,
        "created_at_utc": run.created_at.as_ref().map(WrittenInstant::text),
        "model_count": run.counts.models,
        "valid_submissions": run.counts.valid,
        "invalid_submissions": run.counts.invalid,
        "scored": row.scored,
        "report": row.report,
        "control_entrants": row.controls,
        "official_score_eligible": run.eligible,
        "selected": selection == Selection::Selected,
        "is_record": record == Some(run),
    })
}

fn print(rows: &[Row], record: Option<&Run>) {
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let cells = rows.iter().map(|row| {
        let run = &row.run;
        vec![
            run.run_id.to_string(),
            run.rules.kind.as_str().to_owned(),
            run.rules.replicates.to_string(),
            or_none(run.created_at.as_ref().map(WrittenInstant::text)),
            or_none(run.counts.models),
            or_none(run.counts.valid),
            or_none(run.counts.invalid),
            row.controls.to_string(),
            yes(row.scored),
            yes(row.report),
            yes(run.eligible),
            if record == Some(run) { "record" } else { "" }.to_owned(),
        ]
    });
    let layout = Table {
        // The last column says which run is the record.
        header: "run | type | replicates > | created | models > | valid > | invalid > | \
                 controls > | scored | report | eligible |",
        spare: &[2, 9, 7, 3, 8, 10],
        ..Table::default()
    };
    line(layout.render(cells.collect()));
}
