//! Checkpoints (C2SP tlog-checkpoint): which log, how many leaves, and their root.

use std::fmt;

use crate::encoding::decimal;
use crate::merkle::Hash;
use crate::note::{Checked, Note, NoteError, SignerKey, VerifierKey};

/// Why a checkpoint is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    #[error(transparent)]
    Note(#[from] NoteError),
    #[error("the note is not a checkpoint: {0}")]
    Form(&'static str),
    #[error("the checkpoint belongs to the log {found}, not to {expected}")]
    Origin { found: String, expected: String },
}

/// The state of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    /// The number of leaves.
    pub size: u64,
    pub root: Hash,
    /// Further lines, which this program does not interpret.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// Reads the text of a checkpoint, without signatures.
    pub fn parse(text: &str) -> Result<Self, CheckpointError> {
        let body = text.strip_suffix('\n');
        let body = body.ok_or(CheckpointError::Form(
            "its last line does not end with a newline",
        ))?;
        let mut lines = body.split('\n');
        let origin = lines.next().filter(|line| !line.is_empty());
        let origin = origin.ok_or(CheckpointError::Form(
            "the first line, the name of the log, is empty",
        ))?;
        let size = lines.next().and_then(decimal);
        let size = size.ok_or(CheckpointError::Form("the second line is not a size"))?;
        let root = lines.next().and_then(Hash::parse_base64);
        let root = root.ok_or(CheckpointError::Form("the third line is not a root"))?;
        let extensions: Vec<String> = lines.map(str::to_owned).collect();
        if extensions.iter().any(String::is_empty) {
            return Err(CheckpointError::Form("it has an empty line"));
        }
        Ok(Self {
            origin: origin.to_owned(),
            size,
            root,
            extensions,
        })
    }

    /// Signs the checkpoint with the log's key.
    pub fn sign(&self, key: &SignerKey) -> Result<Note, CheckpointError> {
        Ok(Note::sign(&self.to_string(), key)?)
    }

    /// Reads a checkpoint that the log's key has signed, and the signatures of these witnesses on it.
    pub fn open(
        bytes: &[u8],
        log: &VerifierKey,
        witnesses: &[VerifierKey],
    ) -> Result<(Self, Vec<Checked>), CheckpointError> {
        let note = Note::parse(bytes)?;
        note.verify(std::slice::from_ref(log))?;
        let checkpoint = Self::parse(note.text())?;
        if checkpoint.origin != log.name() {
            return Err(CheckpointError::Origin {
                found: checkpoint.origin,
                expected: log.name().to_owned(),
            });
        }
        let seen = match note.verify(witnesses) {
            Err(NoteError::Unsigned(_)) => Vec::new(),
            other => other?,
        };
        Ok((checkpoint, seen))
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}\n{}\n{}",
            self.origin,
            self.size,
            self.root.to_base64()
        )?;
        self.extensions
            .iter()
            .try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests;
