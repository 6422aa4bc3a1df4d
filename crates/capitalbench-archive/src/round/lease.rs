//! A lease names the worker of a round. It expires by itself, so that a dead worker blocks nothing.
//!
//! Leases are numbered files in `automation/`, and the highest number counts. A worker takes a lease
//! by creating the next number, which the file system lets only one worker do, whichever machine it
//! runs on; two workers that take over the same expired lease want the same number. After creating a
//! number the worker looks for a higher one: older files are removed only when a newer one exists,
//! so a number that was free because its file was removed turns out to be old. The last file is never
//! removed, because the numbers must not start again.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::text::json;
use crate::round::round_folder::{RoundFolder, names_in, parse_file};

const PREFIX: &str = "lease-";
const ENDING: &str = ".json";

/// A process that takes leases, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// A name that messages show.
    pub owner: String,
    /// Its machine; processes of the same machine can see whether the other one is alive.
    pub host: String,
    pub pid: u32,
    /// How long a lease lasts without being renewed.
    pub length: SignedDuration,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeaseFile {
    owner: String,
    host: String,
    pid: u32,
    acquired_at_utc: Timestamp,
    heartbeat_at_utc: Timestamp,
    expires_at_utc: Timestamp,
    released_at_utc: Option<Timestamp>,
}

/// A lease that this worker holds.
#[derive(Debug, Clone)]
pub struct Lease {
    folder: PathBuf,
    number: u64,
    worker: Worker,
    acquired_at: Timestamp,
    expires_at: Timestamp,
}

/// The answer to asking for a lease.
#[derive(Debug)]
pub enum Taken {
    Held(Lease),
    /// Another worker holds it.
    Busy(Holder),
}

/// The worker that holds a lease, and until when unless it renews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    pub who: String,
    /// When others may take it.
    pub until: Timestamp,
}

/// Takes the lease of a round that is free, expired, or held by a dead process of this machine.
pub fn acquire(round: &RoundFolder, worker: &Worker, now: Timestamp) -> Result<Taken, FileError> {
    let folder = round.file(layout::AUTOMATION);
    file_ops::create_folder(&folder)?;
    let last = last_number(&folder)?;
    if let Some(number) = last {
        match read(&folder, number)? {
            Some(record) if record.released_at_utc.is_none() => {
                if record.expires_at_utc > now && !record.is_dead(worker) {
                    return Ok(Taken::Busy(record.holder()));
                }
            }
            // Its file was removed since it was listed, so there is a newer one.
            None => return busy(&folder, now),
            Some(_) => {}
        }
    }
    let number = last.unwrap_or(0).checked_add(1).ok_or_else(|| {
        let text = "the last lease has the largest possible number; remove its file";
        FileError::folder(&folder, text)
    })?;
    let lease = Lease {
        number,
        worker: worker.clone(),
        acquired_at: now,
        expires_at: later(now, worker.length),
        folder,
    };
    let created = file_ops::create_new(&lease.file(), lease.text(now, None).as_bytes());
    if let Err(error) = created {
        // Another worker was faster, or cleaned up after a crash while this one was writing.
        return if last_number(&lease.folder)? > last {
            busy(&lease.folder, now)
        } else {
            Err(error.into())
        };
    }
    if last_number(&lease.folder)? != Some(number) {
        file_ops::remove(&lease.file())?;
        return busy(&lease.folder, now);
    }
    for name in names_in(&lease.folder)? {
        if number_of(&name).is_some_and(|other| other < number) {
            file_ops::remove(&lease.folder.join(name))?;
        }
    }
    // A process that was killed while writing left its temporary file here.
    file_ops::remove_unfinished(&lease.folder)?;
    Ok(Taken::Held(lease))
}

/// The worker that holds a round now.
pub fn holder(round: &RoundFolder, now: Timestamp) -> Result<Option<Holder>, FileError> {
    let folder = round.file(layout::AUTOMATION);
    let Some(number) = last_number(&folder)? else {
        return Ok(None);
    };
    let record = read(&folder, number)?;
    let held =
        record.filter(|record| record.released_at_utc.is_none() && record.expires_at_utc > now);
    Ok(held.map(|record| record.holder()))
}

impl Lease {
    /// Renews the lease; false when it is lost, and then the worker must not write any more.
    ///
    /// In its last quarter a lease cannot be renewed: a worker whose clock is ahead must not see it
    /// expired while this one still writes.
    pub fn renew(&mut self, now: Timestamp) -> Result<bool, FileError> {
        if !self.is_held(now)? {
            return Ok(false);
        }
        self.expires_at = later(now, self.worker.length);
        file_ops::replace(&self.file(), self.text(now, None).as_bytes())?;
        self.is_current()
    }

    /// Whether this worker still holds it and it is not about to expire.
    fn is_held(&self, now: Timestamp) -> Result<bool, FileError> {
        let left = self.expires_at.duration_since(now);
        Ok(left > self.worker.length / 4 && self.is_current()?)
    }

    /// Whether no other worker took it over; to be checked right before every write.
    pub fn is_current(&self) -> Result<bool, FileError> {
        Ok(last_number(&self.folder)? == Some(self.number))
    }

    pub fn release(self, now: Timestamp) -> Result<(), FileError> {
        if self.is_current()? {
            file_ops::replace(&self.file(), self.text(now, Some(now)).as_bytes())?;
        }
        Ok(())
    }

    fn file(&self) -> PathBuf {
        self.folder.join(name_of(self.number))
    }

    fn text(&self, heartbeat: Timestamp, released: Option<Timestamp>) -> String {
        json::render(&LeaseFile {
            owner: self.worker.owner.clone(),
            host: self.worker.host.clone(),
            pid: self.worker.pid,
            acquired_at_utc: self.acquired_at,
            heartbeat_at_utc: heartbeat,
            expires_at_utc: self.expires_at,
            released_at_utc: released,
        })
    }
}

impl LeaseFile {
    /// Whether the holder was a process of this machine that has ended. A process of another machine,
    /// or one whose number was reused, counts as alive until the lease expires.
    fn is_dead(&self, worker: &Worker) -> bool {
        let processes = Path::new("/proc");
        self.host == worker.host
            && self.pid != worker.pid
            && processes.join(worker.pid.to_string()).exists()
            && !processes.join(self.pid.to_string()).exists()
    }

    fn holder(&self) -> Holder {
        Holder {
            who: format!("{} (process {} on {})", self.owner, self.pid, self.host),
            until: self.expires_at_utc,
        }
    }
}

fn busy(folder: &Path, now: Timestamp) -> Result<Taken, FileError> {
    let record = match last_number(folder)? {
        Some(number) => read(folder, number)?,
        None => None,
    };
    Ok(Taken::Busy(record.map_or_else(
        || Holder {
            who: "another worker".to_owned(),
            until: now,
        },
        |record| record.holder(),
    )))
}

fn later(now: Timestamp, length: SignedDuration) -> Timestamp {
    now.checked_add(length).unwrap_or(now)
}

fn name_of(number: u64) -> String {
    format!("{PREFIX}{number:06}{ENDING}")
}

fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_prefix(PREFIX)?.strip_suffix(ENDING)?;
    number.parse().ok()
}

fn last_number(folder: &Path) -> Result<Option<u64>, FileError> {
    let names = names_in(folder)?;
    Ok(names.iter().filter_map(|name| number_of(name)).max())
}

fn read(folder: &Path, number: u64) -> Result<Option<LeaseFile>, FileError> {
    parse_file(&folder.join(name_of(number)), json::read)
}

#[cfg(test)]
mod tests;
