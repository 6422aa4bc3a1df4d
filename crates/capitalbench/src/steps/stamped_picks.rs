//! Picks of a round that promises stamps: shown to outside clocks as soon as they are in the log.

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_core::round::manifest::Proof;
use capitalbench_core::values::ids::RunId;
use serde_json::{Value, json};

use super::anchor::{Anchored, Clocks, anchor};
use super::promise::{Objection, order_objections};
use crate::clock::Clock;
use crate::console::{ERROR, GOOD, line, paint};
use crate::error::CommandError;

/// Whether the picks are stamped as the round promises.
pub(crate) struct StampedPicks {
    /// What became of the questions, where any was asked.
    pub(crate) anchored: Option<Anchored>,
    /// What still lacks; empty when the acceptance is complete.
    pub(crate) lacking: Vec<Objection>,
}

/// Has the picks of the record stamped; none where the round promises no stamps.
pub(crate) fn stamp_picks(
    inputs: &RoundInputs,
    run_id: &RunId,
    clock: Clock,
) -> Result<Option<StampedPicks>, CommandError> {
    let manifest = &inputs.manifest;
    if manifest.proof != Proof::Anchored {
        return Ok(None);
    }
    let log = LogFolder::of_round(&inputs.folder);
    let lacking = || order_objections(&log, manifest, run_id.as_str(), clock.now());
    let before = lacking()?;
    let clocks = Clocks::configured()?;
    if before.is_empty() || clocks.authorities.is_empty() {
        return Ok(Some(StampedPicks {
            anchored: None,
            lacking: before,
        }));
    }
    let anchored = anchor(&log, &clocks, clock)?;
    Ok(Some(StampedPicks {
        anchored: Some(anchored),
        lacking: lacking()?,
    }))
}

impl StampedPicks {
    pub(crate) fn is_complete(&self) -> bool {
        self.lacking.is_empty()
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "complete": self.is_complete(),
            "lacking": self.lacking.iter().map(Objection::to_json).collect::<Vec<_>>(),
            "clocks_refused": self.anchored.as_ref().map(Anchored::reasons),
        })
    }

    /// One line for people, or one for each thing that lacks.
    pub(crate) fn print(&self) {
        if self.is_complete() {
            let stamped = paint(GOOD, "stamped");
            line(format!("proof: {stamped} before the entry close"));
            return;
        }
        let not_complete = paint(ERROR, "not complete");
        line(format!("proof: the acceptance is {not_complete}"));
        for lack in &self.lacking {
            line(format!("  {}: {}", lack.code, lack.text));
            line(format!("  next: {}", lack.next));
        }
        let reasons = self.anchored.as_ref().map(Anchored::reasons);
        if let Some(reasons) = reasons.filter(|reasons| !reasons.is_empty()) {
            line(format!("  clocks: {reasons}"));
        }
        line("  then: `capitalbench accept-run` again looks whether it is complete");
    }
}
