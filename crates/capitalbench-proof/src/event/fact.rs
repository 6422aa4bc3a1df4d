//! [`Fact`] names everything that can happen in a round and the members of its leaf, so that each
//! fact has one form only.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Files, Instant, Sealed};
use crate::merkle::Hash;

/// One question of a run: which model, and which of its repetitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub run: String,
    pub model: String,
    pub replicate: u32,
}

/// What happened; the names are those of the leaf's members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event")]
pub enum Fact {
    /// The inputs are settled, and with them who is expected and until when.
    #[serde(rename = "round.freeze")]
    Freeze {
        inputs: Files,
        /// Last instant for decisions, if the rules set one.
        #[serde(skip_serializing_if = "Option::is_none")]
        deadline: Option<Instant>,
        /// The models that the rules expect; empty if they name none.
        roster: Vec<String>,
    },
    /// The rules that the round follows, and the program that applied them.
    #[serde(rename = "methodology")]
    Methodology { label: String, program: String },
    /// Who will be asked; logged before the first call.
    #[serde(rename = "roster.slots")]
    Slots {
        run: String,
        /// Official, consistency and so on.
        kind: String,
        /// Whether calls are real.
        calls: String,
        /// Every model, in order.
        models: Vec<String>,
        replicates: u32,
        max_retries: u32,
        /// Digest of the whole plan.
        #[serde(rename = "plan_sha256")]
        plan: Hash,
    },
    /// A request is about to leave.
    #[serde(rename = "attempt.begin")]
    AttemptBegin {
        #[serde(flatten)]
        place: Place,
        /// Counted from 1.
        attempt: u32,
        /// Digest of the text that is sent.
        #[serde(rename = "input_sha256")]
        input: Hash,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    /// How a request ended.
    #[serde(rename = "attempt.end")]
    AttemptEnd {
        #[serde(flatten)]
        place: Place,
        /// Counted from 1.
        attempt: u32,
        /// Valid, invalid or failed.
        status: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The exact answer, if one came.
        #[serde(rename = "sealed_answer", skip_serializing_if = "Option::is_none")]
        answer: Option<Sealed>,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    /// A model gets another name on the wire; logged before its next attempt.
    #[serde(rename = "run.repaired")]
    Repaired {
        run: String,
        /// Which repair of the run, counted from 1.
        number: u64,
        model: String,
        from: String,
        to: String,
        reason: String,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    /// A run became the record.
    #[serde(rename = "run.accepted")]
    Accepted {
        run: String,
        /// The number of its submissions.
        submissions: u64,
        /// The run it replaces.
        #[serde(skip_serializing_if = "Option::is_none")]
        supersedes: Option<String>,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    /// One decision of the run that became the record.
    #[serde(rename = "pick.accepted")]
    Pick {
        run: String,
        /// Its file in the run.
        file: String,
        #[serde(rename = "sealed_submission")]
        submission: Sealed,
    },
    /// The round ended without a record; its answers stay.
    #[serde(rename = "round.ended")]
    Ended {
        /// Voided or abandoned.
        ending: String,
        reason: String,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    /// The operator explains something about a round with a record, which stays and counts.
    #[serde(rename = "round.explained")]
    Explained {
        /// Which explanation of the round, counted from 1.
        number: u64,
        reason: String,
        #[serde(rename = "sealed_record")]
        record: Sealed,
    },
    #[serde(rename = "prices.entry")]
    EntryPrices { session: String, files: Files },
    #[serde(rename = "prices.exit")]
    ExitPrices { session: String, files: Files },
    #[serde(rename = "score")]
    Score { run: String, results: Files },
    /// Results or prices replaced others.
    #[serde(rename = "correction")]
    Correction {
        /// The run whose results these are; none if they are the prices of the round.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<String>,
        /// Which correction of this run, or of the prices, counted from 1.
        number: u64,
        reason: String,
        /// The files before the correction.
        replaced: Files,
        /// The files after it.
        results: Files,
    },
    /// The files of the round's folder that changed since the inventory before.
    #[serde(rename = "round.files")]
    Inventory {
        /// Which inventory of the round, counted from 1.
        number: u64,
        /// Files that are new or have other bytes.
        bodies: BTreeMap<String, Sealed>,
        /// Files that were removed.
        gone: Vec<String>,
    },
    /// A public statement about the results.
    #[serde(rename = "claim")]
    Claim {
        /// The kind of statement, such as a report.
        statement: String,
        files: Files,
    },
    /// A claim was registered with all that it fixes; numbers are texts, because a leaf holds no
    /// fractions.
    #[serde(rename = "claim.registered")]
    Registered(Registration),
    /// Somebody from outside may take part from now on.
    #[serde(rename = "entrant.registered")]
    Entrant {
        /// Its name.
        entrant: String,
        /// The signed registration.
        files: Files,
    },
    /// A sealed entry arrived.
    #[serde(rename = "entry.sealed")]
    EntrySealed {
        entrant: String,
        /// The name of its key.
        key: String,
        for_round: String,
        /// The digest of the opening.
        commitment: Hash,
        files: Files,
    },
    /// An entry was opened by whoever sealed it.
    #[serde(rename = "entry.opened")]
    EntryOpened {
        entrant: String,
        /// The name of its key.
        key: String,
        for_round: String,
        files: Files,
    },
    /// An agent is about to be asked; it is asked once.
    #[serde(rename = "agent.asked")]
    AgentAsked {
        entrant: String,
        for_round: String,
        /// Digest of the document that is sent.
        #[serde(rename = "question_sha256")]
        question: Hash,
    },
    /// What came of it.
    #[serde(rename = "agent.answered")]
    AgentAnswered {
        entrant: String,
        for_round: String,
        /// `valid`, or the first fault.
        outcome: String,
        /// The exact answer, if one came.
        #[serde(rename = "sealed_answer", skip_serializing_if = "Option::is_none")]
        answer: Option<Sealed>,
        /// The transcript in it.
        #[serde(rename = "sealed_transcript", skip_serializing_if = "Option::is_none")]
        transcript: Option<Sealed>,
    },
}

/// What a claim fixes before its first day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Its name.
    pub claim: String,
    pub first: String,
    pub second: String,
    pub track: String,
    pub side: String,
    pub alpha: String,
    pub scale: String,
    pub spread: String,
    pub first_day: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_day: Option<String>,
    pub season: String,
    /// Most claims of the season.
    pub family: u64,
    /// The version of the method that will judge it.
    pub method: String,
    /// The file that repeats all this.
    pub files: Files,
}

impl Fact {
    /// The member `event` of the leaf.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Freeze { .. } => "round.freeze",
            Self::Methodology { .. } => "methodology",
            Self::Slots { .. } => "roster.slots",
            Self::AttemptBegin { .. } => "attempt.begin",
            Self::AttemptEnd { .. } => "attempt.end",
            Self::Repaired { .. } => "run.repaired",
            Self::Accepted { .. } => "run.accepted",
            Self::Pick { .. } => "pick.accepted",
            Self::Ended { .. } => "round.ended",
            Self::Explained { .. } => "round.explained",
            Self::EntryPrices { .. } => "prices.entry",
            Self::ExitPrices { .. } => "prices.exit",
            Self::Score { .. } => "score",
            Self::Correction { .. } => "correction",
            Self::Inventory { .. } => "round.files",
            Self::Claim { .. } => "claim",
            Self::Registered(_) => "claim.registered",
            Self::Entrant { .. } => "entrant.registered",
            Self::EntrySealed { .. } => "entry.sealed",
            Self::EntryOpened { .. } => "entry.opened",
            Self::AgentAsked { .. } => "agent.asked",
            Self::AgentAnswered { .. } => "agent.answered",
        }
    }
}
