//! State that must outlive a process that fetches prices: requests made, and answers not yet used.
//!
//! A request limit belongs to a key and not to a round, so all rounds of a folder share one state.
//! Every request is recorded before it is sent; a crash can only count one too many.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use capitalbench_core::market::price_window::Session;
use capitalbench_core::market::request_budget::{Plan, Usage};
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::units::Price;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::state_folder;
use crate::format::stored::day;
use crate::format::text::json;
use crate::round::round_folder::{names_in, parse_file};

/// How often to try for the lock, and the pause after each try.
const PATIENCE: (u32, Duration) = (1_000, Duration::from_millis(10));

/// An answer that is kept until its fetch is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptAnswer {
    /// Where it was asked for, without any key.
    pub address: String,
    #[serde(rename = "fetched_at_utc")]
    pub fetched_at: Timestamp,
    #[serde(rename = "body_sha256")]
    pub body: Digest,
    /// How many requests it took.
    pub requests: usize,
    #[serde(with = "sessions")]
    pub sessions: Vec<Session>,
}

/// The state of one source.
#[derive(Debug, Clone)]
pub struct RequestState {
    folder: PathBuf,
    source: String,
}

impl RequestState {
    /// The state of a source in a folder; writes nothing.
    pub fn new(folder: &Path, source: &str) -> Self {
        Self {
            folder: folder.to_owned(),
            source: source.to_owned(),
        }
    }

    /// The requests made so far.
    pub fn usage(&self) -> Result<Usage, FileError> {
        Ok(parse_file(&self.usage_file(), parse_usage)?.unwrap_or_default())
    }

    /// Records a request that the plan allows now; otherwise returns when it will.
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

    /// Records that the source refuses all requests until an instant.
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
        let text = "is locked by another process; wait for it to end, then try again";
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
        match file_name(symbol) {
            Some(name) => parse_file(&self.answers(fetch).join(name), parse_answer),
            None => Ok(None),
        }
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

/// A symbol as a file name; none if it could leave the folder.
fn file_name(symbol: &str) -> Option<String> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_^=".contains(&byte);
    let plain = !symbol.is_empty() && !symbol.starts_with('.') && symbol.bytes().all(allowed);
    plain.then(|| format!("{symbol}.json"))
}

/// The file of [`Usage`].
#[derive(Serialize, Deserialize)]
#[serde(remote = "Usage", deny_unknown_fields)]
struct StoredUsage {
    questions: Vec<Timestamp>,
    symbols: BTreeMap<String, Timestamp>,
    #[serde(default)]
    closed_until: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
struct UsageFile(#[serde(with = "StoredUsage")] Usage);

/// The text that [`parse_usage`] reads.
pub fn render_usage(usage: &Usage) -> String {
    json::render(&UsageFile(usage.clone()))
}

/// Reads which requests were made of a source so far.
pub fn parse_usage(bytes: &[u8]) -> Result<Usage, Fault> {
    Ok(json::read::<UsageFile>(bytes)?.0)
}

/// A member of a kept answer.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Session", deny_unknown_fields)]
struct StoredSession {
    #[serde(with = "day")]
    date: Date,
    #[serde(default)]
    close: Option<Price>,
    #[serde(default, rename = "adj_close")]
    adjusted: Option<Price>,
    #[serde(default)]
    dividend: Option<f64>,
    #[serde(default, rename = "split_factor")]
    split: Option<f64>,
    #[serde(default)]
    volume: Option<f64>,
}

mod sessions {
    use capitalbench_core::market::price_window::Session;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::StoredSession;

    #[derive(Serialize, Deserialize)]
    struct Row(#[serde(with = "StoredSession")] Session);

    pub(super) fn serialize<S: Serializer>(all: &[Session], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(all.iter().map(|session| Row(*session)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Session>, D::Error> {
        let rows = Vec::<Row>::deserialize(from)?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }
}

/// The text that [`parse_answer`] reads.
pub fn render_answer(answer: &KeptAnswer) -> String {
    json::render(answer)
}

/// A fault quotes nothing of the answer: the rows are the vendor's.
pub fn parse_answer(bytes: &[u8]) -> Result<KeptAnswer, Fault> {
    json::read(bytes).map_err(|_| {
        Fault::new("is no answer that the program kept; remove it, and the source is asked again")
    })
}

#[cfg(test)]
mod tests;
