//! The text form of an inclusion proof (C2SP tlog-proof): index, hashes, signed checkpoint.

use std::fmt;

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::encoding::{decimal, from_base64, to_base64};
use crate::merkle::{self, Hash, ProofError};
use crate::note::{Checked, VerifierKey};

const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1\n";

/// Why a proof is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlogProofError {
    #[error("the text is not a proof: {0}")]
    Form(&'static str),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Proof(#[from] ProofError),
}

/// A proof that can be checked with nothing but the leaf and the log's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlogProof {
    /// Bytes for the maker of the proof; no signature covers them.
    pub extra: Option<Vec<u8>>,
    /// The index of the leaf.
    pub index: u64,
    /// The hashes from the leaf to the root.
    pub path: Vec<Hash>,
    /// The exact bytes of the signed checkpoint.
    pub checkpoint: String,
}

impl TlogProof {
    pub fn parse(text: &str) -> Result<Self, TlogProofError> {
        let form = TlogProofError::Form;
        let rest = text.strip_prefix(FIRST_LINE);
        let rest = rest.ok_or(form("the first line is not c2sp.org/tlog-proof@v1"))?;
        let (head, checkpoint) = rest
            .split_once("\n\n")
            .ok_or(form("it has no checkpoint"))?;
        let mut lines = head.split('\n').peekable();
        let extra = match lines.next_if(|line| line.starts_with("extra ")) {
            None => None,
            Some(line) => {
                let bytes = from_base64(&line["extra ".len()..]);
                Some(bytes.ok_or(form("its extra line is not base64"))?)
            }
        };
        let index = lines.next().and_then(|line| line.strip_prefix("index "));
        let index = index.and_then(decimal).ok_or(form("it names no index"))?;
        let path: Option<Vec<Hash>> = lines.map(Hash::parse_base64).collect();
        let path = path.ok_or(form("one of its lines is not a hash"))?;
        if path.len() > 63 {
            return Err(form("it has more than 63 hashes"));
        }
        Ok(Self {
            extra,
            index,
            path,
            checkpoint: checkpoint.to_owned(),
        })
    }

    /// Checks that the leaf is in the log of this key, and returns the checkpoint with its witnesses.
    pub fn verify(
        &self,
        leaf: &[u8],
        log: &VerifierKey,
        witnesses: &[VerifierKey],
    ) -> Result<(Checkpoint, Vec<Checked>), TlogProofError> {
        let (checkpoint, seen) = Checkpoint::open(self.checkpoint.as_bytes(), log, witnesses)?;
        let (size, root) = (checkpoint.size, checkpoint.root);
        merkle::verify_inclusion(merkle::leaf_hash(leaf), self.index, size, root, &self.path)?;
        Ok((checkpoint, seen))
    }
}

impl fmt::Display for TlogProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FIRST_LINE)?;
        if let Some(extra) = &self.extra {
            writeln!(f, "extra {}", to_base64(extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        for hash in &self.path {
            writeln!(f, "{}", hash.to_base64())?;
        }
        write!(f, "\n{}", self.checkpoint)
    }
}

#[cfg(test)]
mod tests;
