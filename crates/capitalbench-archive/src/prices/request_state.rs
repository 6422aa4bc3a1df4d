//! What must outlive a process that asks for prices: the questions asked, and answers not yet used.
//!
//! An allowance belongs to a key and not to a round, so this lives in one folder for all rounds of a
//! folder. Every question is noted before it is asked; a crash can only count one too many.

use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use capitalbench_core::market::price_window::Session;
use capitalbench_core::market::request_budget::{Plan, Usage};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::{Stamp, parse_day};
use capitalbench_core::values::units::Price;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::state_folder;
use crate::format::text::json;
use crate::format::text::member::only;
use crate::round::round_folder::{names_in, optional};

/// How often another process is waited for, and how long each time.
const PATIENCE: (u32, Duration) = (1_000, Duration::from_millis(10));

/// An answer that waits for the others of its fetch.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    /// Where it was asked for, without any key.
    pub address: String,
    /// When it came.
    pub fetched_at: Timestamp,
    /// Digest of its body.
    pub body: Digest,
    /// How often it was asked for until it came.
    pub requests: usize,
    /// What it says.
    pub sessions: Vec<Session>,
}

/// The state of one source.
#[derive(Debug, Clone)]
pub struct RequestState {
    folder: PathBuf,
    source: String,
}

impl RequestState {
    /// The state of a source in a folder; nothing is written yet.
    pub fn new(folder: &Path, source: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            source: source.to_owned(),
        }
    }

    /// The questions asked so far.
    pub fn usage(&self) -> Result<Usage, FileError> {
        let file = self.usage_file();
        let read = || -> Result<Usage, FileError> {
            let bytes = file_ops::read(&file)?;
            parse_usage(&bytes).map_err(|fault| fault.in_file(&file))
        };
        Ok(optional(read())?.unwrap_or_default())
    }

    /// Notes a question that may be asked now; otherwise says when it may.
    pub fn reserve(
        &self,
        plan: Plan,
        symbol: &str,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, FileError> {
        self.change(|usage| {
            let next = usage.next(plan, symbol, now);
            if next > now {
                return Some(next);
            }
            usage.note(symbol, now);
            None
        })
    }

    /// Notes that the source answers nobody before an instant.
    pub fn close_until(&self, until: Timestamp) -> Result<(), FileError> {
        self.change(|usage| usage.closed_until = usage.closed_until.max(Some(until)))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Usage) -> T) -> Result<T, FileError> {
        state_folder::create(&self.folder)?;
        let lock = self.folder.join(format!("{}.lock", self.source));
        let (times, pause) = PATIENCE;
        for _ in 0..times {
            if let Some(_hold) = file_ops::hold(&lock)? {
                let mut usage = self.usage()?;
                let result = change(&mut usage);
                file_ops::replace(&self.usage_file(), render_usage(&usage).as_bytes())?;
                return Ok(result);
            }
            sleep(pause);
        }
        let text = "is held by another process; end it, or try again";
        Err(FileError::folder(&lock, text))
    }

    fn usage_file(&self) -> PathBuf {
        self.folder.join(format!("{}_requests.json", self.source))
    }

    /// The folder of the answers of one fetch.
    fn answers(&self, fetch: &str) -> PathBuf {
        self.folder.join("answers").join(&self.source).join(fetch)
    }

    /// The answer that an interrupted fetch left for a symbol.
    pub fn kept(&self, fetch: &str, symbol: &str) -> Result<Option<KeptAnswer>, FileError> {
        let Some(name) = file_name(symbol) else {
            return Ok(None);
        };
        let file = self.answers(fetch).join(name);
        let read = || -> Result<KeptAnswer, FileError> {
            let bytes = file_ops::read(&file)?;
            parse_answer(&bytes).map_err(|fault| fault.in_file(&file))
        };
        optional(read())
    }

    /// Keeps an answer until its fetch is complete.
    pub fn keep(&self, fetch: &str, symbol: &str, answer: &KeptAnswer) -> Result<(), FileError> {
        let Some(name) = file_name(symbol) else {
            return Ok(());
        };
        let folder = self.answers(fetch);
        state_folder::create(&self.folder)?;
        file_ops::create_folder(&folder)?;
        file_ops::replace(&folder.join(name), render_answer(answer).as_bytes())?;
        Ok(())
    }

    /// Removes the answers of a fetch that is complete.
    pub fn forget(&self, fetch: &str) -> Result<(), FileError> {
        let folder = self.answers(fetch);
        for name in names_in(&folder)? {
            file_ops::remove(&folder.join(name))?;
        }
        Ok(())
    }
}

/// A symbol as a file name; none for one that could lead elsewhere.
fn file_name(symbol: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_^=".contains(&byte);
    let plain = !symbol.is_empty() && !symbol.starts_with('.') && symbol.bytes().all(allowed);
    plain.then(|| format!("{symbol}.json"))
}

/// The text that [`parse_usage`] reads.
pub fn render_usage(usage: &Usage) -> String {
    let questions: Vec<String> = usage.questions.iter().map(ToString::to_string).collect();
    let symbols: Map<String, Value> = usage
        .symbols
        .iter()
        .map(|(symbol, last)| (symbol.clone(), last.to_string().into()))
        .collect();
    json::to_pretty(&json!({
        "questions": questions,
        "symbols": symbols,
        "closed_until": usage.closed_until.map(|until| until.to_string()),
    }))
}

/// Reads what was asked of a source so far.
pub fn parse_usage(bytes: &[u8]) -> Result<Usage, Fault> {
    let value = json::parse(bytes)?;
    only(&value, &["questions", "symbols", "closed_until"])?;
    let wrong = |field: &'static str| Fault::field(field, "must hold instants");
    let questions = value["questions"].as_array();
    let symbols = value["symbols"].as_object();
    Ok(Usage {
        questions: questions
            .ok_or_else(|| wrong("questions"))?
            .iter()
            .map(|value| instant(value).ok_or_else(|| wrong("questions")))
            .collect::<Result<_, _>>()?,
        symbols: symbols
            .ok_or_else(|| wrong("symbols"))?
            .iter()
            .map(|(symbol, last)| {
                let last = instant(last).ok_or_else(|| wrong("symbols"))?;
                Ok((symbol.clone(), last))
            })
            .collect::<Result<_, Fault>>()?,
        closed_until: match &value["closed_until"] {
            Value::Null => None,
            until => Some(instant(until).ok_or_else(|| wrong("closed_until"))?),
        },
    })
}

fn instant(value: &Value) -> Option<Timestamp> {
    Some(Stamp::parse(value.as_str()?)?.at())
}

/// The text that [`parse_answer`] reads.
pub fn render_answer(answer: &KeptAnswer) -> String {
    let sessions: Vec<Value> = answer
        .sessions
        .iter()
        .map(|session| {
            json!({
                "date": session.date.to_string(),
                "close": session.close.map(Price::get),
                "adj_close": session.adjusted.map(Price::get),
                "dividend": session.dividend,
                "split_factor": session.split,
                "volume": session.volume,
            })
        })
        .collect();
    json::to_pretty(&json!({
        "address": answer.address,
        "fetched_at_utc": answer.fetched_at.to_string(),
        "body_sha256": answer.body.to_hex(),
        "requests": answer.requests,
        "sessions": sessions,
    }))
}

/// Reads an answer that was kept.
pub fn parse_answer(bytes: &[u8]) -> Result<KeptAnswer, Fault> {
    let value = json::parse(bytes)?;
    let names = [
        "address",
        "fetched_at_utc",
        "body_sha256",
        "requests",
        "sessions",
    ];
    only(&value, &names)?;
    let sessions = value["sessions"].as_array();
    let sessions = sessions.ok_or_else(|| Fault::field("sessions", "must be a list"))?;
    let requests = value["requests"].as_u64();
    Ok(KeptAnswer {
        address: value["address"]
            .as_str()
            .ok_or_else(|| Fault::field("address", "must be a text"))?
            .to_owned(),
        fetched_at: instant(&value["fetched_at_utc"])
            .ok_or_else(|| Fault::field("fetched_at_utc", "must be an instant"))?,
        body: value["body_sha256"]
            .as_str()
            .and_then(Digest::parse)
            .ok_or_else(|| Fault::field("body_sha256", "must be a digest"))?,
        requests: requests
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(|| Fault::field("requests", "must be a count"))?,
        sessions: sessions.iter().map(session).collect::<Result<_, _>>()?,
    })
}

fn session(value: &Value) -> Result<Session, Fault> {
    let names = [
        "date",
        "close",
        "adj_close",
        "dividend",
        "split_factor",
        "volume",
    ];
    only(value, &names)?;
    let number = |name: &str| match &value[name] {
        Value::Null => Ok(None),
        told => told
            .as_f64()
            .map(Some)
            .ok_or_else(|| Fault::field(name, "must be a number")),
    };
    let price = |name: &str| match number(name)? {
        None => Ok(None),
        Some(told) => Price::new(told)
            .map(Some)
            .ok_or_else(|| Fault::field(name, "must be a price above zero")),
    };
    Ok(Session {
        date: value["date"]
            .as_str()
            .and_then(parse_day)
            .ok_or_else(|| Fault::field("date", "must be a day"))?,
        close: price("close")?,
        adjusted: price("adj_close")?,
        dividend: number("dividend")?,
        split: number("split_factor")?,
        volume: number("volume")?,
    })
}

#[cfg(test)]
mod tests;
