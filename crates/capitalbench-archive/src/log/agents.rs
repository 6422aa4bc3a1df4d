//! What registered agents were asked and answered.
//!
//! `.capitalbench/agents/<round>/<entrant>.question` and `.answer` are the exact bytes that went and
//! came; only the operator has them until the entry close. The log has the digest of the question,
//! and the answer and its transcript sealed. After the entry close the same files become public below
//! `log/agents/<round>/`, with the salts that open the seals.

use std::collections::BTreeMap;
use std::path::PathBuf;

use capitalbench_core::decision::entering::admission::Place;
use capitalbench_core::decision::entering::names::EntrantName;
use capitalbench_core::values::ids::RoundId;
use capitalbench_proof::event::{Event, Fact, Instant, Sealed};
use capitalbench_proof::merkle::{Hash, sha256};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::append::Known;
use super::{LogFolder, LogKey, instant, read};
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::disk::state_folder;
use crate::format::text::json;
use crate::round::round_folder::parse_file;

/// The outcome of an answer that counts.
pub const VALID: &str = "valid";

/// An agent and the round that it was asked about.
pub type AgentPlace = (RoundId, EntrantName);

/// What the log holds of one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSlot {
    pub asked: Place,
    pub question: Hash,
    /// None while it is asked, or where the program stopped meanwhile.
    pub end: Option<AgentEnd>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentEnd {
    pub place: Place,
    /// [`VALID`], or the first fault.
    pub outcome: String,
    pub answer: Option<Sealed>,
    pub transcript: Option<Sealed>,
}

impl AgentEnd {
    pub fn is_valid(&self) -> bool {
        self.outcome == VALID
    }
}

/// How an agent ended, before it is logged.
#[derive(Debug, Clone, Copy)]
pub struct AgentEnding<'a> {
    pub outcome: &'a str,
    pub answer: Option<&'a [u8]>,
    /// The steps, in the archive's own JSON.
    pub transcript: Option<&'a [u8]>,
}

/// The files about a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentFile {
    Question,
    Answer,
    /// The salts of answer and transcript; public only.
    Salts,
}

impl AgentFile {
    fn ending(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Answer => "answer",
            Self::Salts => "salts",
        }
    }
}

/// What opens the seals.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSalts {
    answer: Hash,
    transcript: Hash,
}

/// What is public of one question, as far as it is here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShownAgent {
    pub question: Option<Vec<u8>>,
    pub answer: Option<Vec<u8>>,
    /// The salts of answer and transcript.
    pub salts: Option<([u8; 32], [u8; 32])>,
}

/// Where a public file about a question lies, relative to the folder of rounds.
pub fn agent_file(place: &AgentPlace, kind: AgentFile) -> String {
    let (round, entrant) = place;
    let folder = layout::LOG_AGENTS;
    format!("{folder}/{round}/{entrant}.{}", kind.ending())
}

/// The label under which a transcript is sealed; it is a part of the answer and has no file.
fn transcript_label(place: &AgentPlace) -> String {
    format!("{} transcript", agent_file(place, AgentFile::Answer))
}

impl LogFolder {
    /// Every question to an agent, as the log has it.
    pub fn agents(&self) -> Result<BTreeMap<AgentPlace, AgentSlot>, FileError> {
        let mut found: BTreeMap<AgentPlace, AgentSlot> = BTreeMap::new();
        for (leaf, event) in self.events_of_round(layout::ENTRIES)? {
            let Some(at) = instant(&event) else {
                continue;
            };
            let place = Place { leaf, at };
            match event.fact {
                Fact::AgentAsked {
                    entrant,
                    for_round,
                    question,
                } => {
                    if let Some(own) = parsed(&entrant, &for_round) {
                        found.entry(own).or_insert(AgentSlot {
                            asked: place,
                            question,
                            end: None,
                        });
                    }
                }
                Fact::AgentAnswered {
                    entrant,
                    for_round,
                    outcome,
                    answer,
                    transcript,
                } => {
                    let own = parsed(&entrant, &for_round);
                    if let Some(slot) = own.and_then(|own| found.get_mut(&own)) {
                        slot.end.get_or_insert(AgentEnd {
                            place,
                            outcome,
                            answer,
                            transcript,
                        });
                    }
                }
                _ => {}
            }
        }
        Ok(found)
    }

    fn private_file(&self, place: &AgentPlace, kind: AgentFile) -> PathBuf {
        let (round, entrant) = place;
        let folder = self.file(layout::STATE).join("agents");
        folder
            .join(round.as_str())
            .join(format!("{entrant}.{}", kind.ending()))
    }

    /// Keeps a question and logs it, before it leaves.
    pub fn begin_agent(
        &self,
        key: &LogKey,
        place: &AgentPlace,
        question: &[u8],
        at: Timestamp,
    ) -> Result<(), FileError> {
        let _hold = self.take_turn()?;
        state_folder::create(&self.file(layout::STATE))?;
        self.keep_private(place, AgentFile::Question, question)?;
        let fact = Fact::AgentAsked {
            entrant: place.1.to_string(),
            for_round: place.0.to_string(),
            question: sha256(question),
        };
        self.log_agent(key, at, fact)
    }

    /// Keeps what came back and logs it.
    pub fn end_agent(
        &self,
        key: &LogKey,
        place: &AgentPlace,
        ending: AgentEnding<'_>,
        at: Timestamp,
    ) -> Result<(), FileError> {
        let _hold = self.take_turn()?;
        if let Some(answer) = ending.answer {
            self.keep_private(place, AgentFile::Answer, answer)?;
        }
        let label = agent_file(place, AgentFile::Answer);
        let seal = |label: &str, bytes: &[u8]| key.seal(layout::ENTRIES, label, bytes);
        let fact = Fact::AgentAnswered {
            entrant: place.1.to_string(),
            for_round: place.0.to_string(),
            outcome: ending.outcome.to_owned(),
            answer: ending.answer.map(|bytes| seal(&label, bytes)),
            transcript: ending
                .transcript
                .map(|bytes| seal(&transcript_label(place), bytes)),
        };
        self.log_agent(key, at, fact)
    }

    fn keep_private(
        &self,
        place: &AgentPlace,
        kind: AgentFile,
        bytes: &[u8],
    ) -> Result<(), FileError> {
        let file = self.private_file(place, kind);
        if let Some(folder) = file.parent() {
            file_ops::create_folder(folder)?;
        }
        if !file.exists() {
            file_ops::create_private(&file, bytes)?;
        }
        Ok(())
    }

    fn log_agent(&self, key: &LogKey, at: Timestamp, fact: Fact) -> Result<(), FileError> {
        // The log holds whole seconds of what entrants do.
        let whole = Timestamp::from_second(at.as_second()).unwrap_or(at);
        let at = Instant::parse(&whole.to_string()).ok_or_else(|| {
            let text = format!("{whole} is out of range");
            FileError::folder(self.rounds(), text)
        })?;
        let event = Event {
            round: layout::ENTRIES.to_owned(),
            at,
            fact,
        };
        self.append_held(key, std::slice::from_ref(&event), Known::Skipped)?;
        Ok(())
    }

    /// Publishes what an agent was asked and answered; called after the entry close. Whether anything
    /// is new.
    pub fn show_agent(&self, key: &LogKey, place: &AgentPlace) -> Result<bool, FileError> {
        let _hold = self.take_turn()?;
        let salt = |label: &str| Hash::new(key.salt(layout::ENTRIES, label));
        let salts = StoredSalts {
            answer: salt(&agent_file(place, AgentFile::Answer)),
            transcript: salt(&transcript_label(place)),
        };
        let answer = read(&self.private_file(place, AgentFile::Answer))?;
        let has_answer = answer.is_some();
        let files = [
            (
                AgentFile::Question,
                read(&self.private_file(place, AgentFile::Question))?,
            ),
            (AgentFile::Answer, answer),
            (
                AgentFile::Salts,
                has_answer.then(|| json::render(&salts).into_bytes()),
            ),
        ];
        let mut is_new = false;
        for (kind, bytes) in files {
            let file = self.file(&agent_file(place, kind));
            if let Some(bytes) = bytes.filter(|_| !file.exists()) {
                if let Some(folder) = file.parent() {
                    file_ops::create_folder(folder)?;
                }
                file_ops::create_new(&file, &bytes)?;
                is_new = true;
            }
        }
        Ok(is_new)
    }

    /// What is public of a question.
    pub fn shown_agent(&self, place: &AgentPlace) -> Result<ShownAgent, FileError> {
        let file = |kind| self.file(&agent_file(place, kind));
        let salts = parse_file(&file(AgentFile::Salts), |bytes| {
            let stored: StoredSalts = json::read(bytes)?;
            Ok((*stored.answer.as_bytes(), *stored.transcript.as_bytes()))
        })?;
        Ok(ShownAgent {
            question: read(&file(AgentFile::Question))?,
            answer: read(&file(AgentFile::Answer))?,
            salts,
        })
    }
}

fn parsed(entrant: &str, round: &str) -> Option<AgentPlace> {
    let entrant = EntrantName::parse(entrant).ok()?;
    Some((RoundId::parse(round).ok()?, entrant))
}
