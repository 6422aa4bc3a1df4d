//! `fetch-universe-performance`: the mechanical table that every model is shown.

use std::path::PathBuf;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::prices::trailing::{self, Provenance};
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::asking::market_context::{
    ContextStatus, MarketContext, PriceHistory, history_start, market_context,
};
use capitalbench_core::market::calendar::{is_session, last_session_by, previous_session};
use capitalbench_core::market::price_window::Session;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::OptionId;
use jiff::civil::Date;
use serde_json::json;

use super::Exit;
use super::price_source::{asking, open_counted, rounds_of, state_folder, used_up, wait};
use crate::cli::FetchUniversePerformance;
use crate::clock::{Clock, now_or};
use crate::console::{DIM, ERROR, GOOD, document, line, paint};
use crate::error::CommandError;
use crate::steps::asking::{Asked, Asking, AtLimit, Days};

/// Histories, and what the source said about options it could not answer for.
type Fetched = (Vec<PriceHistory>, Vec<(OptionId, String)>);

pub(crate) fn run(arguments: &FetchUniversePerformance) -> Result<Exit, CommandError> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    freeze::refuse_frozen(&folder)?;
    if folder.file(trailing::CSV).exists() && !arguments.overwrite_performance {
        let text = format!("{} has a table already", folder.name());
        return Err(CommandError::new(text).hint("replace it with --overwrite-performance"));
    }
    let inputs = RoundInputs::load(folder.clone(), &Universes::default())?;
    let as_of = arguments.as_of_date;
    refuse_later_close(&inputs.manifest, as_of)?;
    let start = history_start(as_of)
        .ok_or_else(|| CommandError::new(format!("--as-of-date {as_of} is too early")))?;
    let opened = open_counted(
        arguments.source.source,
        arguments.source.histories.as_deref(),
    )?;
    let state = state_folder(&rounds_of(folder.path())?)?;
    let clock = Clock::starting_at(arguments.now.instant);
    let asking = asking(&opened, &state, clock, AtLimit::Stop);
    let question = format!("{}_trailing_{as_of}", folder.name());
    let days = Days::any_of(start, as_of);
    let (histories, errors) = wait(fetch(&asking, &inputs.universe, &question, &days))??;
    let mut context = market_context(&inputs.universe, &histories, as_of)
        .map_err(|error| CommandError::new(error.to_string()))?;
    explain(&mut context, &errors);
    let provenance = Provenance {
        source: format!("{}_adj_close", asking.source.stored_label()),
        generated_at: now_or(arguments.now.instant).to_string(),
        fetched_symbols: symbols(&inputs.universe),
    };
    let files: Vec<(PathBuf, Vec<u8>)> = trailing::render(&inputs.universe, &context, &provenance)
        .into_iter()
        .map(|(path, text)| (folder.file(path), text.into_bytes()))
        .collect();
    file_ops::replace_all(&files)?;
    asking.forget(&question)?;
    report(arguments, &folder, &context);
    Ok(Exit::of(context.failed().is_empty()))
}

/// Models may not be shown a close that comes after their deadline.
fn refuse_later_close(manifest: &Manifest, as_of: Date) -> Result<(), CommandError> {
    let Some(deadline) = &manifest.decision_deadline else {
        return Ok(());
    };
    // A closed day means the session before it.
    let session = if is_session(as_of) {
        Some(as_of)
    } else {
        previous_session(as_of)
    };
    let last = last_session_by(deadline.at());
    if session <= last {
        return Ok(());
    }
    let text = format!("--as-of-date {as_of}: its close is after the deadline {deadline}");
    let last = last.map_or_else(String::new, |day| day.to_string());
    Err(CommandError::new(text).hint(format!("the last session before the deadline is {last}")))
}

async fn fetch(
    asking: &Asking<'_>,
    universe: &Universe,
    question: &str,
    days: &Days,
) -> Result<Fetched, CommandError> {
    let priced = universe.options().iter().filter(|option| !option.is_cash());
    let options: Vec<_> = priced
        .filter_map(|o| Some((o.id.clone(), o.data_symbol.clone()?)))
        .collect();
    let answers = match asking.ask_all(question, &options, days).await? {
        Asked::Stopped { at, done, of } => {
            return Err(used_up(asking.source.name(), at, (done, of)));
        }
        Asked::All(answers) => answers,
    };
    let (mut histories, mut errors) = (Vec::new(), Vec::new());
    for (option_id, answer) in answers {
        match answer.and_then(|answered| adjusted(&answered.window.sessions)) {
            Ok(closes) => histories.push(PriceHistory { option_id, closes }),
            Err(text) => errors.push((option_id, text)),
        }
    }
    Ok((histories, errors))
}

fn adjusted(rows: &[Session]) -> Result<Vec<(Date, f64)>, String> {
    let close = |row: &Session| {
        let missing = || format!("no adjusted close on {}", row.date);
        let adjusted = row.adjusted.ok_or_else(missing)?;
        Ok((row.date, adjusted.get()))
    };
    rows.iter().map(close).collect()
}

/// A failed row says what the source said.
fn explain(context: &mut MarketContext, errors: &[(OptionId, String)]) {
    for row in &mut context.rows {
        let said = errors
            .iter()
            .find(|(option_id, _)| *option_id == row.option_id);
        if let (ContextStatus::Fail, Some((_, text))) = (row.status, said) {
            row.message.clone_from(text);
        }
    }
}

fn symbols(universe: &Universe) -> Vec<String> {
    let mut symbols: Vec<String> = universe
        .options()
        .iter()
        .filter_map(|option| option.data_symbol.clone())
        .collect();
    symbols.sort_unstable();
    symbols
}

fn report(arguments: &FetchUniversePerformance, folder: &RoundFolder, context: &MarketContext) {
    let failed: Vec<_> = context
        .rows
        .iter()
        .filter(|row| row.status == ContextStatus::Fail)
        .collect();
    if arguments.output.json {
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
        return;
    }
    for row in &failed {
        line(format!(
            "{} {}: {}",
            paint(ERROR, "failed"),
            row.option_id,
            row.message
        ));
    }
    let count = context.rows.len() - failed.len();
    let text = format!("{count} of {} options", context.rows.len());
    line(format!(
        "{}: trailing returns of {}",
        folder.name(),
        paint(GOOD, text)
    ));
    let next = format!(
        "capitalbench hash-round --round {}",
        shell_word(folder.path())
    );
    line(format!("{} {next}", paint(DIM, "next:")));
}
