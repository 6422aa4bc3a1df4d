//! The attempt ledger of a run: what was to be asked, and every call, whatever became of it.
//!
//! ```text
//! runs/<run_id>/slots.json                      the slots, before the first call
//! runs/<run_id>/attempts/<stem>__NNN.begun.json before the request leaves
//! runs/<run_id>/attempts/<stem>__NNN.head.json  status and headers of the answer
//! runs/<run_id>/attempts/<stem>__NNN.answer     the exact bytes, before anything reads them
//! runs/<run_id>/attempts/<stem>__NNN.ended.json what became of the call
//! ```
//!
//! Each file is created once and flushed; none is ever written again or removed. The folder that
//! the archive's format asks for is derived from the ledger by [`derive`](derive::derive).

use std::path::PathBuf;

use capitalbench_core::asking::attempt::{AttemptStatus, Reason, Slot};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::values::ids::{Digest, ModelId, RunId};
use capitalbench_core::values::time::Stamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, Hold};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::round::round_folder::RoundFolder;
use crate::run::run_folder::RunFolder;

pub mod derive;
mod plan;
mod planned_price;
mod strict;

pub use plan::{PlannedSlot, RunPlan};
pub use planned_price::{CardNote, PlannedPrice};
pub use strict::{Record, parse_record};

/// Status and headers of an answer, kept beside its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerHead {
    /// HTTP status.
    pub status: u16,
    /// Headers worth keeping.
    pub headers: Vec<(String, String)>,
    /// When the answer was complete.
    pub received_at_utc: String,
    /// Digest of the bytes.
    pub sha256: String,
}

impl AnswerHead {
    /// Whether these are the bytes that came.
    pub fn is_of(&self, body: &[u8]) -> bool {
        self.sha256 == Digest::of(body).to_hex()
    }
}

/// What is said of an answer whose bytes are not those that came.
pub(crate) const OTHER_ANSWER: &str =
    "is not the answer that came: its head holds another digest; put the bytes of then back";

/// What is known before a request leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    /// Who is asked.
    pub model_id: String,
    /// Which replicate.
    pub replicate_index: u32,
    /// Which attempt, from 1.
    pub attempt: u32,
    /// When.
    pub started_at_utc: String,
    /// Digest of the text that is sent.
    pub input_sha256: String,
    /// Where the request goes, without any key; none for models that are not asked over a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// `valid`, `invalid` or `failed`.
    pub status: String,
    /// Word of the first cause.
    pub reason: Option<String>,
    /// Every problem, in words.
    pub problems: Vec<String>,
    /// When.
    pub ended_at_utc: String,
    /// How long the call took.
    pub latency_seconds: f64,
    /// The model's text, exactly; none when there is no reply.
    pub text: Option<String>,
    /// The object in it, where the ladder found one.
    pub object: Option<Value>,
    /// The step of the ladder.
    pub parse_path: Option<String>,
    /// The model that the server says has answered.
    pub served_model: Option<String>,
    /// The server's name for the call.
    pub request_id: Option<String>,
    /// Tokens sent.
    pub input_tokens: Option<u64>,
    /// The cached part of them.
    pub cached_tokens: Option<u64>,
    /// The part of them that was written to the cache.
    #[serde(default)]
    pub cache_write_tokens: Option<u64>,
    /// Tokens produced.
    pub output_tokens: Option<u64>,
    /// The part of them that was reasoning.
    pub reasoning_tokens: Option<u64>,
    /// Dollars, where the price is known.
    pub cost_usd: Option<f64>,
}

impl Ended {
    /// What the call cost, where the price is known.
    pub fn cost(&self) -> Option<Cost> {
        self.cost_usd.and_then(Cost::from_usd)
    }

    /// The status as the core knows it.
    pub fn attempt_status(&self) -> AttemptStatus {
        let reason = self.reason.as_deref().and_then(Reason::parse);
        // Records are checked when they are read; no unknown word may lead to another call.
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

/// One attempt as the disk tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptRecord {
    /// Before the call.
    pub begun: Begun,
    /// The answer, where one arrived whole.
    pub answer: Option<(AnswerHead, Vec<u8>)>,
    /// After the call; none when a crash came between.
    pub ended: Option<Ended>,
}

impl AttemptRecord {
    /// The status; unknown when nobody knows how it ended.
    pub fn status(&self) -> AttemptStatus {
        self.ended
            .as_ref()
            .map_or(AttemptStatus::Unknown, Ended::attempt_status)
    }
}

/// The ledger of one run, held by one process.
#[derive(Debug)]
pub struct Ledger {
    folder: RunFolder,
    plan: RunPlan,
    _hold: Hold,
}

impl Ledger {
    /// Starts a run: its slots are on disk before this returns. An existing run is refused.
    pub fn create(round: &RoundFolder, plan: &RunPlan) -> Result<Self, FileError> {
        let path = run_path(round, &plan.run_id);
        plan.refuse_shared_stems()
            .map_err(|problem| FileError::folder(&path, problem))?;
        if path.exists() {
            let text = "is there already; finish it with --resume or choose another --run-id";
            return Err(FileError::folder(&path, text));
        }
        let slots = json::to_pretty(&plan.to_json());
        let parent = round.file(crate::disk::layout::RUNS);
        file_ops::create_folder(&parent)?;
        // What is unfinished here may be the run that another process is making right now.
        let _turn = file_ops::hold_in_turn(&parent.join(run::LOCK))?;
        file_ops::remove_unfinished(&parent)?;
        let files = [(run::SLOTS, slots.as_bytes())];
        file_ops::create_folder_with(&path, &files, &[run::ATTEMPTS])?;
        Self::open(round, &plan.run_id)
    }

    /// Opens a run that was started before; one that another process runs is refused.
    pub fn open(round: &RoundFolder, run_id: &RunId) -> Result<Self, FileError> {
        let path = run_path(round, run_id);
        if !path.is_dir() {
            return Err(FileError::folder(&path, "there is no such run to resume"));
        }
        let folder = RunFolder::open(&path)?;
        let file = folder.file(run::SLOTS);
        let bytes = file_ops::read(&file)?;
        let plan = RunPlan::parse(&bytes).map_err(|fault| fault.in_file(&file))?;
        if plan.run_id != *run_id {
            let fault = Fault::field("run_id", "names another run");
            return Err(fault.in_file(&file));
        }
        let hold = file_ops::hold(&folder.file(run::LOCK))?;
        let hold = hold.ok_or_else(|| {
            FileError::folder(&path, "another process is running this run right now")
        })?;
        for place in [
            "",
            run::ATTEMPTS,
            run::RAW,
            run::PARSED,
            run::REPLIES,
            run::CONTROLS,
        ] {
            file_ops::remove_unfinished(&folder.file(place))?;
        }
        strict::require_known_files(&folder, &plan)?;
        Ok(Self {
            folder,
            plan,
            _hold: hold,
        })
    }

    /// What the run set out to ask.
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// The run's folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Notes that a request is about to leave.
    pub fn begin(&self, slot: &Slot, begun: &Begun) -> Result<(), FileError> {
        let file = self.file(slot, begun.attempt, "begun.json");
        create(&file, begun)
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

    /// Notes what became of a call.
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

/// Every attempt of a slot as the disk tells it, for whoever only reads a run; nothing is compared.
pub(crate) fn attempts_of(
    folder: &RunFolder,
    plan: &RunPlan,
    slot: &Slot,
) -> Result<Vec<AttemptRecord>, FileError> {
    let mut records = Vec::new();
    for attempt in 1.. {
        let file = |ending| folder.file(&attempt_path(plan, slot, attempt, ending));
        let Some(begun) = load::<Begun>(&file("begun.json"))? else {
            break;
        };
        let own = begun.require_own(slot, attempt);
        own.map_err(|fault| fault.in_file(&file("begun.json")))?;
        let head = load(&file("head.json"))?;
        records.push(AttemptRecord {
            begun,
            answer: head.zip(bytes_of(&file("answer"))?),
            ended: load(&file("ended.json"))?,
        });
    }
    Ok(records)
}

fn load<T: Record>(file: &std::path::Path) -> Result<Option<T>, FileError> {
    let Some(bytes) = bytes_of(file)? else {
        return Ok(None);
    };
    let record = parse_record(&bytes).map_err(|fault| fault.in_file(file))?;
    Ok(Some(record))
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

fn bytes_of(file: &std::path::Path) -> Result<Option<Vec<u8>>, FileError> {
    crate::round::round_folder::optional(file_ops::read(file).map_err(FileError::from))
}

fn run_path(round: &RoundFolder, run_id: &RunId) -> PathBuf {
    round.file(crate::disk::layout::RUNS).join(run_id.as_str())
}

fn create(file: &std::path::Path, value: &impl Serialize) -> Result<(), FileError> {
    let value =
        serde_json::to_value(value).map_err(|error| Fault::new(error.to_string()).in_file(file))?;
    Ok(file_ops::create_new(
        file,
        json::to_pretty(&value).as_bytes(),
    )?)
}

/// Reads a model id that the ledger itself wrote.
fn model_id(text: &str) -> Result<ModelId, Fault> {
    ModelId::parse(text).map_err(|error| Fault::field("model_id", error.to_string()))
}

/// Reads an instant that the ledger itself wrote.
fn stamp(field: &str, text: &str) -> Result<Stamp, Fault> {
    Stamp::parse(text).ok_or_else(|| Fault::field(field, "is no instant"))
}
