//! Witnesses of a log (C2SP tlog-witness, tlog-cosignature): what one is asked, what it answers, and
//! how many must have signed.
//!
//! A witness keeps the last checkpoint of a log that it signed and signs a later one only with the
//! proof that the log grew from there. Readers who see the same cosignatures therefore see the same
//! log.

use std::fmt;

use jiff::Timestamp;

use crate::encoding::decimal;
use crate::merkle::Hash;
use crate::note::{Checked, KeyKind, Note, NoteError, VerifierKey};
use crate::order::CLOCK_SLACK;

/// The most hashes of a growth proof that a witness accepts.
const MOST_HASHES: usize = 63;
/// The most witnesses that a rule can name: every one of them adds a line to the checkpoint.
pub const MOST_WITNESSES: usize = 32;
const QUORUM: &str = "quorum ";

/// Why a rule or a cosignature is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WitnessError {
    #[error("line {line}: {error}")]
    Key { line: usize, error: NoteError },
    #[error(
        "line {line}: the key signs notes, not cosignatures; a witness has a key of type 4 (C2SP \
         tlog-cosignature)"
    )]
    Kind { line: usize },
    #[error("line {line}: a witness or the quorum stands there a second time; remove the line")]
    Twice { line: usize },
    #[error("{needed} of {named} witnesses can never sign: the quorum must be 1 to {named}")]
    Quorum { needed: usize, named: usize },
    #[error("{named} witnesses are named, and at most {MOST_WITNESSES} can be")]
    TooMany { named: usize },
    #[error("the answer is not a list of signatures: {0}")]
    Answer(NoteError),
    #[error("the answer has no signature of {0}")]
    Missing(String),
    #[error("the cosignature of {0} does not hold: it is of another checkpoint, or was changed")]
    Signature(String),
    #[error("{name} signed at {at}, which is later than now")]
    Future { name: String, at: String },
}

/// Whose cosignatures count, and how many of them a checkpoint needs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WitnessRule {
    keys: Vec<VerifierKey>,
    /// None where nobody says how many.
    quorum: Option<usize>,
}

impl WitnessRule {
    pub fn new(keys: Vec<VerifierKey>, quorum: Option<usize>) -> Result<Self, WitnessError> {
        for (at, key) in keys.iter().enumerate() {
            let line = at + 1;
            if key.kind() != KeyKind::Cosignature {
                return Err(WitnessError::Kind { line });
            }
            // One key under two names would sign for two.
            if keys[..at].iter().any(|other| other.is_same_key(key)) {
                return Err(WitnessError::Twice { line });
            }
        }
        let named = keys.len();
        if named > MOST_WITNESSES {
            return Err(WitnessError::TooMany { named });
        }
        match quorum {
            Some(needed) if !(1..=named).contains(&needed) => {
                Err(WitnessError::Quorum { needed, named })
            }
            quorum => Ok(Self { keys, quorum }),
        }
    }

    /// Reads one key a line and a line `quorum N`; a line after `#` says nothing.
    pub fn parse(text: &str) -> Result<Self, WitnessError> {
        let mut keys = Vec::new();
        let mut quorum = None;
        for (at, text) in text.lines().map(str::trim).enumerate() {
            let line = at + 1;
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            if let Some(number) = text.strip_prefix(QUORUM) {
                let error = NoteError::Form("a quorum is a whole number, as in `quorum 2`");
                let number = decimal(number.trim()).and_then(|own| usize::try_from(own).ok());
                let number = number.ok_or(WitnessError::Key { line, error })?;
                if quorum.replace(number).is_some() {
                    return Err(WitnessError::Twice { line });
                }
                continue;
            }
            let key = VerifierKey::parse(text);
            let key = key.map_err(|error| WitnessError::Key { line, error })?;
            if key.kind() != KeyKind::Cosignature {
                return Err(WitnessError::Kind { line });
            }
            if keys
                .iter()
                .any(|other: &VerifierKey| other.is_same_key(&key))
            {
                return Err(WitnessError::Twice { line });
            }
            keys.push(key);
        }
        Self::new(keys, quorum)
    }

    /// This rule with the keys that an earlier one named too, so that what they signed stays checked.
    pub fn after(&self, earlier: &Self) -> Result<Self, WitnessError> {
        let mut keys = earlier.keys.clone();
        let new = self.keys.iter().filter(|key| !earlier.keys.contains(key));
        keys.extend(new.cloned());
        Self::new(keys, self.quorum.or(earlier.quorum))
    }

    pub fn keys(&self) -> &[VerifierKey] {
        &self.keys
    }

    /// How many of the witnesses must have signed, where somebody says so.
    pub fn quorum(&self) -> Option<usize> {
        self.quorum
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key that a signature line names.
    pub fn key_of(&self, name: &str, hash: [u8; 4]) -> Option<&VerifierKey> {
        let own = |key: &&VerifierKey| key.name() == name && key.hash() == hash;
        self.keys.iter().find(own)
    }
}

/// The text that [`WitnessRule::parse`] reads.
impl fmt::Display for WitnessRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(quorum) = self.quorum {
            writeln!(f, "{QUORUM}{quorum}")?;
        }
        self.keys.iter().try_for_each(|key| writeln!(f, "{key}"))
    }
}

/// What a witness is asked: the size that it knows, the proof that the log grew from there, and the
/// checkpoint. None where the proof is longer than a witness accepts.
pub fn question(known: u64, growth: &[Hash], checkpoint: &str) -> Option<String> {
    if growth.len() > MOST_HASHES {
        return None;
    }
    let mut lines = vec![format!("old {known}")];
    lines.extend(growth.iter().map(|hash| hash.to_base64()));
    Some(format!("{}\n\n{checkpoint}", lines.join("\n")))
}

/// The size in a refusal: what the witness signed last.
pub fn known_size(answer: &str) -> Option<u64> {
    decimal(answer.strip_suffix('\n').unwrap_or(answer))
}

/// A cosignature that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosignature {
    /// The name of the witness.
    pub name: String,
    pub at: Timestamp,
    /// Its line in the checkpoint, with the line feed.
    pub line: String,
}

/// The cosignature of a witness among the lines that it answered, or that were kept; lines of other
/// keys are ignored.
pub fn cosignature(
    checkpoint: &str,
    lines: &str,
    key: &VerifierKey,
    now: Timestamp,
) -> Result<Cosignature, WitnessError> {
    let note = Note::parse(checkpoint.as_bytes()).map_err(WitnessError::Answer)?;
    let note = note.with_lines(lines).map_err(WitnessError::Answer)?;
    let (line, checked) = note
        .signature_of(key)
        .ok_or_else(|| WitnessError::Missing(key.name().to_owned()))?;
    let broken = || WitnessError::Signature(key.name().to_owned());
    let Checked { name, at } = checked.ok_or_else(broken)?;
    let seconds = at.and_then(|at| i64::try_from(at).ok());
    let at = seconds.and_then(|at| Timestamp::from_second(at).ok());
    let at = at.ok_or_else(broken)?;
    if at.duration_since(now) > CLOCK_SLACK {
        let at = at.to_string();
        return Err(WitnessError::Future { name, at });
    }
    let line = format!("{line}\n");
    Ok(Cosignature { name, at, line })
}

#[cfg(test)]
mod tests;
