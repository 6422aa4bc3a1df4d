//! The chosen price source with its plan, and a way to wait for it.

use std::path::{Path, PathBuf};

use capitalbench_adapters::http::{HttpClient, HttpLimits};
use capitalbench_adapters::price_source::{
    AlphaVantage, BaseUrlError, CsvFolder, PriceSource, Tiingo, YahooChart,
};
use capitalbench_archive::disk::layout;
use capitalbench_archive::prices::request_state::RequestState;
use capitalbench_core::market::request_budget::Plan;
use jiff::Timestamp;

use crate::cli::{CrossCheckChoice, Source};
use crate::clock::Clock;
use crate::config::Environment;
use crate::error::CommandError;
use crate::steps::asking::{Asking, AtLimit};
pub(super) use crate::steps::wait;

const STATE_DIR: &str = "CAPITALBENCH_STATE_DIR";
const TIINGO_PLAN: &str = "TIINGO_PLAN";

/// A source, and what its plan allows; none where nothing is counted.
pub(super) type Opened = (Box<dyn PriceSource>, Option<Plan>);

/// The source of a cross-check, where one is wanted.
pub(super) fn open_second(choice: &CrossCheckChoice) -> Result<Option<Opened>, CommandError> {
    let source = choice.source;
    let open = |source| open_counted(source, choice.histories.as_deref());
    source.map(open).transpose()
}

/// Builds a source that asks once per question, so that whoever asks can count.
pub(super) fn open_counted(
    source: Source,
    histories: Option<&Path>,
) -> Result<Opened, CommandError> {
    if source == Source::Csv {
        let Some(folder) = histories else {
            let text = "the csv source needs a folder of histories";
            let hint = "give it with --histories, or --cross-check-histories for a cross-check";
            return Err(CommandError::new(text).hint(hint));
        };
        if !folder.is_dir() {
            let text = format!("--histories {}: there is no such folder", folder.display());
            return Err(CommandError::new(text));
        }
        return Ok((Box::new(CsvFolder::new(folder)), None));
    }
    let environment = Environment::load()?;
    let key = |name: &str| {
        environment.key(name).map_err(|error| {
            error.or_hint("or use --source csv --histories DIR for prices on disk")
        })
    };
    let address = |name: &'static str, default: &str| {
        environment.get(name).unwrap_or_else(|| default.to_owned())
    };
    let limits = HttpLimits {
        reach: environment.reach(),
        ..HttpLimits::default()
    };
    let http = || HttpClient::new(limits).map_err(|error| CommandError::new(error.to_string()));
    let wrong = |name: &'static str| {
        move |error: BaseUrlError| CommandError::new(format!("{name}: {error}"))
    };
    match source {
        Source::Tiingo | Source::Csv => {
            let name = "TIINGO_BASE_URL";
            let key = key("TIINGO_API_KEY")?;
            let source = Tiingo::new(http()?, &address(name, Tiingo::DEFAULT_BASE_URL), key)
                .map_err(wrong(name))?;
            Ok((Box::new(source), Some(tiingo_plan(&environment)?)))
        }
        Source::Yahoo => {
            let name = "YAHOO_BASE_URL";
            let source = YahooChart::new(http()?, &address(name, YahooChart::DEFAULT_BASE_URL))
                .map_err(wrong(name))?;
            Ok((Box::new(source), Some(Plan::default())))
        }
        Source::Alphavantage => {
            let name = "ALPHAVANTAGE_BASE_URL";
            let key = key("ALPHAVANTAGE_API_KEY")?;
            let address = address(name, AlphaVantage::DEFAULT_BASE_URL);
            let source = AlphaVantage::new(http()?, &address, key).map_err(wrong(name))?;
            Ok((Box::new(source), Some(Plan::ALPHA_VANTAGE_FREE)))
        }
    }
}

/// Tiingo's free plan, or the one that was bought.
fn tiingo_plan(environment: &Environment) -> Result<Plan, CommandError> {
    let Some(text) = environment.get(TIINGO_PLAN) else {
        return Ok(Plan::TIINGO_FREE);
    };
    Plan::parse(&text).ok_or_else(|| {
        CommandError::new(format!("{TIINGO_PLAN}: {text:?} is not a plan"))
            .hint("write questions an hour, a day and symbols a month, such as 50/1000/500")
    })
}

/// The folder that a round lies in.
pub(super) fn rounds_of(round: &Path) -> Result<PathBuf, CommandError> {
    let whole = std::fs::canonicalize(round)
        .map_err(|error| CommandError::new(format!("{}: {error}", round.display())))?;
    Ok(whole.parent().unwrap_or(&whole).to_owned())
}

/// Among the rounds, where every process that works on them finds it, unless told otherwise.
pub(super) fn state_folder(rounds: &Path) -> Result<PathBuf, CommandError> {
    let given = Environment::load()?.get(STATE_DIR).map(PathBuf::from);
    Ok(given.unwrap_or_else(|| rounds.join(layout::STATE)))
}

/// A source with its allowance.
pub(super) fn asking<'a>(
    (source, plan): &'a Opened,
    state: &Path,
    clock: Clock,
    at_limit: AtLimit,
) -> Asking<'a> {
    Asking {
        source: &**source,
        counted: plan.map(|plan| (RequestState::new(state, source.name()), plan)),
        clock,
        at_limit,
    }
}

/// Why a table could not be finished, and when it can be.
pub(super) fn used_up(source: &str, at: Timestamp, (done, of): (usize, usize)) -> CommandError {
    let text = format!("the plan of {source} is used up after {done} of {of} options");
    CommandError::new(text).hint(format!(
        "run it again at {at}; what came is kept and not asked for again, nothing was written"
    ))
}
