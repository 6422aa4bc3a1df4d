//! Flags that several verbs have, each defined once, and how their values are read.

use std::ops::Deref;
use std::path::PathBuf;

use capitalbench_core::market::cross_check::DEFAULT_TOLERANCE_BPS;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::time::parse_day;
use capitalbench_operations::prices::fetcher::AtLimit;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;

#[derive(Debug, Args)]
pub(crate) struct Round {
    /// The round's folder
    #[arg(long = "round", value_name = "DIR")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RoundsDir {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) folder: PathBuf,
}

/// A folder of rounds, and the instant at which it is looked at.
#[derive(Debug, Clone, Args)]
pub(crate) struct Rounds {
    #[command(flatten)]
    pub(crate) dir: RoundsDir,
    /// Show what was public at this instant; a day means its end in UTC. Default: now
    #[arg(long, value_name = "INSTANT|DAY", value_parser = as_of)]
    pub(crate) as_of: Option<Timestamp>,
    /// Compute every round again, as CAPITALBENCH_NO_CACHE=1 does
    #[arg(long)]
    pub(crate) no_cache: bool,
}

impl Deref for Rounds {
    type Target = RoundsDir;

    fn deref(&self) -> &RoundsDir {
        &self.dir
    }
}

#[derive(Debug, Args)]
pub(crate) struct Now {
    /// Look at things as of this instant instead of now
    #[arg(long = "now", value_name = "INSTANT", value_parser = instant)]
    pub(crate) instant: Option<Timestamp>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct SourceChoice {
    /// Where prices come from
    #[arg(long, value_enum, default_value = "tiingo")]
    pub(crate) source: Source,
    /// Folder of histories for the csv source
    #[arg(long, value_name = "DIR", required_if_eq("source", "csv"))]
    pub(crate) histories: Option<PathBuf>,
}

/// What to do when the plan of a price source is used up.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Patience {
    /// Wait when a limit is reached instead of stopping
    #[arg(long)]
    wait: bool,
}

impl Patience {
    pub(crate) fn at_limit(self) -> AtLimit {
        if self.wait {
            AtLimit::Wait
        } else {
            AtLimit::Stop
        }
    }
}

#[derive(Debug, Clone, Args)]
pub(crate) struct CrossCheckChoice {
    /// Compare the return of every option with this source
    #[arg(id = "cross_check_source", long = "cross-check", value_name = "SOURCE")]
    pub(crate) source: Option<Source>,
    /// How far the two may be apart, in basis points
    #[arg(long, value_name = "BPS", default_value_t = DEFAULT_TOLERANCE_BPS, value_parser = tolerance)]
    pub(crate) tolerance_bps: f64,
    /// Folder of histories when the other source is csv
    #[arg(
        id = "cross_check_histories",
        long = "cross-check-histories",
        value_name = "DIR"
    )]
    pub(crate) histories: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Source {
    /// Tiingo end-of-day prices
    Tiingo,
    /// A folder with one CSV file per symbol
    Csv,
    /// Yahoo's chart; unofficial, no key
    Yahoo,
    /// Alpha Vantage; adjusted closes need a paid key
    Alphavantage,
    /// An invented market, for rehearsals only
    Invented,
}

impl Source {
    /// The word that is typed and stored.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrackName {
    /// Rounds of a week
    Weekly,
    /// Rounds of a month
    Monthly,
}

impl TrackName {
    /// The named track, or both.
    pub(crate) fn tracks(given: Option<Self>) -> Vec<Track> {
        match given {
            Some(name) => vec![name.track()],
            None => vec![Track::Weekly, Track::Monthly],
        }
    }

    pub(crate) fn track(self) -> Track {
        match self {
            Self::Weekly => Track::Weekly,
            Self::Monthly => Track::Monthly,
        }
    }
}

/// A word out of a list, so that the help, completions and refusals name them all.
pub(super) fn word<T: Clone + Send + Sync + 'static>(
    words: impl IntoIterator<Item = &'static str>,
    parse: fn(&str) -> Option<T>,
) -> impl TypedValueParser<Value = T> {
    let refusal = "this word is in the list but is not understood";
    PossibleValuesParser::new(words).try_map(move |text| parse(&text).ok_or(refusal))
}

/// An instant; a day alone means its first moment, in UTC.
pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let whole = if parse_day(text).is_some() {
        format!("{}T00:00:00Z", text.trim())
    } else {
        text.trim().to_owned()
    };
    let example = "use an instant like 2026-12-07T14:25:00Z";
    whole.parse().map_err(|_| example.to_owned())
}

/// An instant; a day alone means its last second, in UTC.
fn as_of(text: &str) -> Result<Timestamp, String> {
    let end = parse_day(text).map(|_| format!("{}T23:59:59Z", text.trim()));
    let example = "use an instant like 2026-12-07T22:00:00Z or a day like 2026-12-07";
    instant(end.as_deref().unwrap_or(text)).map_err(|_| example.to_owned())
}

pub(super) fn day(text: &str) -> Result<Date, String> {
    parse_day(text).ok_or_else(|| "use a day like 2026-12-04".to_owned())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let value = text.parse().ok();
    let usable = value.filter(|value: &f64| value.is_finite() && *value >= 0.0);
    usable.ok_or_else(|| "use a number of basis points, such as 10".to_owned())
}
