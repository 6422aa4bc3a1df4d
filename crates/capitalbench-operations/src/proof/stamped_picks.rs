//! Picks of a round that promises stamps: shown to outside clocks as soon as they are in the log.

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_core::round::manifest::Proof;
use capitalbench_core::values::ids::RunId;

use super::anchor::{Anchored, anchor, announce_quorum, follow_step};
use super::clocks::Clocks;
use super::promise::{Objection, Promise};
use crate::error::Error;
use crate::operator::{Notice, Operator};
use crate::syncing::store::whole::{NOT_IN_STORE, is_in_store};

/// Whether the picks are stamped as the round promises.
#[derive(Debug)]
pub struct StampedPicks {
    /// What the clocks answered, where any was asked.
    pub anchored: Option<Anchored>,
    /// What is still missing; empty when the acceptance is complete.
    pub lacking: Vec<Objection>,
}

impl StampedPicks {
    pub fn is_complete(&self) -> bool {
        self.lacking.is_empty()
    }
}

/// Has the picks of the record stamped; none where the round promises no stamps.
pub fn stamp_picks(
    operator: &Operator,
    inputs: &RoundInputs,
    run_id: &RunId,
) -> Result<Option<StampedPicks>, Error> {
    let manifest = &inputs.manifest;
    if manifest.proof != Proof::Anchored {
        follow_step(operator, &inputs.folder, manifest)?;
        return Ok(None);
    }
    let log = LogFolder::of_round(&inputs.folder);
    let promise = Promise::of(&inputs.folder, manifest);
    let lacking = || promise.order_objections(run_id.as_str(), operator.clock.now());
    let before = lacking()?;
    let clocks = Clocks::configured(&operator.configuration)?;
    if !clocks.is_empty() && !is_in_store(operator, log.rounds())? {
        let (why, rounds) = (NOT_IN_STORE, log.rounds());
        operator.say(&Notice::NotStamped { why, rounds });
        return Ok(Some(StampedPicks {
            anchored: None,
            lacking: before,
        }));
    }
    if before.is_empty() || clocks.authorities.is_empty() {
        let clocks = clocks.without_clocks();
        if !clocks.is_empty() {
            announce_quorum(operator, &log, &anchor(operator, &log, &clocks)?);
        }
        return Ok(Some(StampedPicks {
            anchored: None,
            lacking: before,
        }));
    }
    let anchored = anchor(operator, &log, &clocks)?;
    announce_quorum(operator, &log, &anchored);
    Ok(Some(StampedPicks {
        anchored: Some(anchored),
        lacking: lacking()?,
    }))
}
