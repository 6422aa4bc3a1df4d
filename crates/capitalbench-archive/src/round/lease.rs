//! Who works on a round: a lease that ends by itself, so that a dead worker holds nothing up.
//!
//! Leases are numbered files in `automation/`, and the highest number is the one that counts. A
//! lease is taken by creating the next number, which the file system lets one worker do, whichever
//! machine it is on; two that want to take over the same expired lease want the same number. Whoever
//! created a number looks again for a higher one: older files are removed only when a newer one is
//! there, so a number that was free because it was removed is seen to be old. The last file is never
//! removed, for the numbers must not begin again.

use std::path::{Path, PathBuf};

use capitalbench_core::values::time::Stamp;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::format::text::json;
use crate::format::text::member::only;
use crate::round::round_folder::{RoundFolder, names_in, optional};

const PREFIX: &str = "lease-";
const ENDING: &str = ".json";
/// The members of a lease; there are no others.
const MEMBERS: [&str; 7] = [
    "owner",
    "host",
    "pid",
    "acquired_at_utc",
    "heartbeat_at_utc",
    "expires_at_utc",
    "released_at_utc",
];

/// Who takes a lease, and for how long at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// A name for people.
    pub owner: String,
    /// Its system: processes with the same text see each other.
    pub host: String,
    /// Its process there.
    pub pid: u32,
    /// How long a lease lasts without a sign of life.
    pub length: SignedDuration,
}

/// What a lease file says.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Record {
    owner: String,
    host: String,
    pid: u32,
    expires_at: Timestamp,
    released_at: Option<Timestamp>,
}

/// A lease on a round that is held.
#[derive(Debug, Clone)]
pub struct Lease {
    folder: PathBuf,
    number: u64,
    worker: Worker,
    acquired_at: Timestamp,
    expires_at: Timestamp,
}

/// What came of asking for a lease.
#[derive(Debug)]
pub enum Taken {
    /// It is ours.
    Held(Lease),
    /// Somebody else has it.
    Busy(Holder),
}

/// Who has a lease, and until when without a sign of life.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Owner, machine and process.
    pub who: String,
    /// When others may take it.
    pub until: Timestamp,
}

/// Takes the lease of a round that nobody holds, or whose holder gave no sign of life in time.
pub fn acquire(round: &RoundFolder, worker: &Worker, now: Timestamp) -> Result<Taken, FileError> {
    let folder = round.file(layout::AUTOMATION);
    file_ops::create_folder(&folder)?;
    let last = last_number(&folder)?;
    if let Some(number) = last {
        match read(&folder, number)? {
            Some(record) if record.released_at.is_none() => {
                if record.expires_at > now && !record.is_dead(worker) {
                    return Ok(Taken::Busy(record.holder()));
                }
            }
            // Removed between the two looks: a newer one is there.
            None => return busy(&folder, now),
            Some(_) => {}
        }
    }
    let number = last.unwrap_or(0).checked_add(1).ok_or_else(|| {
        let text = "the last lease has the largest number there is; remove its file";
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
        // Another worker was quicker, or cleaned up after a crash while this one was writing.
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
    // A process that was killed while it wrote left its draft here, whether it held a lease or not.
    file_ops::remove_unfinished(&lease.folder)?;
    Ok(Taken::Held(lease))
}

/// Who holds a round now; none when nobody does.
pub fn holder(round: &RoundFolder, now: Timestamp) -> Result<Option<Holder>, FileError> {
    let folder = round.file(layout::AUTOMATION);
    let Some(number) = last_number(&folder)? else {
        return Ok(None);
    };
    let record = read(&folder, number)?;
    let held = record.filter(|record| record.released_at.is_none() && record.expires_at > now);
    Ok(held.map(|record| record.holder()))
}

impl Lease {
    /// Gives a sign of life; false when the lease is lost, and then nothing more may be written.
    ///
    /// The last quarter of a lease is not used for renewing: a slow clock elsewhere must not see it
    /// expired while it is still being written.
    pub fn renew(&mut self, now: Timestamp) -> Result<bool, FileError> {
        if !self.is_held(now)? {
            return Ok(false);
        }
        self.expires_at = later(now, self.worker.length);
        file_ops::replace(&self.file(), self.text(now, None).as_bytes())?;
        self.is_current()
    }

    /// Whether it is still ours and not about to expire.
    fn is_held(&self, now: Timestamp) -> Result<bool, FileError> {
        let left = self.expires_at.duration_since(now);
        Ok(left > self.worker.length / 4 && self.is_current()?)
    }

    /// Whether nobody took it over: what is asked right before something is written.
    pub fn is_current(&self) -> Result<bool, FileError> {
        Ok(last_number(&self.folder)? == Some(self.number))
    }

    /// Gives it back.
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
        json::to_pretty(&json!({
            "owner": self.worker.owner,
            "host": self.worker.host,
            "pid": self.worker.pid,
            "acquired_at_utc": self.acquired_at.to_string(),
            "heartbeat_at_utc": heartbeat.to_string(),
            "expires_at_utc": self.expires_at.to_string(),
            "released_at_utc": released.map(|at| at.to_string()),
        }))
    }
}

impl Record {
    /// Whether the holder was a process of the same system as `worker` and is gone. A process of
    /// another system, or one whose number was given again, is waited for.
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
            until: self.expires_at,
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

fn read(folder: &Path, number: u64) -> Result<Option<Record>, FileError> {
    let file = folder.join(name_of(number));
    let bytes = file_ops::read(&file).map_err(FileError::from);
    let Some(bytes) = optional(bytes)? else {
        return Ok(None);
    };
    let parsed = parse(&bytes).map_err(|fault| fault.in_file(&file));
    parsed.map(Some)
}

fn parse(bytes: &[u8]) -> Result<Record, Fault> {
    let value = json::parse(bytes)?;
    only(&value, &MEMBERS)?;
    let text = |name: &str| {
        let missing = || Fault::field(name, "is missing or no text");
        value[name].as_str().ok_or_else(missing)
    };
    let instant = |name: &str| -> Result<Timestamp, Fault> {
        let stamp = Stamp::parse(text(name)?);
        let wrong = || Fault::field(name, "is not an instant");
        stamp.map(|stamp| stamp.at()).ok_or_else(wrong)
    };
    let pid = value["pid"].as_u64().and_then(|pid| pid.try_into().ok());
    Ok(Record {
        owner: text("owner")?.to_owned(),
        host: text("host")?.to_owned(),
        pid: pid.ok_or_else(|| Fault::field("pid", "is missing or no number"))?,
        expires_at: instant("expires_at_utc")?,
        released_at: match &value["released_at_utc"] {
            Value::Null => None,
            _ => Some(instant("released_at_utc")?),
        },
    })
}

#[cfg(test)]
mod tests;
