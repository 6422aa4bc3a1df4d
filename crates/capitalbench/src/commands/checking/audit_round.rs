//! `audit-round`: one round by area, with the next step.

use capitalbench_archive::verify::Severity;
use capitalbench_archive::verify::audit::{Check, Status, audit};
use capitalbench_operations::operator::clock::now_or;
use serde_json::json;

use super::verify::finding_json;
use crate::cli::AuditRound;
use crate::commands::run_id;
use crate::console::{DIM, ERROR, GOOD, WARNING, document, is_json, line, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &AuditRound) -> Result<Exit, Error> {
    let run_id = run_id(arguments.run_id.as_deref())?;
    let now = now_or(arguments.now.instant);
    let checks = audit(&arguments.round.path, run_id.as_ref(), now)?;
    let passed = !checks
        .iter()
        .any(|c| matches!(c.status, Status::Fail | Status::Missing));
    let word = if passed { "PASS" } else { "FAIL" };
    if is_json() {
        let checks: Vec<_> = checks.iter().map(as_json).collect();
        document(&json!({"checks": checks, "status": word}));
        return Ok(Exit::of(passed));
    }
    for check in &checks {
        print(check);
    }
    let style = if passed { GOOD } else { ERROR };
    line(format!("Audit status: {}", paint(style, word)));
    Ok(Exit::of(passed))
}

fn as_json(check: &Check) -> serde_json::Value {
    json!({
        "area": check.area.as_str(),
        "status": check.status.as_str(),
        "findings": check.findings.iter().map(finding_json).collect::<Vec<_>>(),
        "next": check.next,
    })
}

fn print(check: &Check) {
    let style = match check.status {
        Status::Fail => ERROR,
        Status::Missing | Status::Warn => WARNING,
        Status::NotDue | Status::NotPublished => DIM,
        Status::Pass => GOOD,
    };
    let status = paint(style, format!("{:13}", check.status.as_str()));
    line(format!("{status}  {}", check.area.as_str()));
    for finding in &check.findings {
        if finding.severity() != Severity::Note || check.status != Status::Pass {
            let (code, place) = (finding.code, &finding.place);
            line(format!("{:15}{code}  {place}: {}", "", finding.detail));
        }
    }
    if let Some(next) = &check.next {
        line(format!("{:15}next: {next}", ""));
    }
}
