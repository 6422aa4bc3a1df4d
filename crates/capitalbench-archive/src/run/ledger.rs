//! The attempt ledger of a run: the planned slots, and every call with its result.
//!
//! ```text
//! runs/<run_id>/slots.json                      the slots, before the first call
//! runs/<run_id>/attempts/<stem>__NNN.begun.json before the request leaves
//! runs/<run_id>/attempts/<stem>__NNN.head.json  status and headers of the answer
//! runs/<run_id>/attempts/<stem>__NNN.answer     the exact bytes, before anything reads them
//! runs/<run_id>/attempts/<stem>__NNN.ended.json the result of the call
//! runs/<run_id>/repairs/NNN.json                another name for a model, before its next attempt
//! ```
//!
//! Each file is created once and flushed; none is ever written again or removed. The folder that
//! the archive's format asks for is derived from the ledger by [`derive`](derive::derive).

use std::path::PathBuf;

use capitalbench_core::asking::attempt::{AttemptStatus, Reason, Slot};
use capitalbench_core::asking::call_settings::Asked;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::values::ids::{Digest, RunId};
use capitalbench_core::values::time::WrittenInstant;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, Hold};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::round::ending;
use crate::round::round_folder::{RoundFolder, parse_file, read_file};
use crate::run::in_flight::official_in_flight;
use crate::run::run_folder::RunFolder;

pub mod derive;
mod plan;
mod planned_price;
mod repair;
mod strict;

pub use plan::{PlannedSlot, RunPlan};
pub use planned_price::{CardNote, PlannedPrice};
pub use repair::{Repair, name_at, name_now, refusal_to_rename, repairs_of};
pub use strict::{AttemptFile, parse_record};

/// Status and headers of an answer, kept beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerHead {
    pub status: u16,
    /// The headers that are kept.
    pub headers: Vec<(String, String)>,
    /// When the answer was complete.
    pub received_at_utc: String,
    pub sha256: String,
}

impl AnswerHead {
    /// Whether these are the bytes that arrived.
    pub fn is_of(&self, body: &[u8]) -> bool {
        self.sha256 == Digest::of(body).to_hex()
    }
}

/// The message about an answer whose bytes changed after it arrived.
pub(crate) const OTHER_ANSWER: &str =
    "changed after it arrived: its head holds another digest; restore the file from a copy";

/// What is known before a request leaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    pub model_id: String,
    pub replicate_index: u32,
    /// Which attempt, from 1.
    pub attempt: u32,
    pub started_at_utc: String,
    /// Digest of the text that is sent.
    pub input_sha256: String,
    /// Where the request goes, without any key; none for models that are not called over a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// What the request asks for; none for models that are not called over a network, and in
    /// ledgers of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// `valid`, `invalid` or `failed`.
    pub status: String,
    /// The first cause, as [`Reason`] spells it.
    pub reason: Option<String>,
    /// Every problem, in words.
    pub problems: Vec<String>,
    pub ended_at_utc: String,
    pub latency_seconds: f64,
    /// The model's text, exactly; none when there is no reply.
    pub text: Option<String>,
    /// The object in it, where the ladder found one.
    pub object: Option<Value>,
    /// The step of the ladder that found it.
    pub parse_path: Option<String>,
    /// The model that answered, by the server's word.
    pub served_model: Option<String>,
    /// The server's id of the call.
    pub request_id: Option<String>,
    pub input_tokens: Option<u64>,
    /// The cached part of them.
    pub cached_tokens: Option<u64>,
    /// The part of them that was written to the cache.
    #[serde(default)]
    pub cache_write_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// The part of them that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// What counts as the cost, in dollars: what the provider says it billed, else the card's figure.
    pub cost_usd: Option<f64>,
    /// Dollars that the provider says it billed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billed_usd: Option<f64>,
    /// Dollars by the price card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card_usd: Option<f64>,
    /// The service tier, by the server's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_tier: Option<String>,
    /// The host that answered, by a router's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<String>,
}

impl Ended {
    /// What the call cost, where the price is known.
    pub fn cost(&self) -> Option<Cost> {
        self.cost_usd.and_then(Cost::from_usd)
    }

    /// The status as the core knows it.
    pub fn attempt_status(&self) -> AttemptStatus {
        let reason = self.reason.as_deref().and_then(Reason::parse);
        // Reading refuses an unknown reason; should one get here, it must not cause another call.
        let reason = reason.unwrap_or(Reason::Rules);
        match self.status.as_str() {
            "valid" => AttemptStatus::Valid,
            "failed" => AttemptStatus::Failed {
                reason,
                message: self.problems.join("; "),
            },
            _ => AttemptStatus::Invalid {
                reason,
                problems: self.problems.clone(),
            },
        }
    }
}

/// One attempt, from its files.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    pub begun: Begun,
    /// The answer, where a complete one arrived.
    pub answer: Option<(AnswerHead, Vec<u8>)>,
    /// None when a crash came before the end of the call.
    pub ended: Option<Ended>,
}

impl AttemptRecord {
    /// The status; unknown when the attempt has no end.
    pub fn status(&self) -> AttemptStatus {
        self.ended
            .as_ref()
            .map_or(AttemptStatus::Unknown, Ended::attempt_status)
    }
}

/// The ledger of one run, locked by this process.
#[derive(Debug)]
pub struct Ledger {
    folder: RunFolder,
    plan: RunPlan,
    repairs: Vec<Repair>,
    _hold: Hold,
}

impl Ledger {
    /// Starts a run: its slots are on disk before this returns. Refuses an existing run.
    pub fn create(round: &RoundFolder, plan: &RunPlan) -> Result<Self, FileError> {
        let path = run_path(round, &plan.run_id);
        plan.refuse_shared_stems()
            .map_err(|problem| FileError::folder(&path, problem))?;
        if path.exists() {
            let text = "already exists; finish it with --resume or choose another --run-id";
            return Err(FileError::folder(&path, text));
        }
        let slots = json::to_pretty(&plan.to_json());
        let parent = round.file(crate::disk::layout::RUNS);
        file_ops::create_folder(&parent)?;
        // An unfinished folder may be a run that another process is creating right now, so wait.
        let _turn = file_ops::hold_in_turn(&parent.join(run::LOCK))?;
        file_ops::remove_unfinished(&parent)?;
        ending::require_open(round)?;
        if plan.rules.kind == RunKind::Official
            && plan.calls != Calls::Mock
            && let Some(other) = official_in_flight(round)?
        {
            let text = format!("{other} is an official run of the round that has not ended");
            return Err(FileError::folder(&path, text));
        }
        let files = [(run::SLOTS, slots.as_bytes())];
        file_ops::create_folder_with(&path, &files, &[run::ATTEMPTS])?;
        Self::open(round, &plan.run_id)
    }

    /// Opens a run that was started before; refuses one that another process is running.
    pub fn open(round: &RoundFolder, run_id: &RunId) -> Result<Self, FileError> {
        let path = run_path(round, run_id);
        if !path.is_dir() {
            return Err(FileError::folder(&path, "there is no such run to resume"));
        }
        let folder = RunFolder::open(&path)?;
        let plan = folder.parse(run::SLOTS, RunPlan::parse)?;
        if plan.run_id != *run_id {
            let fault = Fault::field("run_id", "names another run");
            return Err(fault.in_file(&folder.file(run::SLOTS)));
        }
        let hold = file_ops::hold(&folder.file(run::LOCK))?;
        let hold = hold.ok_or_else(|| {
            FileError::folder(&path, "another process is running this run right now")
        })?;
        let written = [
            run::ATTEMPTS,
            run::REPAIRS,
            run::RAW,
            run::PARSED,
            run::REPLIES,
            run::CONTROLS,
        ];
        for place in written.into_iter().chain([""]) {
            file_ops::remove_unfinished(&folder.file(place))?;
        }
        strict::require_known_files(&folder, &plan)?;
        let repairs = repairs_of(&folder, &plan)?;
        Ok(Self {
            plan: plan.repaired(&repairs),
            folder,
            repairs,
            _hold: hold,
        })
    }

    /// The plan with the names that repairs gave to models.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The repairs in their order.
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// Records a repair; the next attempt of its model asks for the new name.
    pub fn repair(&mut self, repair: Repair) -> Result<(), FileError> {
        file_ops::create_folder(&self.folder.file(run::REPAIRS))?;
        create(&self.folder.file(&Repair::path(repair.number)), &repair)?;
        self.plan = self.plan.repaired(std::slice::from_ref(&repair));
        self.repairs.push(repair);
        Ok(())
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Records that a request is about to leave.
    pub fn begin(&self, slot: &Slot, begun: &Begun) -> Result<(), FileError> {
        create(&self.file(slot, begun.attempt, "begun.json"), begun)
    }

    /// Stores the exact answer before anything reads it.
    pub fn keep_answer(
        &self,
        slot: &Slot,
        attempt: u32,
        head: &AnswerHead,
        body: &[u8],
    ) -> Result<(), FileError> {
        create(&self.file(slot, attempt, "head.json"), head)?;
        let file = self.file(slot, attempt, "answer");
        Ok(file_ops::create_new(&file, body)?)
    }

    /// Records the result of a call.
    pub fn end(&self, slot: &Slot, attempt: u32, ended: &Ended) -> Result<(), FileError> {
        create(&self.file(slot, attempt, "ended.json"), ended)
    }

    /// Every attempt of a slot, in order.
    pub fn attempts(&self, slot: &Slot) -> Result<Vec<AttemptRecord>, FileError> {
        let records = attempts_of(&self.folder, &self.plan, slot)?;
        for record in &records {
            let answer = record.answer.as_ref();
            if answer.is_some_and(|(head, body)| !head.is_of(body)) {
                let file = self.file(slot, record.begun.attempt, "answer");
                return Err(Fault::new(OTHER_ANSWER).in_file(&file));
            }
        }
        Ok(records)
    }

    fn file(&self, slot: &Slot, attempt: u32, ending: &str) -> PathBuf {
        self.folder
            .file(&attempt_path(&self.plan, slot, attempt, ending))
    }
}

/// Every attempt of a slot from its files, for readers of a run; does not check the digests.
pub fn attempts_of(
    folder: &RunFolder,
    plan: &RunPlan,
    slot: &Slot,
) -> Result<Vec<AttemptRecord>, FileError> {
    let mut records = Vec::new();
    for attempt in 1.. {
        let file = |ending| folder.file(&attempt_path(plan, slot, attempt, ending));
        let begun = parse_file(&file("begun.json"), |bytes| {
            let begun: Begun = parse_record(bytes)?;
            begun.require_own(slot, attempt)?;
            Ok(begun)
        })?;
        let Some(begun) = begun else {
            break;
        };
        let head = parse_file(&file("head.json"), parse_record)?;
        records.push(AttemptRecord {
            begun,
            answer: head.zip(read_file(&file("answer"))?),
            ended: parse_file(&file("ended.json"), parse_record)?,
        });
    }
    Ok(records)
}

/// The path of a file of an attempt inside its run.
pub fn attempt_path(plan: &RunPlan, slot: &Slot, attempt: u32, ending: &str) -> String {
    path_of_attempt(plan.rules.replicates, slot, attempt, ending)
}

/// The same for a run of which only the number of replicates is known.
pub(crate) fn path_of_attempt(replicates: u32, slot: &Slot, attempt: u32, ending: &str) -> String {
    let stem = slot.stem(replicates);
    format!("{}/{stem}__{attempt:03}.{ending}", run::ATTEMPTS)
}

fn run_path(round: &RoundFolder, run_id: &RunId) -> PathBuf {
    round.file(crate::disk::layout::RUNS).join(run_id.as_str())
}

fn create(file: &std::path::Path, value: &impl Serialize) -> Result<(), FileError> {
    Ok(file_ops::create_new(file, json::render(value).as_bytes())?)
}

/// Reads an instant that the ledger itself wrote.
pub(crate) fn stamp(field: &str, text: &str) -> Result<WrittenInstant, Fault> {
    WrittenInstant::parse(text).ok_or_else(|| Fault::field(field, "is not an instant"))
}
