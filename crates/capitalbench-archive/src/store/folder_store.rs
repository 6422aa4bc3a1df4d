//! A store in a folder, for one machine or a shared disk: the same keys as files, with a conditional
//! write made of a lock and a rename.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::file_ops::{self, TEMPORARY_PREFIX};
use crate::round::round_folder::{entries_in, optional};

/// Locked by whoever writes under a condition.
const LOCK: &str = ".lock";

/// A folder that holds a store.
#[derive(Debug, Clone)]
pub struct FolderStore {
    root: PathBuf,
}

/// When a write may happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition<'a> {
    Always,
    /// Nothing is there yet.
    Absent,
    /// What is there has this tag.
    Unchanged(&'a str),
}

/// A key of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub key: String,
    pub tag: String,
    pub size: u64,
    /// When it was last written, in seconds by the clock of the store.
    pub written_at: i64,
}

impl FolderStore {
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Bytes and tag; none where nothing is.
    pub fn get(&self, key: &str) -> Result<Option<(Vec<u8>, String)>, FileError> {
        let read = file_ops::read(&self.root.join(key)).map_err(FileError::from);
        let bytes = optional(read)?;
        Ok(bytes.map(|bytes| {
            let tag = tag(&bytes);
            (bytes, tag)
        }))
    }

    /// The tag of what was written; none when the condition does not hold.
    pub fn put(
        &self,
        key: &str,
        bytes: &[u8],
        condition: Condition<'_>,
    ) -> Result<Option<String>, FileError> {
        let path = self.root.join(key);
        if let Some(folder) = path.parent() {
            file_ops::create_folder(folder)?;
        }
        let _hold = match condition {
            Condition::Always => None,
            Condition::Absent | Condition::Unchanged(_) => {
                Some(file_ops::hold_in_turn(&self.root.join(LOCK))?)
            }
        };
        let holds = match condition {
            Condition::Always => true,
            Condition::Absent => self.get(key)?.is_none(),
            Condition::Unchanged(tag) => self.get(key)?.is_some_and(|(_, own)| own == tag),
        };
        if !holds {
            return Ok(None);
        }
        file_ops::replace(&path, bytes)?;
        Ok(Some(tag(bytes)))
    }

    pub fn delete(&self, key: &str) -> Result<(), FileError> {
        Ok(file_ops::remove(&self.root.join(key))?)
    }

    /// Every key that begins with a prefix that ends in a slash, in order.
    pub fn list(&self, prefix: &str) -> Result<Vec<Listed>, FileError> {
        let mut found = Vec::new();
        self.walk(prefix, &mut found)?;
        found.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(found)
    }

    fn walk(&self, prefix: &str, found: &mut Vec<Listed>) -> Result<(), FileError> {
        for (name, kind) in entries_in(&self.root.join(prefix))? {
            let key = format!("{prefix}{name}");
            if kind.is_dir() {
                self.walk(&format!("{key}/"), found)?;
            } else if kind.is_file() && !name.starts_with(TEMPORARY_PREFIX) && name != LOCK {
                let path = self.root.join(&key);
                // A key may be removed while it is listed.
                let Ok(seen) = fs::symlink_metadata(&path) else {
                    continue;
                };
                let tag = if prefix.starts_with(super::unit::HEADS) {
                    let Some((_, tag)) = self.get(&key)? else {
                        continue;
                    };
                    tag
                } else {
                    String::new()
                };
                let (size, written_at) = (seen.size(), seen.mtime());
                found.push(Listed {
                    key,
                    tag,
                    size,
                    written_at,
                });
            }
        }
        Ok(())
    }
}

fn tag(bytes: &[u8]) -> String {
    Digest::of(bytes).to_hex()
}

#[cfg(test)]
mod tests;
