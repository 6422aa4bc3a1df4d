//! `validate-universe`: does the price source know every option?

use std::path::{Path, PathBuf};

use capitalbench_adapters::price_source::{DailyClose, PriceError, PriceSource};
use capitalbench_archive::error::FileError;
use capitalbench_archive::file_ops;
use capitalbench_archive::format::options;
use capitalbench_archive::format::universe_report::{Asked, OptionCheck, render};
use capitalbench_archive::layout;
use capitalbench_archive::round_folder::RoundFolder;
use capitalbench_core::universe::{MarketOption, Universe};
use jiff::civil::Date;
use serde_json::json;

use super::Outcome;
use super::price_source::{open, wait};
use crate::cli::ValidateUniverse;
use crate::clock::now_or;
use crate::console::{ERROR, GOOD, document, line, paint, progress};
use crate::error::CommandError;

pub(crate) fn run(arguments: &ValidateUniverse) -> Result<Outcome, CommandError> {
    let (from, to) = (arguments.start_date, arguments.end_date);
    if from > to {
        let text = format!("--start-date {from} is after --end-date {to}");
        return Err(CommandError::new(text).hint("swap the two days"));
    }
    let (file, stem) = files(arguments)?;
    let bytes = file_ops::read(&file).map_err(FileError::from)?;
    let universe = options::parse(&bytes).map_err(|fault| fault.in_file(&file))?;
    let source = open(&arguments.source)?;
    let checks = wait(ask(&*source, &universe, from, to))??;
    let asked = Asked {
        source: source.name().to_owned(),
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
    let failed: Vec<&OptionCheck> = checks.iter().filter(|c| c.status() == "fail").collect();
    if arguments.output.json {
        let failures: Vec<_> = failed
            .iter()
            .map(|c| json!({"option_id": c.id, "message": c.message()}))
            .collect();
        let report = stem.with_extension("json").display().to_string();
        document(&json!({"options": checks.len(), "failed": failures, "report": report}));
        return Ok(Outcome::of(failed.is_empty()));
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
    Ok(Outcome::of(failed.is_empty()))
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

async fn ask(
    source: &dyn PriceSource,
    universe: &Universe,
    from: Date,
    to: Date,
) -> Result<Vec<OptionCheck>, CommandError> {
    let bar = progress(universe.options().len(), "asking");
    let mut checks = Vec::with_capacity(universe.options().len());
    for option in universe.options() {
        let answer = match &option.data_symbol {
            None => None,
            Some(symbol) => Some(source.history(symbol, from, to).await),
        };
        if let Some(Err(error)) = &answer
            && error.concerns_every_symbol()
        {
            bar.finish_and_clear();
            let text = format!("{}: {error}", option.id);
            return Err(CommandError::new(text).hint("nothing was written"));
        }
        checks.push(check(option, answer));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(checks)
}

fn check(
    option: &MarketOption,
    answer: Option<Result<Vec<DailyClose>, PriceError>>,
) -> OptionCheck {
    let (rows, error) = match answer {
        Some(Ok(rows)) => (rows, None),
        Some(Err(error)) => (Vec::new(), Some(error.to_string())),
        None => (Vec::new(), None),
    };
    let day = |row: Option<&DailyClose>| row.map(|row| row.date.to_string());
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
