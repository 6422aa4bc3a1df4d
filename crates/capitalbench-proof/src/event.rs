//! What happened in a round, as one leaf of the log.
//!
//! A leaf is canonical JSON. Files that everybody may read stand in it with their SHA-256; bodies
//! that may stay private (answers, records of attempts, picks of an open round) are [`Sealed`]:
//! without the salt nobody can find out by trying what was said, with it everybody can check.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::canonical::{self, CanonicalError};
use crate::merkle::{Hash, sha256};
use crate::tiles::LONGEST_LEAF;

mod fields;
mod instant;

pub use instant::Instant;

/// The form of the leaves.
const VERSION: u64 = 1;
/// Members that a salt changes start so.
const SEALED: &str = "sealed_";

/// Paths and digests of files.
pub type Files = BTreeMap<String, Hash>;

/// Why a leaf is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Not canonical JSON.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// A member that is missing, unknown or of the wrong form.
    #[error("{member}: {problem}")]
    Member {
        /// Its name.
        member: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Longer than a leaf can be.
    #[error("the event has {0} bytes, more than the 65,535 of a leaf")]
    Long(usize),
}

/// The digest of a body together with a salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed(Hash);

impl Sealed {
    /// Seals a body.
    pub fn new(salt: &[u8; 32], body: &[u8]) -> Self {
        Self(sha256(&[salt.as_slice(), body].concat()))
    }

    /// Whether this is the body that was sealed with this salt.
    pub fn opens(&self, salt: &[u8; 32], body: &[u8]) -> bool {
        *self == Self::new(salt, body)
    }

    /// The first of these lengths, in order, whose beginning of the body was sealed with this salt.
    pub fn opens_beginning(
        &self,
        salt: &[u8; 32],
        body: &[u8],
        lengths: impl IntoIterator<Item = usize>,
    ) -> Option<usize> {
        let mut hasher = Sha256::new_with_prefix(salt);
        let mut done = 0;
        lengths.into_iter().find(|length| {
            hasher.update(body.get(done..*length).unwrap_or_default());
            done = *length;
            Self(Hash::new(hasher.clone().finalize().into())) == *self
        })
    }
}

/// One place of a run: who is asked, for the how-manieth time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The run.
    pub run: String,
    /// The model.
    pub model: String,
    /// The replicate.
    pub replicate: u32,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// The inputs are settled, and with them who is expected and until when.
    Freeze {
        /// Every input.
        inputs: Files,
        /// Last instant for decisions, where the rules set one.
        deadline: Option<Instant>,
        /// The models that the rules expect; empty where they name none.
        roster: Vec<String>,
    },
    /// The rules that the round follows.
    Methodology {
        /// Their name.
        label: String,
        /// The program that applied them.
        program: String,
    },
    /// Who will be asked; before the first call.
    Slots {
        /// The run.
        run: String,
        /// Official, consistency and so on.
        kind: String,
        /// Whether calls are real.
        calls: String,
        /// Every model, in order.
        models: Vec<String>,
        /// How often each is asked.
        replicates: u32,
        /// How often a call may be repeated.
        max_retries: u32,
        /// Digest of the whole plan.
        plan: Hash,
    },
    /// A request is about to leave.
    AttemptBegin {
        /// Whose.
        place: Place,
        /// Which attempt, from 1.
        attempt: u32,
        /// Digest of the text that is sent.
        input: Hash,
        /// The record of it.
        record: Sealed,
    },
    /// What became of a request.
    AttemptEnd {
        /// Whose.
        place: Place,
        /// Which attempt, from 1.
        attempt: u32,
        /// Valid, invalid or failed.
        status: String,
        /// Word of the cause.
        reason: Option<String>,
        /// The exact answer, where one came.
        answer: Option<Sealed>,
        /// The record of it.
        record: Sealed,
    },
    /// A run became the record.
    Accepted {
        /// The run.
        run: String,
        /// How many submissions it has.
        submissions: u64,
        /// The run it replaces.
        supersedes: Option<String>,
        /// The acceptance.
        record: Sealed,
    },
    /// One decision of the run that became the record.
    Pick {
        /// The run.
        run: String,
        /// Its file in the run.
        file: String,
        /// The file.
        submission: Sealed,
    },
    /// Prices at the entry.
    EntryPrices {
        /// The day.
        session: String,
        /// The files.
        files: Files,
    },
    /// Prices at the exit.
    ExitPrices {
        /// The day.
        session: String,
        /// The files.
        files: Files,
    },
    /// Results.
    Score {
        /// The run.
        run: String,
        /// The files.
        results: Files,
    },
    /// Results or prices in place of others.
    Correction {
        /// The run whose results these are; none where they are the prices of the round.
        run: Option<String>,
        /// Which correction of this run, or of the prices, from 1.
        number: u64,
        /// Why.
        reason: String,
        /// The files as they were.
        replaced: Files,
        /// The files as they are.
        results: Files,
    },
    /// What the folder of the round holds beside, and in place of, what was told before.
    Inventory {
        /// Which inventory of the round, from 1.
        number: u64,
        /// Files that are new or have other bytes, sealed.
        bodies: BTreeMap<String, Sealed>,
        /// Files that are gone.
        gone: Vec<String>,
    },
    /// Something was said in public about the results.
    Claim {
        /// What it is, such as a report.
        statement: String,
        /// The files that say it.
        files: Files,
    },
}

impl Fact {
    /// Its name in the leaf.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Freeze { .. } => "round.freeze",
            Self::Methodology { .. } => "methodology",
            Self::Slots { .. } => "roster.slots",
            Self::AttemptBegin { .. } => "attempt.begin",
            Self::AttemptEnd { .. } => "attempt.end",
            Self::Accepted { .. } => "run.accepted",
            Self::Pick { .. } => "pick.accepted",
            Self::EntryPrices { .. } => "prices.entry",
            Self::ExitPrices { .. } => "prices.exit",
            Self::Score { .. } => "score",
            Self::Correction { .. } => "correction",
            Self::Inventory { .. } => "round.files",
            Self::Claim { .. } => "claim",
        }
    }
}

/// A fact of a round at an instant. Its place in the log is its number; the leaf has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The round.
    pub round: String,
    /// When it happened, by the clock of who says so.
    pub at: Instant,
    /// What.
    pub fact: Fact,
}

impl Event {
    /// The bytes of the leaf.
    pub fn to_leaf(&self) -> Result<Vec<u8>, EventError> {
        let leaf = canonical::to_bytes(&fields::write(self))?;
        if leaf.len() > LONGEST_LEAF {
            return Err(EventError::Long(leaf.len()));
        }
        Ok(leaf)
    }

    /// Reads a leaf: canonical, of a known kind, every member known and of its form.
    pub fn parse(leaf: &[u8]) -> Result<Self, EventError> {
        fields::read(canonical::parse(leaf)?)
    }

    /// What makes it this event and no other: everything but the instant, the program that says so
    /// and the sealed digests. Neither a second look at the clock nor a newer program nor another
    /// key makes it happen twice.
    pub fn identity(&self) -> Result<Hash, EventError> {
        let mut value = fields::write(self);
        if let Some(members) = value.as_object_mut() {
            let told = |name: &str| matches!(name, "at" | "program") || name.starts_with(SEALED);
            members.retain(|name, _| !told(name));
        }
        Ok(sha256(&canonical::to_bytes(&value)?))
    }
}

#[cfg(test)]
mod tests;
