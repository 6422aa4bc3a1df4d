//! Does the price source know every option of a universe?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::prices::universe_report::{Asked, OptionCheck, render};
use capitalbench_archive::format::round::{manifest, options};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::market::price_window::Session;
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::values::ids::{Digest, OptionId};
use jiff::civil::Date;

use super::fetcher::{Answered, AtLimit, Days, Fetcher};
use super::sources::{Vendor, rounds_of};
use crate::error::Error;
use crate::operator::files::read;
use crate::operator::{Operator, wait};
use crate::proof::record::record;

/// Where the options are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    Round(PathBuf),
    File(PathBuf),
}

/// Every option with what the source has of it, and the reports that were written.
#[derive(Debug)]
pub struct UniverseCheck {
    pub checks: Vec<OptionCheck>,
    pub json_report: PathBuf,
    pub markdown_report: PathBuf,
}

/// Asks the source for the rows of every option between two days, and writes a report.
pub fn check_universe(
    operator: &Operator,
    listed: &Listed,
    vendor: &Vendor,
    (from, to): (Date, Date),
    at_limit: AtLimit,
) -> Result<UniverseCheck, Error> {
    if from > to {
        let text = format!("--start-date {from} is after --end-date {to}");
        return Err(Error::new(text).hint("swap the two days"));
    }
    let (file, stem) = listed.files()?;
    let (universe, digest) = read(&file, |bytes| {
        Ok((options::parse(bytes)?, Digest::of(bytes)))
    })?;
    let fetcher = Fetcher::open(operator, vendor, &listed.rounds_folder()?, at_limit)?;
    let question = format!("{}_known_{from}_{to}", digest.to_hex());
    let known = universe.options().iter();
    let asked: Vec<_> = known
        .filter_map(|option| Some((option.id.clone(), option.data_symbol.clone()?)))
        .collect();
    let publish = listed.publish(vendor)?;
    let days = Days::any_of(from, to);
    let answers = wait(fetcher.fetch_whole(&question, &asked, &days, publish))??;
    let mut answers: BTreeMap<OptionId, Result<Answered, String>> = answers.into_iter().collect();
    let check = |option: &MarketOption| check(option, answers.remove(&option.id));
    let checks: Vec<OptionCheck> = universe.options().iter().map(check).collect();
    let asked = Asked {
        source: fetcher.source.name().to_owned(),
        start: from.to_string(),
        end: to.to_string(),
        at: operator.now().to_string(),
    };
    let (json, markdown) = render(&asked, &checks);
    let done = UniverseCheck {
        checks,
        json_report: stem.with_extension("json"),
        markdown_report: stem.with_extension("md"),
    };
    file_ops::replace_all(&[
        (done.json_report.clone(), json.into_bytes()),
        (done.markdown_report.clone(), markdown.into_bytes()),
    ])?;
    if let Listed::Round(path) = listed {
        record(operator, &RoundFolder::open(path)?, operator.clock.now())?;
    }
    fetcher.forget(&question)?;
    Ok(done)
}

impl Listed {
    /// The universe file, and the path of the reports without its ending.
    fn files(&self) -> Result<(PathBuf, PathBuf), Error> {
        match self {
            Self::Round(path) => {
                let folder = RoundFolder::open(path)?;
                let report = folder.file("universe_validation_report");
                Ok((folder.file(layout::OPTIONS), report))
            }
            Self::File(file) => {
                let stem = file.file_stem().unwrap_or_default().to_string_lossy();
                let report = file.with_file_name(format!("{stem}_validation_report"));
                Ok((file.clone(), report))
            }
        }
    }

    /// What is public of prices, which decides whether the report quotes an answer.
    fn publish(&self, vendor: &Vendor) -> Result<PublishedPrices, Error> {
        match self {
            Self::Round(path) => {
                let manifest = RoundFolder::open(path)?.parse(layout::MANIFEST, manifest::parse)?;
                Ok(manifest.publish)
            }
            Self::File(_) => Ok(PublishedPrices::usual_for(vendor.name())),
        }
    }

    /// The folder of the round's neighbours; for a file alone the usual one, where there is one.
    fn rounds_folder(&self) -> Result<PathBuf, Error> {
        let usual = Path::new("rounds");
        match self {
            Self::Round(round) => rounds_of(round),
            Self::File(_) if usual.is_dir() => Ok(usual.to_owned()),
            Self::File(file) => Ok(file.parent().unwrap_or(usual).to_owned()),
        }
    }
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
