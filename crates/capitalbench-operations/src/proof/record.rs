//! What a step did, added to the signed log of its folder of rounds.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::log::{
    Appended, LedgerAttempt, LogFolder, LogKey, Observer, attempt_events,
};
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_archive::run::ledger::Ledger;
use capitalbench_core::asking::attempt::Slot;
use capitalbench_proof::order::CLOCK_SLACK;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::Operator;

/// The program as logs and provenance name it.
pub const PROGRAM: &str = concat!("capitalbench ", env!("CARGO_PKG_VERSION"));

/// How the log stands after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// The folder has no log.
    Unsigned,
    /// The folder has the log of this name, but its key is elsewhere.
    KeyMissing(String),
    /// The log holds everything.
    Signed { size: u64, added: u64 },
}

/// The log beside a round, and its key where the operator has it.
pub struct Recorder {
    round: RoundFolder,
    log: LogFolder,
    key: Option<LogKey>,
}

impl Recorder {
    /// Only `keys init` gives a folder its log: a folder without one is not signed with the key that
    /// the configuration names for another, or there would be two logs of the same name.
    pub fn of_round(operator: &Operator, round: &RoundFolder) -> Result<Self, Error> {
        Self::in_log(operator, LogFolder::of_round(round), round)
    }

    /// The same for a log that lies elsewhere.
    pub fn in_log(operator: &Operator, log: LogFolder, round: &RoundFolder) -> Result<Self, Error> {
        let key = match log.verifier()? {
            Some(_) => LogKey::load(&operator.configuration.log_key(&log))?,
            None => None,
        };
        let round = round.clone();
        Ok(Self { round, log, key })
    }

    /// Adds everything that the files of a round say and the log does not hold yet.
    pub fn round(&self, now: Timestamp) -> Result<Recorded, FileError> {
        self.add(now, LogFolder::append_round)
    }

    fn add(&self, now: Timestamp, append: Append) -> Result<Recorded, FileError> {
        let Some(key) = &self.key else {
            let known = self.log.verifier()?;
            return Ok(known.map_or(Recorded::Unsigned, |key| {
                Recorded::KeyMissing(key.name().to_owned())
            }));
        };
        let Appended { size, added } = append(&self.log, key, &self.round, observer(key, now))?;
        Ok(Recorded::Signed { size, added })
    }

    /// Adds what the ledger holds of one attempt of a slot: that it begins, or also how it ended.
    pub fn attempt(
        &self,
        ledger: &Ledger,
        slot: &Slot,
        attempt: u32,
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
        let events = attempt_events(&self.round, &attempt, observer(key, now))?;
        self.log.append(key, &events).map(drop)
    }
}

/// How the events of a round get into its log.
type Append = fn(&LogFolder, &LogKey, &RoundFolder, Observer<'_>) -> Result<Appended, FileError>;

/// Refuses to ask models by a clock that is behind the log: the instants in the log of a round may
/// not run backwards.
pub fn require_clock_in_order(round: &RoundFolder, now: Timestamp) -> Result<(), Error> {
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
    Err(Error::new(text).hint("set the clock of this machine; no model was asked"))
}

fn observer(key: &LogKey, now: Timestamp) -> Observer<'_> {
    Observer {
        key: Some(key),
        now,
        program: PROGRAM,
    }
}

/// Adds a freeze to the log beside its round.
pub fn record_freeze(
    operator: &Operator,
    round: &RoundFolder,
    now: Timestamp,
) -> Result<Recorded, Error> {
    Ok(Recorder::of_round(operator, round)?.add(now, LogFolder::append_freeze)?)
}

/// Adds what a step did to the log beside its round.
pub fn record(operator: &Operator, round: &RoundFolder, now: Timestamp) -> Result<Recorded, Error> {
    Ok(Recorder::of_round(operator, round)?.round(now)?)
}

/// Adds what the rounds of a folder say: a process that died may have left events out of the log,
/// or its last checkpoint unkept.
pub fn record_all(operator: &Operator, rounds: &Path, now: Timestamp) -> Result<(), Error> {
    for round in list_rounds(rounds)? {
        record(operator, &round, now)?;
    }
    Ok(())
}
