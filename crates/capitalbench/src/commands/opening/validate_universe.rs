//! `validate-universe`: does the price source know every option?

use capitalbench_archive::format::prices::universe_report::OptionCheck;
use capitalbench_operations::prices::universe_check::{Listed, check_universe};
use serde_json::json;

use crate::cli::ValidateUniverse;
use crate::commands::notices::vendor;
use crate::config::operator;
use crate::console::{ERROR, GOOD, document, is_json, line, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &ValidateUniverse) -> Result<Exit, Error> {
    let listed = match &arguments.round {
        Some(round) => Listed::Round(round.clone()),
        None => Listed::File(arguments.options.clone().unwrap_or_default()),
    };
    let done = check_universe(
        &operator(arguments.now.instant)?,
        &listed,
        &vendor(&arguments.source)?,
        (arguments.start_date, arguments.end_date),
        arguments.patience.at_limit(),
    )?;
    let is_failed = |check: &&OptionCheck| check.status() == "fail";
    let failed: Vec<&OptionCheck> = done.checks.iter().filter(is_failed).collect();
    let outcome = Exit::of(failed.is_empty());
    let all = done.checks.len();
    if is_json() {
        let failures: Vec<_> = failed
            .iter()
            .map(|c| json!({"option_id": c.id, "message": c.message()}))
            .collect();
        let report = done.json_report.display().to_string();
        document(&json!({"options": all, "failed": failures, "report": report}));
        return Ok(outcome);
    }
    for check in &failed {
        let (id, message) = (&check.id, check.message());
        line(format!("{} {id}: {message}", paint(ERROR, "failed")));
    }
    let text = format!("{} of {all} options are known", all - failed.len());
    let report = done.markdown_report.display();
    line(format!("{} ({report})", paint(GOOD, text)));
    Ok(outcome)
}
