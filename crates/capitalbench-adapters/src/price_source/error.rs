//! [`PriceError`]: one message and one remedy for each way in which a source can fail.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use jiff::civil::Date;

use super::{Place, RowFault};
use crate::http::HttpError;

mod told;

/// Why a source delivered no history of a symbol. Texts of the other side are cut short, and the key
/// is removed from them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PriceError {
    /// The name of the source.
    pub origin: &'static str,
    pub symbol: String,
    pub fault: PriceFault,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PriceFault {
    /// The source was not asked.
    InvalidSymbol,
    /// The source was not asked.
    InvalidRange {
        from: Date,
        to: Date,
    },
    UnknownSymbol,
    KeyRefused,
    /// The key was lost on the way.
    KeyMissing,
    /// The source knows no keys and refuses whoever asks without being known.
    AnonymousRefused {
        code: u16,
    },
    /// A success that holds a notice about the account in place of prices.
    AccountNotice {
        excerpt: String,
    },
    /// The plan is used up.
    Limited {
        limit: Limit,
        retry_after: Option<Duration>,
    },
    /// A success whose body is a text in place of prices.
    PlainText {
        excerpt: String,
    },
    WebPage {
        code: u16,
    },
    WrongContentType {
        found: String,
    },
    /// JSON of another form than the source's list of rows.
    Malformed {
        reason: String,
    },
    /// A number that JSON cannot write.
    NotFinite {
        found: &'static str,
    },
    NoRows {
        from: Date,
        to: Date,
        /// The first and last day of the source's rows, if known.
        have: Option<(Date, Date)>,
    },
    Timeout {
        after: Duration,
    },
    CutOff,
    Unreachable {
        reason: String,
    },
    TooLarge {
        limit: usize,
    },
    NotText,
    /// The answer is not HTTP, or wrongly compressed.
    Garbled {
        reason: String,
    },
    ServerFailed {
        code: u16,
        retry_after: Option<Duration>,
        excerpt: String,
    },
    Redirected {
        code: u16,
    },
    /// Any other status.
    Refused {
        code: u16,
        excerpt: String,
    },
    Row {
        place: Place,
        fault: RowFault,
    },
    NoFolder {
        folder: PathBuf,
    },
    NoFile {
        file: PathBuf,
        nearest: Option<String>,
    },
    Unreadable {
        file: PathBuf,
        reason: String,
    },
}

impl PriceError {
    /// Whether every other symbol would fail in the same way, so that asking on is useless.
    pub fn concerns_every_symbol(&self) -> bool {
        matches!(
            self.fault,
            PriceFault::KeyRefused
                | PriceFault::KeyMissing
                | PriceFault::AnonymousRefused { .. }
                | PriceFault::AccountNotice { .. }
                | PriceFault::Limited { .. }
                | PriceFault::Unreachable { .. }
                | PriceFault::NoFolder { .. }
        )
    }
}

/// The usual meaning of a failed request; a source may know better what a status means.
impl From<HttpError> for PriceFault {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Setup { reason }
            | HttpError::NotAsked { reason }
            | HttpError::Connect { reason } => Self::Unreachable { reason },
            HttpError::Timeout { after } | HttpError::Dripped { after } => Self::Timeout { after },
            HttpError::Truncated => Self::CutOff,
            HttpError::TooLarge { limit } => Self::TooLarge { limit },
            HttpError::NotText => Self::NotText,
            HttpError::Garbled { reason } => Self::Garbled { reason },
            HttpError::Status {
                code,
                retry_after,
                excerpt,
            } => match code {
                300..=399 => Self::Redirected { code },
                401 | 403 => Self::KeyRefused,
                404 => Self::UnknownSymbol,
                429 => Self::Limited {
                    limit: Limit::Unstated,
                    retry_after,
                },
                500.. => Self::ServerFailed {
                    code,
                    retry_after,
                    excerpt,
                },
                _ => Self::Refused { code, excerpt },
            },
        }
    }
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, symbol, .. } = self;
        match &self.fault {
            PriceFault::InvalidSymbol => write!(
                f,
                "{symbol:?} cannot be a symbol: it may hold letters, digits and . - _ ^ = only; \
                 correct it in the universe"
            ),
            PriceFault::InvalidRange { from, to } => write!(
                f,
                "the range from {from} to {to} ends before it begins; swap the two days"
            ),
            PriceFault::UnknownSymbol => write!(
                f,
                "{origin} does not know the symbol {symbol}; check its spelling in the universe \
                 (a share class takes a dash, as in BRK-B)"
            ),
            PriceFault::KeyRefused => write!(
                f,
                "{origin} refused the API key; check that it is complete and still valid"
            ),
            PriceFault::KeyMissing => write!(
                f,
                "{origin} says that no API key was sent; check that the base URL leads to it and \
                 that nothing in between removes headers"
            ),
            PriceFault::AnonymousRefused { code } => write!(
                f,
                "{origin} refused an anonymous client (status {code}); it gives out no API keys, so \
                 there is nothing to repair here: try again later, or use another source"
            ),
            PriceFault::Limited { limit, retry_after } => {
                let wait = wait_text(*limit, *retry_after);
                write!(f, "{origin} answers no more for now: {limit}; {wait}")
            }
            PriceFault::NoRows { from, to, have } => write!(
                f,
                "{origin} has no rows for {symbol} from {from} to {to}{}; check that the market was \
                 open and the symbol listed on these days",
                have_text(*have)
            ),
            PriceFault::Row { place, fault } => match place {
                Place::Answer { row } => write!(f, "{origin}, {symbol}, row {row}: {fault}"),
                Place::File { .. } => write!(f, "{place}: {fault}"),
            },
            PriceFault::NoFolder { folder } => write!(
                f,
                "{} is not a folder; name the folder that holds one SYMBOL.csv per symbol",
                folder.display()
            ),
            PriceFault::NoFile { file, nearest } => {
                let remedy = nearest_text(nearest.as_deref());
                write!(f, "{} does not exist; {remedy}", file.display())
            }
            PriceFault::Unreadable { file, reason } => {
                write!(f, "cannot read {}: {reason}", file.display())
            }
            _ => self.write_answer_fault(f),
        }
    }
}

impl PriceError {
    /// What is wrong with the content of the answer.
    fn write_answer_fault(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, symbol, .. } = self;
        let answered = format!("{origin} answered for {symbol} with");
        match &self.fault {
            PriceFault::PlainText { excerpt } => write!(
                f,
                "{answered} a text in place of prices: {excerpt:?}; if the text asks for nothing, \
                 try again later"
            ),
            PriceFault::AccountNotice { excerpt } => write!(
                f,
                "{answered} a notice about the account in place of prices: {excerpt:?}; do what it \
                 asks for, or use another source"
            ),
            PriceFault::WebPage { code } => write!(
                f,
                "{answered} a web page (status {code}), as it does during maintenance; try again \
                 later, and check the base URL if it stays so"
            ),
            PriceFault::WrongContentType { found } => write!(
                f,
                "{answered} content of the type {found:?} where application/json was asked for; \
                 check the base URL"
            ),
            PriceFault::Malformed { reason } => write!(
                f,
                "{answered} something that is not its list of daily rows: {reason}; check the base \
                 URL, or try again later"
            ),
            PriceFault::NotFinite { found } => write!(
                f,
                "{origin} sent {found} in place of a number for {symbol}; the program makes up no \
                 price; try again later or use another source"
            ),
            _ => self.write_transport_fault(f),
        }
    }

    /// What went wrong on the way to the source and back.
    fn write_transport_fault(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { origin, symbol, .. } = self;
        let answer = format!("the answer of {origin} for {symbol}");
        match &self.fault {
            PriceFault::Timeout { after } => write!(
                f,
                "{origin} sent no complete answer for {symbol} within {}; try again, or allow more \
                 time",
                duration_text(*after)
            ),
            PriceFault::CutOff => write!(f, "{answer} was cut off; try again"),
            PriceFault::Unreachable { reason } => write!(
                f,
                "{origin} cannot be reached: {reason}; check the network and the base URL, then try \
                 again"
            ),
            PriceFault::TooLarge { limit } => write!(
                f,
                "{answer} is larger than {limit} bytes; ask for a shorter range"
            ),
            PriceFault::NotText => write!(f, "{answer} is not text; check the base URL"),
            PriceFault::Garbled { reason } => write!(
                f,
                "{answer} breaks the rules of HTTP ({reason}); check the base URL and any gateway \
                 on the way"
            ),
            PriceFault::ServerFailed { code, excerpt, .. } => write!(
                f,
                "{origin} failed on its side for {symbol} (status {code}{}); try again later",
                said_text(excerpt)
            ),
            PriceFault::Redirected { code } => write!(
                f,
                "{origin} points to another address for {symbol} (status {code}), which the program \
                 does not follow because the key would go with it; correct the base URL"
            ),
            PriceFault::Refused { code, excerpt } => write!(
                f,
                "{origin} refused the question for {symbol} (status {code}{}); check the symbol, the \
                 days and the base URL",
                said_text(excerpt)
            ),
            _ => Ok(()),
        }
    }
}

/// The allowance that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    PerSecond,
    PerMinute,
    Hourly,
    Daily,
    /// Different symbols in a month.
    MonthlySymbols,
    /// The source does not say; most likely there were too many requests at once.
    Unstated,
    /// The source gives out no keys and refuses anonymous clients, with or without a cause.
    Anonymous,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::PerSecond => "the requests of this second are used up",
            Self::PerMinute => "the requests of this minute are used up",
            Self::Hourly => "the requests of this hour are used up",
            Self::Daily => "the requests of this day are used up",
            Self::MonthlySymbols => "the different symbols of this month are used up",
            Self::Unstated => "there were too many requests",
            Self::Anonymous => "it refused an anonymous client, and gives out no API keys",
        })
    }
}

fn wait_text(limit: Limit, retry_after: Option<Duration>) -> String {
    if let Some(wait) = retry_after {
        return format!(
            "it asks to wait {} before the next request",
            duration_text(wait)
        );
    }
    match limit {
        Limit::PerSecond => "try again in some seconds",
        Limit::PerMinute => "try again in a minute",
        Limit::Hourly => "it does not say for how long; try again in the next hour",
        Limit::Daily => "it does not say for how long; try again tomorrow",
        Limit::MonthlySymbols => "try again next month, or use a larger plan",
        Limit::Unstated | Limit::Anonymous => {
            "it does not say for how long; try again in some minutes"
        }
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
