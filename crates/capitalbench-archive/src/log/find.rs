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
        self.continues(&found.checkpoint, &present.checkpoint)
            .map_err(own)?;
        Ok(found)
    }

    fn sizes(&self) -> Result<Vec<u64>, FileError> {
        self.sizes_in(layout::LOG_CHECKPOINTS)
    }

    /// The sizes that name the entries of a folder of the log, smallest first.
    pub(super) fn sizes_in(&self, folder: &str) -> Result<Vec<u64>, FileError> {
        let names = names_in(&self.file(folder))?;
        let mut sizes: Vec<u64> = names.iter().filter_map(|name| name.parse().ok()).collect();
        sizes.sort_unstable();
        Ok(sizes)
    }

    fn with_root(&self, root: Hash) -> Result<Option<SignedCheckpoint>, FileError> {
        for size in self.sizes()?.into_iter().rev() {
            let found = self.checkpoint_at(size)?;
            if let Some(found) = found.filter(|found| found.checkpoint.root == root) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn unsigned_size(&self, size: u64) -> Result<String, FileError> {
        let sizes = self.sizes()?;
        let before = sizes.iter().rev().find(|own| **own < size);
        let after = sizes.iter().find(|own| **own > size);
        let near: Vec<String> = before
            .into_iter()
            .chain(after)
            .map(u64::to_string)
            .collect();
        Ok(format!(
            "no checkpoint was signed at the size {size}; the nearest sizes: {}",
            near.join(" and ")
        ))
    }

    fn continues(&self, then: &Checkpoint, now: &Checkpoint) -> Result<(), String> {
        if then.size > now.size {
            return Err(format!(
                "the checkpoint has {} leaves, but the log has {}: leaves were removed",
                then.size, now.size
            ));
        }
        let path = self.prove_growth(then.size, now.size);
        let path = path.map_err(|error| error.to_string())?.unwrap_or_default();
        verify_consistency((then.size, then.root), (now.size, now.root), &path).map_err(|_| {
            format!(
                "the first {} leaves are not those of the checkpoint: history was changed",
                then.size
            )
        })
    }
}
