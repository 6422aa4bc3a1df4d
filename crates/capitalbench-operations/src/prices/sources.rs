//! The price sources that an operator chooses, opened with their plans.

use std::path::{Path, PathBuf};

use capitalbench_adapters::price_source::{
    AlphaVantage, BaseUrlError, CsvFolder, PriceSource, Tiingo, YahooChart,
};
use capitalbench_archive::prices::request_state::RequestState;
use capitalbench_core::market::request_budget::Plan;

use super::fetcher::{Allowance, AtLimit, Fetcher};
use super::invented;
use crate::error::Error;
use crate::operator::Operator;
use crate::operator::configuration::Configuration;
use crate::operator::files::absolute;

pub(crate) const TIINGO_PLAN: &str = "TIINGO_PLAN";
pub(crate) const ALPHA_VANTAGE_PLAN: &str = "ALPHAVANTAGE_PLAN";

/// Who is asked for prices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vendor {
    Tiingo,
    Yahoo,
    AlphaVantage,
    /// A folder with one CSV file per symbol.
    Csv(PathBuf),
    /// The invented market of the folder of rounds, see [`super::invented`].
    Invented,
}

impl Vendor {
    /// The word that flags and files have for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tiingo => "tiingo",
            Self::Yahoo => "yahoo",
            Self::AlphaVantage => "alphavantage",
            Self::Csv(_) => "csv",
            Self::Invented => "invented",
        }
    }

    /// What it may be asked; none where nothing is counted.
    pub fn plan(&self, configuration: &Configuration) -> Result<Option<Plan>, Error> {
        Ok(match self {
            Self::Csv(_) | Self::Invented => None,
            Self::Yahoo => Some(Plan::default()),
            Self::Tiingo => Some(tiingo_plan(configuration)?),
            Self::AlphaVantage => Some(alpha_vantage_plan(configuration)?),
        })
    }
}

/// The source that counts, and the one that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceChoice {
    pub vendor: Vendor,
    pub cross_check: Option<CrossCheckChoice>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CrossCheckChoice {
    pub vendor: Vendor,
    /// How far the two may be apart.
    pub tolerance_bps: f64,
}

/// Both sources, ready to be asked.
pub struct Fetchers<'a> {
    pub first: Fetcher<'a>,
    pub second: Option<Second<'a>>,
}

/// The source of the cross-check, and how far it may be apart.
pub struct Second<'a> {
    pub fetcher: Fetcher<'a>,
    pub tolerance_bps: f64,
}

impl<'a> Fetchers<'a> {
    pub fn open(
        operator: &'a Operator,
        choice: &PriceChoice,
        rounds: &Path,
        at_limit: AtLimit,
    ) -> Result<Self, Error> {
        let open = |vendor: &Vendor| Fetcher::open(operator, vendor, rounds, at_limit);
        let second = choice.cross_check.as_ref().map(|second| {
            Ok::<_, Error>(Second {
                fetcher: open(&second.vendor)?,
                tolerance_bps: second.tolerance_bps,
            })
        });
        Ok(Self {
            second: second.transpose()?,
            first: open(&choice.vendor)?,
        })
    }
}

impl<'a> Fetcher<'a> {
    /// Counts requests in the state folder of these rounds; each question is one.
    pub fn open(
        operator: &'a Operator,
        vendor: &Vendor,
        rounds: &Path,
        at_limit: AtLimit,
    ) -> Result<Self, Error> {
        let configuration = &operator.configuration;
        let key = |name: &str| {
            configuration.key(name).map_err(|error| {
                error.or_hint("or use --source csv --histories DIR for prices on disk")
            })
        };
        let address =
            |name: &str, usual: &str| configuration.get(name).unwrap_or_else(|| usual.to_owned());
        let http = || configuration.http(configuration.reach());
        let wrong =
            |name: &'static str| move |error: BaseUrlError| Error::new(format!("{name}: {error}"));
        let source: Box<dyn PriceSource> = match vendor {
            Vendor::Csv(folder) if !folder.is_dir() => {
                let text = format!("--histories {}: there is no such folder", folder.display());
                return Err(Error::new(text));
            }
            Vendor::Csv(folder) => Box::new(CsvFolder::new(folder)),
            Vendor::Invented => Box::new(invented::source(operator, rounds)?),
            Vendor::Tiingo => {
                let name = "TIINGO_BASE_URL";
                let key = key("TIINGO_API_KEY")?;
                let source = Tiingo::new(http()?, &address(name, Tiingo::DEFAULT_BASE_URL), key);
                Box::new(source.map_err(wrong(name))?)
            }
            Vendor::Yahoo => {
                let name = "YAHOO_BASE_URL";
                let source = YahooChart::new(http()?, &address(name, YahooChart::DEFAULT_BASE_URL));
                Box::new(source.map_err(wrong(name))?)
            }
            Vendor::AlphaVantage => {
                let name = "ALPHAVANTAGE_BASE_URL";
                let key = key("ALPHAVANTAGE_API_KEY")?;
                let address = address(name, AlphaVantage::DEFAULT_BASE_URL);
                let source = AlphaVantage::new(http()?, &address, key);
                Box::new(source.map_err(wrong(name))?)
            }
        };
        let plan = vendor.plan(configuration)?;
        let state = RequestState::new(&configuration.state_folder(rounds), source.name());
        Ok(Self {
            operator,
            source,
            allowance: plan.map(|plan| Allowance { plan, state }),
            at_limit,
        })
    }
}

/// Tiingo's free plan, or the one that was bought.
fn tiingo_plan(configuration: &Configuration) -> Result<Plan, Error> {
    let Some(text) = configuration.get(TIINGO_PLAN) else {
        return Ok(Plan::TIINGO_FREE);
    };
    Plan::parse(&text).ok_or_else(|| {
        Error::new(format!("{TIINGO_PLAN}: {text:?} is not a plan"))
            .hint("write questions an hour, a day and symbols a month, such as 50/1000/500")
    })
}

/// Alpha Vantage's free plan, or the one that was bought.
fn alpha_vantage_plan(configuration: &Configuration) -> Result<Plan, Error> {
    let Some(text) = configuration.get(ALPHA_VANTAGE_PLAN) else {
        return Ok(Plan::ALPHA_VANTAGE_FREE);
    };
    Plan::parse_alpha_vantage(&text).ok_or_else(|| {
        Error::new(format!("{ALPHA_VANTAGE_PLAN}: {text:?} is not a plan"))
            .hint("write free, or the questions a minute of a paid plan, such as 75")
    })
}

/// The folder that a round lies in.
pub fn rounds_of(round: &Path) -> Result<PathBuf, Error> {
    let whole = absolute(round)?;
    Ok(whole.parent().unwrap_or(&whole).to_owned())
}
