//! Rounds in an object store: pull, push, leases, and what keeps a store in order.
//!
//! The order of a push, and what becomes of one that dies, are in docs/design/store.md.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use capitalbench_adapters::http::{HttpClient, HttpLimits};
use capitalbench_adapters::s3::{S3, S3Error, S3Settings, When};
use capitalbench_archive::disk::file_ops::READ_LIMIT;
use capitalbench_archive::store::folder_store::{Condition, FolderStore, Listed};
use capitalbench_archive::store::head::Head;
use jiff::Timestamp;
use tokio::runtime::Runtime;

use advice::advice;

use crate::error::Error;
use crate::operator::clock::now_or;
use crate::operator::configuration::Configuration;
use crate::operator::runtime;

mod advice;
pub mod claim;
pub mod local;
pub mod log_desk;
mod log_guard;
mod probe;
pub mod prune;
pub mod pull;
pub mod push;
mod signed_push;
pub mod state;
pub mod whole;

/// Requests under way at a time.
const AT_ONCE: usize = 16;
const CREDENTIALS: [&str; 2] = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const TOKEN: &str = "AWS_SESSION_TOKEN";
const REGIONS: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];
const ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

/// A store that was asked for, and what was asked of it.
#[derive(Debug)]
pub struct Store {
    /// Its address as typed, without a slash at its end.
    pub address: String,
    place: Place,
    asked: Asked,
}

#[derive(Debug)]
enum Place {
    Folder(FolderStore),
    Bucket {
        s3: Box<S3>,
        /// Before every key; empty or ending in a slash.
        prefix: String,
        runtime: Runtime,
    },
}

/// Requests and bytes, for whoever wants to know what a command costs.
#[derive(Debug, Default)]
struct Asked {
    requests: AtomicU64,
    read: AtomicU64,
    written: AtomicU64,
}

/// What a command asked of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    pub requests: u64,
    pub bytes_read: u64,
    pub bytes_written: u64,
}

/// What came of writing a head.
#[derive(Debug)]
pub enum Written {
    /// It stands, with this tag.
    Done(String),
    /// Somebody else was faster.
    Lost,
}

impl Store {
    /// Opens a store that is named by its address; nothing is asked and nothing is made yet.
    pub fn open(configuration: &Configuration, address: &str) -> Result<Self, Error> {
        let address = address.trim_end_matches('/');
        let unknown = || {
            // A password may stand in it.
            let told = if address.contains('@') {
                "this"
            } else {
                address
            };
            let text = format!("{told} is not the address of a store");
            Error::new(text).hint("use s3://BUCKET/PREFIX or file:///FOLDER")
        };
        let (kind, rest) = address.split_once("://").ok_or_else(unknown)?;
        let place = match kind {
            "file" if rest.starts_with('/') => Place::Folder(FolderStore::at(Path::new(rest))),
            "s3" => bucket(configuration, rest)?,
            _ => return Err(unknown()),
        };
        Ok(Self {
            address: address.to_owned(),
            place,
            asked: Asked::default(),
        })
    }

    /// Bytes and tag of a key; none where nothing is.
    pub fn get(&self, key: &str) -> Result<Option<(Vec<u8>, String)>, Error> {
        count(&self.asked.requests, 1);
        let found = match &self.place {
            Place::Folder(folder) => folder.get(key)?,
            Place::Bucket {
                s3,
                prefix,
                runtime,
            } => runtime
                .block_on(s3.get(&format!("{prefix}{key}")))
                .map_err(|error| self.failed("read", key, &error))?,
        };
        let bytes = found.as_ref().map_or(0, |(bytes, _)| bytes.len() as u64);
        count(&self.asked.read, bytes);
        Ok(found)
    }

    /// The tag of what was written; none when the condition does not hold.
    pub fn put(
        &self,
        key: &str,
        bytes: &[u8],
        condition: Condition<'_>,
    ) -> Result<Option<String>, Error> {
        count(&self.asked.requests, 1);
        count(&self.asked.written, bytes.len() as u64);
        match &self.place {
            Place::Folder(folder) => Ok(folder.put(key, bytes, condition)?),
            Place::Bucket {
                s3,
                prefix,
                runtime,
            } => {
                let when = match condition {
                    Condition::Always => When::Always,
                    Condition::Absent => When::Absent,
                    Condition::Unchanged(tag) => When::Unchanged(tag),
                };
                let key = format!("{prefix}{key}");
                let put = s3.put(&key, bytes.to_vec(), when);
                let put = runtime.block_on(put);
                put.map_err(|error| self.failed("write", &key, &error))
            }
        }
    }

    pub fn delete(&self, key: &str) -> Result<(), Error> {
        count(&self.asked.requests, 1);
        match &self.place {
            Place::Folder(folder) => Ok(folder.delete(key)?),
            Place::Bucket {
                s3,
                prefix,
                runtime,
            } => runtime
                .block_on(s3.delete(&format!("{prefix}{key}")))
                .map_err(|error| self.failed("remove", key, &error)),
        }
    }

    /// Every key that begins with a prefix that ends in a slash.
    pub fn list(&self, inside: &str) -> Result<Vec<Listed>, Error> {
        let listed = match &self.place {
            Place::Folder(folder) => folder.list(inside)?,
            Place::Bucket {
                s3,
                prefix,
                runtime,
            } => {
                let found = runtime.block_on(s3.list(&format!("{prefix}{inside}")));
                let found = found.map_err(|error| self.failed("list", inside, &error))?;
                let own = found.into_iter().filter_map(|object| {
                    Some(Listed {
                        key: object.key.strip_prefix(prefix.as_str())?.to_owned(),
                        tag: object.tag,
                        size: object.size,
                        written_at: object.written_at.as_second(),
                    })
                });
                own.collect()
            }
        };
        // A page holds a thousand keys.
        count(&self.asked.requests, listed.len() as u64 / 1_000 + 1);
        Ok(listed)
    }

    /// The head of a unit, with its tag.
    pub fn head(&self, key: &str) -> Result<Option<(Head, String)>, Error> {
        let Some((bytes, tag)) = self.get(key)? else {
            return Ok(None);
        };
        let head = Head::parse(&bytes);
        let head = head.map_err(|fault| {
            Error::new(format!("{}/{key}: {fault}", self.address)).hint(
                "`store verify` lists every head that is no head; remove a key that nobody needs, and let \
                 whoever keeps the store find out who wrote it",
            )
        })?;
        Ok(Some((head, tag)))
    }

    /// Writes a head in place of the one with this tag, or the first one. After an unclear answer, and
    /// after a repeated request that met its own first try, what stands there decides.
    pub fn write_head(&self, key: &str, head: &Head, over: Option<&str>) -> Result<Written, Error> {
        let condition = over.map_or(Condition::Absent, Condition::Unchanged);
        let put = self.put(key, &head.render(), condition);
        if let Ok(Some(tag)) = put {
            return Ok(Written::Done(tag));
        }
        let found = self.head(key)?;
        match (found, put) {
            (Some((own, tag)), _) if own.write == head.write => Ok(Written::Done(tag)),
            (_, Ok(_)) => Ok(Written::Lost),
            (_, Err(error)) => Err(error),
        }
    }

    /// What was asked so far.
    pub fn cost(&self) -> Cost {
        let told = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Cost {
            requests: told(&self.asked.requests),
            bytes_read: told(&self.asked.read),
            bytes_written: told(&self.asked.written),
        }
    }

    /// Does something for each of many, several at a time; the results in order.
    pub fn each<T: Sync, R: Send>(
        &self,
        many: &[T],
        work: impl Fn(&T) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let next = AtomicU64::new(0);
        let done: Mutex<Vec<(usize, Result<R, Error>)>> = Mutex::default();
        std::thread::scope(|threads| {
            for _ in 0..many.len().min(AT_ONCE) {
                threads.spawn(|| {
                    loop {
                        let own = next.fetch_add(1, Ordering::Relaxed);
                        let own = usize::try_from(own).unwrap_or(usize::MAX);
                        let Some(item) = many.get(own) else { break };
                        let result = work(item);
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        done.push((own, result));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(own, _)| *own);
        done.into_iter().map(|(_, result)| result).collect()
    }

    fn failed(&self, verb: &str, key: &str, error: &S3Error) -> Error {
        let text = format!("{}: cannot {verb} {key}: {error}", self.address);
        Error::new(text).hint(advice(error))
    }
}

fn bucket(configuration: &Configuration, rest: &str) -> Result<Place, Error> {
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    if bucket.is_empty() || bucket.contains(['@', ':']) {
        let text = "the address of the store does not begin with the plain name of a bucket";
        return Err(Error::new(text).hint(
            "use s3://BUCKET/PREFIX; the key belongs into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        ));
    }
    let first = |names: &[&str]| names.iter().find_map(|name| configuration.get(name));
    let region = first(&REGIONS).unwrap_or_else(|| "us-east-1".to_owned());
    let usual = || format!("https://s3.{region}.amazonaws.com");
    let access_key = configuration.get(CREDENTIALS[0]).ok_or_else(|| {
        let text = format!("{} is not set, and s3://{rest} needs it", CREDENTIALS[0]);
        Error::new(text).hint("export it with AWS_SECRET_ACCESS_KEY, or write both into .env")
    })?;
    let session_token = match configuration.get(TOKEN) {
        Some(_) => Some(configuration.key(TOKEN)?),
        None => None,
    };
    let settings = S3Settings {
        endpoint: first(&ENDPOINTS).unwrap_or_else(usual),
        bucket: bucket.to_owned(),
        access_key,
        secret_key: configuration.key(CREDENTIALS[1])?,
        session_token,
        region,
        now: || now_or(None),
    };
    let limits = HttpLimits {
        reach: configuration.reach(),
        body_bytes: usize::try_from(READ_LIMIT + 1).unwrap_or(usize::MAX),
        ..HttpLimits::default()
    };
    let http = HttpClient::new(limits).map_err(|error| Error::new(error.to_string()))?;
    let s3 = S3::new(http, settings);
    let s3 = s3.map_err(|error| Error::new(format!("s3://{rest}: {error}")))?;
    let prefix = match prefix {
        "" => String::new(),
        prefix => format!("{prefix}/"),
    };
    Ok(Place::Bucket {
        s3: Box::new(s3),
        prefix,
        runtime: runtime(2)?,
    })
}

/// A text that no other write of the world has.
pub(crate) fn nonce() -> Result<String, Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}

/// A number from 0 to 1 that nobody can foresee, so that processes do not meet again and again.
pub(crate) fn chance() -> Result<f64, Error> {
    let mut byte = [0];
    getrandom::fill(&mut byte)
        .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
    Ok(f64::from(byte[0]) / 255.0)
}

fn count(what: &AtomicU64, by: u64) {
    what.fetch_add(by, Ordering::Relaxed);
}

/// The clock that leases are judged by; a given instant does not move it.
fn now() -> Timestamp {
    now_or(None)
}
