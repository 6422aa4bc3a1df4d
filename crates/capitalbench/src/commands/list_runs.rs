//! `list-runs`: the runs of a round.

use capitalbench_archive::layout::run;
use capitalbench_archive::round_folder::RoundFolder;
use capitalbench_core::run::{Run, Selection, official_run};
use serde_json::json;

use super::Outcome;
use crate::cli::ListRuns;
use crate::console::{document, line, table};
use crate::error::CommandError;

pub(crate) fn run(arguments: &ListRuns) -> Result<Outcome, CommandError> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    let mut runs = Vec::new();
    for run_id in folder.run_ids()? {
        let opened = folder.run(&run_id)?;
        let scored = opened.has(run::LEADERBOARD) || opened.has(run::STABILITY);
        let report = opened.has(run::REPORT);
        runs.push((opened.record()?.run, [scored, report]));
    }
    let record = official_run(runs.iter().map(|(run, _)| run))
        .ok()
        .map(|run| run.run_id.clone());
    let is_record = |run: &Run| record.as_ref() == Some(&run.run_id);
    if arguments.output.json {
        let rows = runs.iter().map(|(run, [scored, report])| {
            json!({
                "run_id": run.run_id.as_str(),
                "run_type": run.rules.kind.as_str(),
                "replicates": run.rules.replicates,
                "created_at_utc": run.created_at.as_ref().map(|stamp| stamp.text()),
                "model_count": run.counts.models,
                "valid_submissions": run.counts.valid,
                "invalid_submissions": run.counts.invalid,
                "scored": scored,
                "report": report,
                "official_score_eligible": run.eligible,
                "selected": run.selection == Selection::Selected,
                "is_record": is_record(run),
            })
        });
        document(&json!({"round_id": folder.name(), "runs": rows.collect::<Vec<_>>()}));
        return Ok(Outcome::Holds);
    }
    if runs.is_empty() {
        line(format!("{} has no run yet", folder.name()));
        return Ok(Outcome::Holds);
    }
    let yes = |flag: bool| if flag { "yes" } else { "no" }.to_owned();
    let count = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let rows = runs.iter().map(|(run, [scored, report])| {
        vec![
            run.run_id.to_string(),
            run.rules.kind.as_str().to_owned(),
            run.rules.replicates.to_string(),
            run.created_at
                .as_ref()
                .map_or("-", |stamp| stamp.text())
                .to_owned(),
            count(run.counts.models),
            count(run.counts.valid),
            count(run.counts.invalid),
            yes(*scored),
            yes(*report),
            yes(run.eligible),
            if is_record(run) { "record" } else { "" }.to_owned(),
        ]
    });
    let header = [
        "run",
        "type",
        "replicates",
        "created",
        "models",
        "valid",
        "invalid",
        "scored",
        "report",
        "eligible",
        "",
    ];
    line(table(&header, &[2, 4, 5, 6], rows.collect()));
    Ok(Outcome::Holds)
}
