//! [`Receipt`]: that the log holds a leaf about an entrant, so that the operator cannot take it back.
//!
//! It is a C2SP tlog-proof whose extra bytes are the leaf: with it and the public key of the log
//! anybody can check it, also with other programs.

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::note::VerifierKey;
use capitalbench_proof::tlog_proof::TlogProof;

use crate::disk::error::Fault;
use crate::format::utf8;

/// A receipt whose signature holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The place of the leaf.
    pub leaf: u64,
    pub bytes: Vec<u8>,
    pub event: Event,
    /// The state of the log that was signed right after.
    pub checkpoint: Checkpoint,
    /// The signed note of that state.
    pub note: String,
}

impl Receipt {
    /// Reads a receipt and checks it with the key of the log.
    pub fn open(bytes: &[u8], log: &VerifierKey) -> Result<Self, Fault> {
        let proof = TlogProof::parse(utf8(bytes)?).map_err(Fault::new)?;
        let leaf = proof.extra.clone();
        let leaf = leaf.ok_or_else(|| Fault::new("holds no leaf, so it is no receipt"))?;
        let (checkpoint, _) = proof.verify(&leaf, log, &[]).map_err(Fault::new)?;
        let event = Event::parse(&leaf).map_err(Fault::new)?;
        let is_ours = matches!(
            event.fact,
            Fact::Entrant { .. } | Fact::EntrySealed { .. } | Fact::EntryOpened { .. }
        );
        if !is_ours {
            return Err(Fault::new("is about something else than an entrant"));
        }
        Ok(Self {
            leaf: proof.index,
            bytes: leaf,
            event,
            checkpoint,
            note: proof.checkpoint,
        })
    }
}

/// The text of a receipt.
pub(crate) fn render(proof: TlogProof, leaf: &[u8]) -> String {
    let extra = Some(leaf.to_vec());
    TlogProof { extra, ..proof }.to_string()
}
