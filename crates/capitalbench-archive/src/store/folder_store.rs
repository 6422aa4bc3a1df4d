//! A store in a folder, for one machine or a shared disk: the same keys as files, with a conditional
//! write made of a lock and a rename.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

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
        let path = self.root.join(key);
        loop {
            let Some(before) = tag(&path)? else {
                return Ok(None);
            };
            let read = file_ops::read(&path).map_err(FileError::from);
            let bytes = optional(read)?;
            // Another file may have taken the name in between; then both are asked for again.
            if let (Some(bytes), Some(after)) = (bytes, tag(&path)?)
                && after == before
            {
                return Ok(Some((bytes, before)));
            }
        }
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
            Condition::Absent => tag(&path)?.is_none(),
            Condition::Unchanged(wanted) => tag(&path)?.is_some_and(|own| own == wanted),
        };
        if !holds {
            return Ok(None);
        }
        file_ops::replace(&path, bytes)?;
        tag(&path)
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
                let Some(seen) = look(&path)? else {
                    continue;
                };
                let tag = tag_of(&seen);
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

/// What the system says of a file: every write makes another file and gives it the name.
fn look(path: &Path) -> Result<Option<Metadata>, FileError> {
    match fs::symlink_metadata(path) {
        Ok(seen) => Ok(Some(seen)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::folder(path, error)),
    }
}

fn tag(path: &Path) -> Result<Option<String>, FileError> {
    Ok(look(path)?.as_ref().map(tag_of))
}

fn tag_of(seen: &Metadata) -> String {
    let (number, size) = (seen.ino(), seen.size());
    let times = [
        seen.mtime(),
        seen.mtime_nsec(),
        seen.ctime(),
        seen.ctime_nsec(),
    ];
    let [a, b, c, d] = times;
    format!("{number:x}-{size:x}-{a:x}-{b:x}-{c:x}-{d:x}")
}

#[cfg(test)]
mod tests;
