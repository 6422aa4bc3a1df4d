//! `validate-universe`: does the price source know every option?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::prices::universe_report::{Asked, OptionCheck, render};
use capitalbench_archive::format::round::options;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::market::price_window::Session;
use capitalbench_core::market::universe::{MarketOption, Universe};
use capitalbench_core::values::ids::{Digest, OptionId};
use serde_json::json;

use super::Exit;
use super::price_source::{asking, open_counted, rounds_of, state_folder, used_up, wait};
use crate::cli::ValidateUniverse;
use crate::clock::{Clock, now_or};
use crate::console::{ERROR, GOOD, document, line, paint};
use crate::error::CommandError;
use crate::steps::asking::{Answered, Asked as Answers, Asking, AtLimit, Days};
use crate::steps::record::record;

pub(crate) fn run(arguments: &ValidateUniverse) -> Result<Exit, CommandError> {
    let (from, to) = (arguments.start_date, arguments.end_date);
    if from > to {
        let text = format!("--start-date {from} is after --end-date {to}");
        return Err(CommandError::new(text).hint("swap the two days"));
    }
    let (file, stem) = files(arguments)?;
    let bytes = file_ops::read(&file).map_err(FileError::from)?;
    let universe = options::parse(&bytes).map_err(|fault| fault.in_file(&file))?;
    let opened = open_counted(
        arguments.source.source,
        arguments.source.histories.as_deref(),
    )?;
    let state = state_folder(&rounds_folder(arguments)?)?;
    let clock = Clock::starting_at(arguments.now.instant);
    let asking = asking(&opened, &state, clock, AtLimit::Stop);
    let question = format!("{}_known_{from}_{to}", Digest::of(&bytes).to_hex());
    let days = Days::any_of(from, to);
    let checks = wait(ask(&asking, &universe, &question, &days))??;
    let asked = Asked {
        source: asking.source.name().to_owned(),
        start: from.to_string(),
        end: to.to_string(),
        at: now_or(arguments.now.instant).to_string(),
    };
    let (json_text, markdown) = render(&asked, &checks);
    let written = [
        (stem.with_extension("json"), json_text.into_bytes()),
        (stem.with_extension("md"), markdown.into_bytes()),
    ];
    file_ops::replace_all(&written)?;
    if let Some(path) = &arguments.round {
        record(&RoundFolder::open(path)?, clock.now())?;
    }
    asking.forget(&question)?;
    let failed: Vec<&OptionCheck> = checks.iter().filter(|c| c.status() == "fail").collect();
    if arguments.output.json {
        let failures: Vec<_> = failed
            .iter()
            .map(|c| json!({"option_id": c.id, "message": c.message()}))
            .collect();
        let report = stem.with_extension("json").display().to_string();
        document(&json!({"options": checks.len(), "failed": failures, "report": report}));
        return Ok(Exit::of(failed.is_empty()));
    }
    for check in &failed {
        line(format!(
            "{} {}: {}",
            paint(ERROR, "failed"),
            check.id,
            check.message()
        ));
    }
    let known = checks.len() - failed.len();
    let text = format!("{known} of {} options are known", checks.len());
    line(format!(
        "{} ({})",
        paint(GOOD, text),
        stem.with_extension("md").display()
    ));
    Ok(Exit::of(failed.is_empty()))
}

/// The universe file, and the report's path without its ending.
fn files(arguments: &ValidateUniverse) -> Result<(PathBuf, PathBuf), CommandError> {
    if let Some(path) = &arguments.round {
        let folder = RoundFolder::open(path)?;
        return Ok((
            folder.file(layout::OPTIONS),
            folder.file("universe_validation_report"),
        ));
    }
    let file = arguments.options.clone().unwrap_or_default();
    let stem = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let folder = file.parent().unwrap_or_else(|| Path::new("")).to_owned();
    Ok((file, folder.join(format!("{stem}_validation_report"))))
}

/// The folder of the round's neighbours; for a file alone the usual one, where there is one.
fn rounds_folder(arguments: &ValidateUniverse) -> Result<PathBuf, CommandError> {
    if let Some(round) = &arguments.round {
        return rounds_of(round);
    }
    let usual = Path::new("rounds");
    let file = arguments.options.as_deref().unwrap_or(usual);
    Ok(if usual.is_dir() {
        usual.to_owned()
    } else {
        file.parent().unwrap_or(usual).to_owned()
    })
}

async fn ask(
    asking: &Asking<'_>,
    universe: &Universe,
    question: &str,
    days: &Days,
) -> Result<Vec<OptionCheck>, CommandError> {
    let known = universe.options().iter();
    let options: Vec<_> = known
        .filter_map(|option| Some((option.id.clone(), option.data_symbol.clone()?)))
        .collect();
    let answers = match asking.ask_all(question, &options, days).await? {
        Answers::Stopped { at, done, of } => {
            return Err(used_up(asking.source.name(), at, (done, of)));
        }
        Answers::All(answers) => answers,
    };
    let mut answers: BTreeMap<OptionId, Result<Answered, String>> = answers.into_iter().collect();
    let check = |option: &MarketOption| check(option, answers.remove(&option.id));
    Ok(universe.options().iter().map(check).collect())
}

fn check(option: &MarketOption, answer: Option<Result<Answered, String>>) -> OptionCheck {
    let (rows, error) = match answer {
        Some(Ok(answered)) => (answered.window.sessions, None),
        Some(Err(error)) => (Vec::new(), Some(error)),
        None => (Vec::new(), None),
    };
    let day = |row: Option<&Session>| row.map(|row| row.date.to_string());
    OptionCheck {
        id: option.id.to_string(),
        symbols: option.symbol.clone().zip(option.data_symbol.clone()),
        rows: rows.len(),
        days: day(rows.first()).zip(day(rows.last())),
        closes: rows.iter().filter(|row| row.close.is_some()).count(),
        missing_adjusted: rows.iter().filter(|row| row.adjusted.is_none()).count(),
        error,
    }
}
