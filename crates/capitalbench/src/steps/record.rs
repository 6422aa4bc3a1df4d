//! What a step did, put into the log of its folder of rounds.

use std::path::PathBuf;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::layout;
use capitalbench_archive::log::{LedgerAttempt, LogFolder, LogKey, Observer, attempt_events};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::run::ledger::Ledger;
use capitalbench_core::asking::attempt::Slot;
use capitalbench_proof::order::CLOCK_SLACK;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::config::Environment;
use crate::console::{DIM, GOOD, WARNING, line, paint, plural};
use crate::error::CommandError;

/// Names the private key where it does not lie among the rounds.
pub(crate) const LOG_KEY: &str = "CAPITALBENCH_LOG_KEY";
const PROGRAM: &str = concat!("capitalbench ", env!("CARGO_PKG_VERSION"));

/// What became of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// The folder has no log.
    Unsigned,
    /// The folder has a log whose key is not here.
    KeyMissing(String),
    /// The log holds everything.
    Signed { size: u64, added: u64 },
}

impl Recorded {
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::Unsigned => json!({"state": "unsigned"}),
            Self::KeyMissing(name) => json!({"state": "key-missing", "log": name}),
            Self::Signed { size, added } => {
                json!({"state": "signed", "size": size, "added": added})
            }
        }
    }

    /// One line for people, where the folder has a log.
    pub(crate) fn print_signed(&self) {
        if *self != Self::Unsigned {
            self.print();
        }
    }

    /// One line for people.
    pub(crate) fn print(&self) {
        match self {
            Self::Unsigned => line(paint(
                DIM,
                "log: unsigned; sign what happens with `capitalbench keys init`",
            )),
            Self::KeyMissing(name) => line(format!(
                "log: {}",
                paint(
                    WARNING,
                    format!("not signed, the key of {name} is not here; set {LOG_KEY}")
                )
            )),
            Self::Signed { size, added } => {
                let added = plural(usize::try_from(*added).unwrap_or(usize::MAX), "event");
                let signed = paint(GOOD, "signed");
                line(format!("log: {signed}, {added} added, {size} in all"));
            }
        }
    }
}

/// Where the private key of a log lies.
pub(crate) fn key_file(log: &LogFolder) -> Result<PathBuf, CommandError> {
    let given = Environment::load()?.get(LOG_KEY).map(PathBuf::from);
    Ok(given.unwrap_or_else(|| log.rounds().join(layout::LOG_KEY)))
}

/// The log of a folder of rounds, and the key where it is here.
pub(crate) struct Recorder {
    log: LogFolder,
    key: Option<LogKey>,
}

impl Recorder {
    /// The log beside a round.
    ///
    /// A folder gets its log from `keys init` alone: one that has none is not signed with a key that
    /// the environment names for another, or there would be two logs of the same name.
    pub(crate) fn of_round(round: &RoundFolder) -> Result<Self, CommandError> {
        let log = LogFolder::of_round(round);
        let key = match log.verifier()? {
            Some(_) => LogKey::load(&key_file(&log)?)?,
            None => None,
        };
        Ok(Self { log, key })
    }

    /// Adds everything that the files of a round say and the log does not hold yet.
    pub(crate) fn round(&self, round: &RoundFolder, now: Timestamp) -> Result<Recorded, FileError> {
        let Some(key) = &self.key else {
            let known = self.log.verifier()?;
            return Ok(known.map_or(Recorded::Unsigned, |key| {
                Recorded::KeyMissing(key.name().to_owned())
            }));
        };
        let appended = self.log.append_round(key, round, observer(key, now))?;
        Ok(Recorded::Signed {
            size: appended.size,
            added: appended.added,
        })
    }

    /// Adds one attempt: that it begins, or also how it ended.
    pub(crate) fn attempt(
        &self,
        round: &RoundFolder,
        ledger: &Ledger,
        (slot, attempt): (&Slot, u32),
        now: Timestamp,
    ) -> Result<(), FileError> {
        let Some(key) = &self.key else {
            return Ok(());
        };
        let attempt = LedgerAttempt {
            run: ledger.folder(),
            plan: ledger.plan(),
            slot,
            attempt,
        };
        let events = attempt_events(round, &attempt, observer(key, now))?;
        self.log.append(key, &events)?;
        Ok(())
    }
}

/// The instants in the log of a round may not run backwards, so nobody is asked by a clock that is
/// behind what the log knows.
pub(crate) fn require_clock_in_order(
    round: &RoundFolder,
    now: Timestamp,
) -> Result<(), CommandError> {
    let Some(last) = LogFolder::of_round(round).last_instant(&round.name())? else {
        return Ok(());
    };
    if last.duration_since(now) <= CLOCK_SLACK {
        return Ok(());
    }
    let text = format!(
        "the clock shows {now}, and the log of {} has an event of {last}",
        round.name()
    );
    Err(CommandError::new(text).hint("set the clock of this machine; nobody was asked"))
}

fn observer(key: &LogKey, now: Timestamp) -> Observer<'_> {
    Observer {
        key: Some(key),
        now,
        program: PROGRAM,
    }
}

/// Adds a freeze to the log beside its round.
pub(crate) fn record_freeze(round: &RoundFolder, now: Timestamp) -> Result<Recorded, CommandError> {
    let recorder = Recorder::of_round(round)?;
    let Some(key) = &recorder.key else {
        return Ok(recorder.round(round, now)?);
    };
    let appended = recorder.log.append_freeze(key, round, observer(key, now))?;
    Ok(Recorded::Signed {
        size: appended.size,
        added: appended.added,
    })
}

/// Adds what a step did to the log beside its round.
pub(crate) fn record(round: &RoundFolder, now: Timestamp) -> Result<Recorded, CommandError> {
    Ok(Recorder::of_round(round)?.round(round, now)?)
}
