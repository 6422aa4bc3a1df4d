//! Finds a checkpoint of a log by its size, its root or a copy of its file.

use std::path::Path;

use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::merkle::{Hash, verify_consistency};

use super::{LogFolder, SignedCheckpoint, signed};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::round::round_folder::names_in;

impl LogFolder {
    /// The checkpoint with this size, this root in hexadecimal or base64, or in this file.
    ///
    /// Its signature must hold, and the present log must have grown from it.
    pub fn find_checkpoint(&self, text: &str) -> Result<SignedCheckpoint, FileError> {
        let own = |problem: String| FileError::folder(&self.file(layout::LOG), problem);
        let (Some(key), Some(present)) = (self.verifier()?, self.checkpoint()?) else {
            let text = "there is no signed log here, so there is no checkpoint to go back to";
            return Err(own(text.to_owned()));
        };
        let root = Hash::parse_hex(text).or_else(|| Hash::parse_base64(text));
        let found = match (text.parse::<u64>(), root) {
            (_, Some(root)) => self.with_root(root)?.ok_or_else(|| {
                own(format!(
                    "no checkpoint that was signed here has the root {text}"
                ))
            })?,
            (Ok(size), None) => match self.checkpoint_at(size)? {
                Some(found) => found,
                None => return Err(own(self.unsigned_size(size)?)),
            },
            (Err(_), None) => {
                let file = Path::new(text);
                signed(file, &key)?.ok_or_else(|| {
                    let text =
                        "must be the size or the root of a checkpoint, or a file that holds one";
                    Fault::new(text).in_file(file)
                })?
            }
        };
        match self.broken_growth(&found.checkpoint, &present.checkpoint)? {
            None => Ok(found),
            Some(problem) => Err(own(problem)),
        }
    }

    /// The sizes that name the entries of a folder of the log, smallest first.
    pub(super) fn sizes_in(&self, folder: &str) -> Result<Vec<u64>, FileError> {
        let names = names_in(&self.file(folder))?;
        let mut sizes: Vec<u64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        sizes.sort_unstable();
        Ok(sizes)
    }

    fn with_root(&self, root: Hash) -> Result<Option<SignedCheckpoint>, FileError> {
        let sizes = self.sizes_in(layout::LOG_CHECKPOINTS)?.into_iter().rev();
        let mut all = sizes.filter_map(|size| self.checkpoint_at(size).transpose());
        let found = all.find(|own| own.as_ref().map_or(true, |own| own.checkpoint.root == root));
        found.transpose()
    }

    fn unsigned_size(&self, size: u64) -> Result<String, FileError> {
        let sizes = self.sizes_in(layout::LOG_CHECKPOINTS)?;
        let before = sizes.iter().rev().find(|own| **own < size);
        let after = sizes.iter().find(|own| **own > size);
        let near = before.into_iter().chain(after);
        let near: Vec<String> = near.map(u64::to_string).collect();
        Ok(format!(
            "no checkpoint was signed at the size {size}; the nearest sizes: {}",
            near.join(" and ")
        ))
    }

    /// Why the log did not grow from one checkpoint to another; none where it did.
    pub fn broken_growth(
        &self,
        then: &Checkpoint,
        now: &Checkpoint,
    ) -> Result<Option<String>, FileError> {
        let (old, new) = (then.size, now.size);
        if old > new {
            return Ok(Some(format!(
                "the log had {old} leaves then and has {new} now: leaves were removed"
            )));
        }
        let path = self.prove_growth(old, new)?.unwrap_or_default();
        let grown = verify_consistency((old, then.root), (new, now.root), &path);
        Ok(grown.is_err().then(|| {
            format!("the first {old} leaves are not those of that checkpoint: history was changed")
        }))
    }
}
