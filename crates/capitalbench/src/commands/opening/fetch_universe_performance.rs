//! `fetch-universe-performance`: the mechanical table that every model is shown.

use capitalbench_archive::disk::layout;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::asking::market_context::{ContextStatus, MarketContext};
use capitalbench_operations::opening::briefing::is_briefed;
use capitalbench_operations::opening::market_table::{TableManner, fetch_table};
use serde_json::json;

use crate::cli::FetchUniversePerformance;
use crate::commands::notices::vendor;
use crate::config::operator;
use crate::console::{ERROR, GOOD, document, is_json, line, next_step, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &FetchUniversePerformance) -> Result<Exit, Error> {
    let (folder, context) = fetch_table(
        &operator(arguments.now.instant)?,
        &arguments.round.path,
        arguments.as_of_date,
        &vendor(&arguments.source)?,
        &TableManner {
            overwrite: arguments.overwrite_performance,
            accept_moves: arguments.accept_moves.clone(),
            at_limit: arguments.patience.at_limit(),
        },
    )?;
    report(&folder, &context)?;
    Ok(Exit::of(context.failed().is_empty()))
}

fn report(folder: &RoundFolder, context: &MarketContext) -> Result<(), Error> {
    let failed: Vec<_> = context
        .rows
        .iter()
        .filter(|row| row.status == ContextStatus::Fail)
        .collect();
    if is_json() {
        let failures: Vec<_> = failed
            .iter()
            .map(|row| json!({"option_id": row.option_id.as_str(), "message": row.message}))
            .collect();
        document(&json!({
            "round_id": folder.name(),
            "as_of_date": context.as_of.to_string(),
            "options": context.rows.len(),
            "failed": failures,
        }));
        return Ok(());
    }
    for row in &failed {
        let (id, message) = (&row.option_id, &row.message);
        line(format!("{} {id}: {message}", paint(ERROR, "failed")));
    }
    let count = context.rows.len() - failed.len();
    let text = format!("{count} of {} options", context.rows.len());
    let (round, known) = (folder.name(), paint(GOOD, text));
    line(format!("{round}: trailing returns of {known}"));
    let path = shell_word(folder.path());
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    let by_rule = manifest.methodology.freezes_daily_returns();
    let verb = if by_rule && !is_briefed(folder)? {
        "make-briefing"
    } else {
        "hash-round"
    };
    next_step(format!("capitalbench {verb} --round {path}"));
    Ok(())
}
