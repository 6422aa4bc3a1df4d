//! `publish-report` and `publish-round-summary`: reports for people.

use capitalbench_archive::disk::layout;
use capitalbench_operations::publishing::report::publish_report;
use capitalbench_operations::publishing::summary::publish_summary;
use serde_json::json;

use crate::cli::{PublishReport, PublishRoundSummary};
use crate::commands::{parse_run_id, run_id};
use crate::config::operator;
use crate::console::{document, is_json, line};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &PublishReport) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let run_id = run_id(arguments.run_id.as_deref())?;
    let published = publish_report(&operator, &arguments.round.path, run_id.as_ref())?;
    let state = if published.resolved {
        "resolved"
    } else {
        "pending"
    };
    if is_json() {
        document(&json!({
            "round_id": published.round,
            "run_id": published.run.run_id().as_str(),
            "state": state,
            "files": published.files,
        }));
    } else {
        for file in &published.files {
            let file = published.run.file(file);
            line(format!("{} ({state})", file.display()));
        }
    }
    Ok(Exit::Success)
}

pub(crate) fn run_summary(arguments: &PublishRoundSummary) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let official = parse_run_id("--official-run-id", &arguments.official_run_id)?;
    let stability = parse_run_id("--stability-run-id", &arguments.stability_run_id)?;
    let summary = publish_summary(&operator, &arguments.round.path, &official, &stability)?;
    if is_json() {
        document(&json!({
            "round_id": summary.round,
            "files": [layout::ROUND_SUMMARY],
            "resolved": summary.is_resolved,
        }));
    } else {
        line(summary.file.display());
    }
    Ok(Exit::Success)
}
