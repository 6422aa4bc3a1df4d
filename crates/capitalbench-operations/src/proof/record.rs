//! What a step did, added to the signed log of its folder of rounds.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::log::{LedgerAttempt, LogFolder, LogKey, Observer, attempt_events};
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

/// The log of a folder of rounds, and its key where the operator has it.
pub struct Recorder {
    log: LogFolder,
    key: Option<LogKey>,
}

impl Recorder {
    /// The log beside a round.
    ///
    /// Only `keys init` gives a folder its log: a folder without one is not signed with the key that
    /// the configuration names for another, or there would be two logs of the same name.
    pub fn of_round(operator: &Operator, round: &RoundFolder) -> Result<Self, Error> {
        let log = LogFolder::of_round(round);
        let key = match log.verifier()? {
            Some(_) => LogKey::load(&operator.configuration.log_key(&log))?,
            None => None,
        };
        Ok(Self { log, key })
    }

    /// Adds everything that the files of a round say and the log does not hold yet.
    pub fn round(&self, round: &RoundFolder, now: Timestamp) -> Result<Recorded, FileError> {
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

    /// Adds what the ledger holds of one attempt: that it begins, or also how it ended.
    pub fn attempt(
        &self,
        ledger: &Ledger,
        round: &RoundFolder,
        attempt: Attempt<'_>,
        now: Timestamp,
    ) -> Result<(), FileError> {
        let Some(key) = &self.key else {
            return Ok(());
        };
        let attempt = LedgerAttempt {
            run: ledger.folder(),
            plan: ledger.plan(),
            slot: attempt.slot,
            attempt: attempt.number,
        };
        let events = attempt_events(round, &attempt, observer(key, now))?;
        self.log.append(key, &events)?;
        Ok(())
    }
}

/// One attempt of a slot.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    pub slot: &'a Slot,
    pub number: u32,
}

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
    let recorder = Recorder::of_round(operator, round)?;
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
pub fn record(operator: &Operator, round: &RoundFolder, now: Timestamp) -> Result<Recorded, Error> {
    Ok(Recorder::of_round(operator, round)?.round(round, now)?)
}

/// Adds what the rounds of a folder say: a process that died may have left events out of the log,
/// or its last checkpoint unkept.
pub fn record_all(operator: &Operator, rounds: &Path, now: Timestamp) -> Result<(), Error> {
    for round in list_rounds(rounds)? {
        record(operator, &round, now)?;
    }
    Ok(())
}
