//! What the file system says about the files that facts follow from, and what they hold.
//!
//! A file that was read is watched itself. Everything else that facts may depend on is whether
//! something is there, and of which kind; that is written in the folders, so every folder of a
//! round is watched: a name that comes, goes or changes shows in its folder's times.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capitalbench_core::values::ids::Digest;

use crate::disk::file_ops;
use crate::disk::looks::OpenFolder;
use crate::verify::below;

/// Paths seen from a round's folder, in order; the folder itself is the empty one.
pub(super) type Watched = Arc<[String]>;

/// What to watch of a round whose facts were computed by reading these files; none where
/// something lies outside of it.
pub(super) fn watched(folder: &Path, read: &[PathBuf]) -> Option<Watched> {
    let mut paths = vec![String::new()];
    folders(folder, "", &mut paths)?;
    for path in read {
        let inside = path.strip_prefix(folder).ok()?.to_str()?;
        // One that is not there is told of by its folder.
        if fs::symlink_metadata(path).is_ok() {
            paths.push(inside.to_owned());
        }
    }
    paths.sort_unstable();
    paths.dedup();
    Some(paths.into())
}

fn folders(folder: &Path, inside: &str, paths: &mut Vec<String>) -> Option<()> {
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        if entry.file_type().ok()?.is_dir() {
            let name = entry.file_name().into_string().ok()?;
            let path = below(inside, &name);
            folders(&folder.join(name), &path, paths)?;
            paths.push(path);
        }
    }
    Some(())
}

/// Everything that is watched, without reading a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Digest over the kind, size, times and inode of everything watched, in order.
    pub(super) digest: Digest,
    /// The last change of anything, in nanoseconds; nobody but the system can set it.
    pub(super) changed: i128,
}

impl Fingerprint {
    /// Looks at a round; none where something cannot be looked at.
    pub(super) fn of(folder: &Path, watched: &[String]) -> Option<Self> {
        let folder = OpenFolder::open(folder)?;
        let mut bytes = Vec::with_capacity(watched.len() * 64);
        let mut changed = i128::MIN;
        for inside in watched {
            let found = folder.look(inside)?;
            changed = changed.max(found.changed());
            for number in found.numbers() {
                bytes.extend_from_slice(&number);
            }
        }
        Some(Self {
            digest: Digest::of(&bytes),
            changed,
        })
    }
}

/// Digest over every name and kind below a folder and the bytes of watched files; none where
/// something cannot be read.
pub(super) fn content(folder: &Path, watched: &[String]) -> Option<Digest> {
    let mut told = Vec::with_capacity(16 << 10);
    tell(folder, "", watched, &mut told)?;
    Some(Digest::of(&told))
}

fn tell(folder: &Path, inside: &str, watched: &[String], told: &mut Vec<u8>) -> Option<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        let name = entry.file_name().into_string().ok()?;
        entries.push((name, entry.file_type().ok()?));
    }
    entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    for (name, kind) in entries {
        let (path, inside) = (folder.join(&name), below(inside, &name));
        told.extend_from_slice(name.as_bytes());
        told.push(0);
        told.push(kind_letter(kind));
        if kind.is_dir() {
            tell(&path, &inside, watched, told)?;
            told.push(b'/');
        } else if kind.is_file() && watched.binary_search(&inside).is_ok() {
            let bytes = file_ops::read(&path).ok()?;
            told.extend_from_slice(&Digest::of(&bytes).bytes());
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
