//! [`PriceError`]: one variant, one message and one remedy for each way a source can fail.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use jiff::civil::Date;

use super::{Place, RowFault};

/// Why a source delivered no history.
///
/// `origin` is the source's name. Texts of the other side are cut short and hold no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// Not a symbol at all; nothing was asked.
    #[error(
        "{symbol:?} cannot be a symbol: it may hold letters, digits and . - _ ^ = only; \
         correct it in the universe"
    )]
    InvalidSymbol { symbol: String },
    /// The days are in the wrong order; nothing was asked.
    #[error("the range from {from} to {to} ends before it begins; swap the two days")]
    InvalidRange { from: Date, to: Date },
    /// The source has never heard of it.
    #[error(
        "{origin} does not know the symbol {symbol}; check its spelling in the universe \
         (a share class takes a dash, as in BRK-B)"
    )]
    UnknownSymbol {
        origin: &'static str,
        symbol: String,
    },
    /// The key is wrong.
    #[error("{origin} refused the API key; check that it is complete and still valid")]
    KeyRefused { origin: &'static str },
    /// The key did not arrive.
    #[error(
        "{origin} says that no API key was sent; check that the base URL leads to it and that \
         nothing in between removes headers"
    )]
    KeyMissing { origin: &'static str },
    /// The plan is used up.
    #[error("{origin} answers no more for now: {limit}; {}", wait_text(*limit, *retry_after))]
    Limited {
        origin: &'static str,
        limit: Limit,
        retry_after: Option<Duration>,
    },
    /// Success without prices in it.
    #[error(
        "{origin} answered for {symbol} with a text in place of prices: {excerpt:?}; \
         if the text asks for nothing, try again later"
    )]
    PlainText {
        origin: &'static str,
        symbol: String,
        excerpt: String,
    },
    /// A page for people.
    #[error(
        "{origin} answered for {symbol} with a web page (status {code}), as it does during \
         maintenance; try again later, and check the base URL if it stays so"
    )]
    WebPage {
        origin: &'static str,
        symbol: String,
        code: u16,
    },
    /// Another kind of content than JSON.
    #[error(
        "{origin} answered for {symbol} with content of the type {found:?} where \
         application/json was asked for; check the base URL"
    )]
    WrongContentType {
        origin: &'static str,
        symbol: String,
        found: String,
    },
    /// JSON that is not an array of rows.
    #[error(
        "{origin} answered for {symbol} with something that is not its list of daily rows: \
         {reason}; check the base URL, or try again later"
    )]
    Malformed {
        origin: &'static str,
        symbol: String,
        reason: String,
    },
    /// A number that JSON cannot even write.
    #[error(
        "{origin} sent {found} in place of a number for {symbol}; no price is made up for it; \
         try again later or take another source"
    )]
    NotFinite {
        origin: &'static str,
        symbol: String,
        found: &'static str,
    },
    /// Nothing in the range.
    #[error(
        "{origin} has no rows for {symbol} from {from} to {to}{}; check that the market was open \
         and the symbol listed on these days",
        have_text(*have)
    )]
    NoRows {
        origin: &'static str,
        symbol: String,
        from: Date,
        to: Date,
        /// First and last day there is, where known.
        have: Option<(Date, Date)>,
    },
    /// Too slow.
    #[error(
        "{origin} sent no complete answer for {symbol} within {}; try again, or allow more time",
        duration_text(*after)
    )]
    Timeout {
        origin: &'static str,
        symbol: String,
        after: Duration,
    },
    /// The answer ends in the middle.
    #[error("the answer of {origin} for {symbol} was cut off; try again")]
    CutOff {
        origin: &'static str,
        symbol: String,
    },
    /// No connection.
    #[error(
        "{origin} cannot be reached: {reason}; check the network and the base URL, then try again"
    )]
    Unreachable {
        origin: &'static str,
        reason: String,
    },
    /// An unbelievable amount of rows.
    #[error(
        "the answer of {origin} for {symbol} is larger than {limit} bytes; ask for a shorter range"
    )]
    TooLarge {
        origin: &'static str,
        symbol: String,
        limit: usize,
    },
    /// Not UTF-8.
    #[error("the answer of {origin} for {symbol} is not text; check the base URL")]
    NotText {
        origin: &'static str,
        symbol: String,
    },
    /// Not HTTP, or wrongly compressed.
    #[error(
        "the answer of {origin} for {symbol} breaks the rules of HTTP ({reason}); \
         check the base URL and any gateway on the way"
    )]
    Garbled {
        origin: &'static str,
        symbol: String,
        reason: String,
    },
    /// 5xx.
    #[error(
        "{origin} failed on its side for {symbol} (status {code}{}); try again later",
        said_text(excerpt)
    )]
    ServerFailed {
        origin: &'static str,
        symbol: String,
        code: u16,
        retry_after: Option<Duration>,
        excerpt: String,
    },
    /// 3xx.
    #[error(
        "{origin} points to another address for {symbol} (status {code}), which is not followed \
         because the key would go with it; correct the base URL"
    )]
    Redirected {
        origin: &'static str,
        symbol: String,
        code: u16,
    },
    /// Any other status.
    #[error(
        "{origin} refused the question for {symbol} (status {code}{}); \
         check the symbol, the days and the base URL",
        said_text(excerpt)
    )]
    Refused {
        origin: &'static str,
        symbol: String,
        code: u16,
        excerpt: String,
    },
    /// A row that cannot be used.
    #[error("{place}: {fault}")]
    Row { place: Place, fault: RowFault },
    /// The folder of histories is not there.
    #[error("{} is not a folder; give the folder that holds one SYMBOL.csv per symbol", folder.display())]
    NoFolder { folder: PathBuf },
    /// The folder has no history of the symbol.
    #[error("{} does not exist; {}", file.display(), nearest_text(nearest.as_deref()))]
    NoFile {
        file: PathBuf,
        nearest: Option<String>,
    },
    /// A history that cannot be read.
    #[error("cannot read {}: {reason}", file.display())]
    Unreadable { file: PathBuf, reason: String },
}

impl PriceError {
    /// Whether every other symbol would fail in the same way, so that asking on is of no use.
    pub fn concerns_every_symbol(&self) -> bool {
        matches!(
            self,
            Self::KeyRefused { .. }
                | Self::KeyMissing { .. }
                | Self::Limited { .. }
                | Self::Unreachable { .. }
                | Self::NoFolder { .. }
        )
    }
}

/// What is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The requests of the hour.
    Hourly,
    /// The requests of the day.
    Daily,
    /// The different symbols of the month.
    MonthlySymbols,
    /// The source does not say; too many requests at once, most likely.
    Unstated,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Hourly => "the requests of this hour are used up",
            Self::Daily => "the requests of this day are used up",
            Self::MonthlySymbols => "the different symbols of this month are used up",
            Self::Unstated => "there were too many requests",
        })
    }
}

fn wait_text(limit: Limit, retry_after: Option<Duration>) -> String {
    if let Some(wait) = retry_after {
        return format!("it asks to wait {} before going on", duration_text(wait));
    }
    match limit {
        Limit::Hourly => "it does not say for how long; go on in the next hour",
        Limit::Daily => "it does not say for how long; go on tomorrow",
        Limit::MonthlySymbols => "go on next month, or with a larger plan",
        Limit::Unstated => "it does not say for how long; go on in some minutes",
    }
    .to_owned()
}

fn have_text(have: Option<(Date, Date)>) -> String {
    have.map_or_else(String::new, |(first, last)| {
        format!(" (its rows go from {first} to {last})")
    })
}

fn said_text(excerpt: &str) -> String {
    match excerpt {
        "" => String::new(),
        text => format!(", {text:?}"),
    }
}

fn nearest_text(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || "add it, with the header date,close,adj_close".to_owned(),
        |name| format!("did you mean {name}?"),
    )
}

fn duration_text(duration: Duration) -> String {
    match duration.as_millis() {
        0..1_000 => format!("{} ms", duration.as_millis()),
        1_000..120_000 => format!("{} s", duration.as_millis().div_ceil(1_000)),
        longer => format!("{} min", longer.div_ceil(60_000)),
    }
}
