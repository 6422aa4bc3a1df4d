//! What the file system says about a round, and what its files hold.

use std::fs::{self, FileType, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use capitalbench_core::ids::Digest;

use crate::file_ops;

/// Everything below a folder, without reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Digest over the name, kind, size, times and inode of every entry, in order.
    pub(super) digest: Digest,
    /// The last change of anything, in nanoseconds; nobody but the system can set it.
    pub(super) changed: i128,
}

impl Fingerprint {
    /// Looks at a folder; none where something cannot be looked at.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let mut seen = Seen {
            bytes: Vec::with_capacity(8 << 10),
            changed: i128::MIN,
        };
        seen.add("", &fs::symlink_metadata(folder).ok()?);
        seen.walk(folder)?;
        Some(Self {
            digest: Digest::of(&seen.bytes),
            changed: seen.changed,
        })
    }
}

struct Seen {
    bytes: Vec<u8>,
    changed: i128,
}

impl Seen {
    fn walk(&mut self, folder: &Path) -> Option<()> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            entries.push((entry.file_name(), entry));
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (name, entry) in entries {
            let found = entry.metadata().ok()?;
            self.add(name.to_str()?, &found);
            if found.is_dir() {
                self.walk(&folder.join(name))?;
                self.bytes.push(b'/');
            }
        }
        Some(())
    }

    fn add(&mut self, name: &str, found: &Metadata) {
        let nanoseconds =
            |second: i64, part: i64| i128::from(second) * 1_000_000_000 + i128::from(part);
        let changed = nanoseconds(found.ctime(), found.ctime_nsec());
        self.changed = self.changed.max(changed);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        let modified = nanoseconds(found.mtime(), found.mtime_nsec());
        for time in [changed, modified] {
            self.bytes.extend_from_slice(&time.to_le_bytes());
        }
        for number in [
            found.size(),
            found.ino(),
            found.dev(),
            u64::from(found.mode()),
        ] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Digest over every name, kind and byte below a folder; none where something cannot be read.
pub(super) fn content(folder: &Path) -> Option<Digest> {
    let mut told = Vec::with_capacity(16 << 10);
    tell(folder, &mut told)?;
    Some(Digest::of(&told))
}

fn tell(folder: &Path, told: &mut Vec<u8>) -> Option<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        entries.push((
            entry.file_name().into_string().ok()?,
            entry.file_type().ok()?,
        ));
    }
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (name, kind) in entries {
        let path = folder.join(&name);
        told.extend_from_slice(name.as_bytes());
        told.push(0);
        told.push(kind_letter(kind));
        if kind.is_dir() {
            tell(&path, told)?;
            told.push(b'/');
        } else if kind.is_file() {
            let bytes = file_ops::read(&path).ok()?;
            told.extend_from_slice(&Digest::of(&bytes).bytes());
        } else {
            // A link or a pipe is refused where it matters; what it leads to is never read.
            told.extend_from_slice(b"other");
        }
    }
    Some(())
}

fn kind_letter(kind: FileType) -> u8 {
    if kind.is_dir() {
        b'd'
    } else if kind.is_file() {
        b'f'
    } else if kind.is_symlink() {
        b'l'
    } else {
        b'o'
    }
}
