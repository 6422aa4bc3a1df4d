//! The files of a round that the public may see in its present state, and whether any changed.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::artifact::is_visible;
use capitalbench_core::publication::visible::{Item, is_public};
use capitalbench_core::values::ids::{Digest, Digesting};
use capitalbench_core::values::time::parse_day;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::disk::error::FileError;
use crate::disk::file_ops::spool::Slice;
use crate::round::round_folder::{RoundFolder, entries_in};
pub use crate::verify::walk as files_below;

/// One file with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicFile {
    /// Path inside the round.
    pub path: String,
    /// Digest of its bytes.
    pub digest: Digest,
    pub bytes: Vec<u8>,
    /// Which file it was when it was read.
    pub mark: FileMark,
}

/// Which file stands at a path: its device and number, its size, and when its bytes, its name or its
/// rights last changed. A program that puts back the time of a change does not put back this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMark(pub [u8; 16]);

impl FileMark {
    fn of(found: &Metadata) -> Self {
        let mut told = Digesting::default();
        for number in [found.dev(), found.ino(), found.size()] {
            told.add(&number.to_le_bytes());
        }
        for number in times_of(found) {
            told.add(&number.to_le_bytes());
        }
        let mut mark = [0; 16];
        mark.copy_from_slice(&told.finish().bytes()[..16]);
        Self(mark)
    }
}

/// When the bytes of a file last changed, and when its name or rights did: seconds and the rest.
fn times_of(found: &Metadata) -> [i64; 4] {
    let bytes = [found.mtime(), found.mtime_nsec()];
    [bytes[0], bytes[1], found.ctime(), found.ctime_nsec()]
}

/// Opens a file that is the one its mark was taken of; none when it is gone, another one, a link or a
/// pipe by now.
pub fn open_unchanged(path: &Path, mark: FileMark) -> Option<Slice> {
    // Opening a pipe would wait for its other end, so the kind is asked for first.
    let named = fs::symlink_metadata(path).ok()?;
    if !named.is_file() || FileMark::of(&named) != mark {
        return None;
    }
    let file = File::open(path).ok()?;
    let opened = file.metadata().ok()?;
    (FileMark::of(&opened) == mark).then(|| Slice::of(file, opened.len()))
}

/// What the public files of a round are, as far as that can be told without reading them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Of every path with its mark: it changes when one of the files does.
    pub digest: Digest,
    /// When the last of them changed, in nanoseconds of the file system's clock.
    pub changed: i128,
}

/// Lists the visible files of a round at an instant. Only those are read whose words decide whether they
/// are visible.
pub fn listing(rounds: &Path, round: &PublicRound, as_of: Timestamp) -> Result<Listing, FileError> {
    let folder = RoundFolder::open(&rounds.join(round.id().as_str()))?;
    let mut told = Digesting::default();
    let mut changed = i128::MIN;
    let visible = |path: &String| is_visible(path, &round.state);
    for path in files_below(folder.path())?.into_iter().filter(visible) {
        let Ok(found) = fs::symlink_metadata(folder.path().join(&path)) else {
            continue;
        };
        let is_withheld = round.resolved().is_none()
            && is_dated(&path)
            && tells_too_much(&path, &folder.read(&path)?, round, as_of);
        if !is_withheld {
            told.add(path.as_bytes());
            told.add(&[0]);
            told.add(&FileMark::of(&found).0);
            changed = changed.max(changed_at(&found));
        }
    }
    Ok(Listing {
        digest: told.finish(),
        changed,
    })
}

/// Which file stands at a path, and when it last changed; none where no plain file does.
pub fn mark_of(path: &Path) -> Option<(FileMark, i128)> {
    let found = fs::symlink_metadata(path).ok()?;
    found
        .is_file()
        .then(|| (FileMark::of(&found), changed_at(&found)))
}

/// When a file last changed, in nanoseconds; nobody but the system can set it.
pub fn changed_at(found: &Metadata) -> i128 {
    i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec())
}

/// The visible files of a round at an instant, in order of path.
pub fn public_files(
    rounds: &Path,
    round: &PublicRound,
    as_of: Timestamp,
) -> Result<Vec<PublicFile>, FileError> {
    let folder = RoundFolder::open(&rounds.join(round.id().as_str()))?;
    let mut files = Vec::new();
    let visible = |path: &String| is_visible(path, &round.state);
    for path in files_below(folder.path())?.into_iter().filter(visible) {
        // Taken first: a file that changes meanwhile is another one afterwards.
        let found = fs::symlink_metadata(folder.path().join(&path));
        let bytes = folder.read(&path)?;
        let Ok(found) = found else { continue };
        if round.resolved().is_none() && tells_too_much(&path, &bytes, round, as_of) {
            continue;
        }
        files.push(PublicFile {
            digest: Digest::of(&bytes),
            mark: FileMark::of(&found),
            path,
            bytes,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Whether a file holds days, or the state of the round, that may not be public yet.
fn is_dated(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    DATED.contains(&name)
}

/// Files of which [`tells_too_much`] reads the words.
const DATED: [&str; 4] = [
    "resolution_job.yaml",
    "entry_prices.csv",
    "weekly_prices.csv",
    "weekly_performance.csv",
];

/// Whether a file of a round without a result tells more than is public: closes of days to come or
/// of the exit day, or that the round was resolved.
fn tells_too_much(path: &str, bytes: &[u8], round: &PublicRound, as_of: Timestamp) -> bool {
    if !is_dated(path) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = String::from_utf8_lossy(bytes);
    if name == "resolution_job.yaml" {
        return text.contains("status: succeeded");
    }
    let item = match name {
        "entry_prices.csv" => Item::Close,
        _ => Item::Interim,
    };
    let window = round.manifest.window;
    let hidden = |day: Date| !is_public(item(day), window, as_of);
    let cells = text.split([',', '\n', '\r', '"']);
    cells.filter_map(parse_day).any(hidden)
}

/// A digest of names, sizes and times of all files below a folder: it changes when one of them does.
///
/// Names that begin with a dot are left out: nothing public lies there, and the cache of the program
/// that asks does.
pub fn fingerprint(folder: &Path) -> Result<Digest, FileError> {
    let mut told = Digesting::default();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for (name, kind) in entries_in(&next)? {
            if name.starts_with('.') {
                continue;
            }
            let path = next.join(name);
            if kind.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(found) = fs::symlink_metadata(&path) else {
                continue;
            };
            told.add(path.as_os_str().as_encoded_bytes());
            told.add(&FileMark::of(&found).0);
        }
    }
    Ok(told.finish())
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests change files behind the program's back"
)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn private_state_files_do_not_count_as_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("round/runs/a")).unwrap();
        fs::create_dir_all(at(".capitalbench/cache")).unwrap();
        fs::write(at("round/manifest.yaml"), "a").unwrap();
        let first = fingerprint(folder.path()).unwrap();
        for name in [
            ".capitalbench/cache/index",
            "round/runs/a/.lock",
            ".capitalbench-x.tmp",
        ] {
            fs::write(at(name), "kept").unwrap();
            assert_eq!(fingerprint(folder.path()).unwrap(), first, "{name}");
        }
        fs::write(at("round/manifest.yaml"), "b").unwrap();
        let second = fingerprint(folder.path()).unwrap();
        assert_ne!(second, first);
        fs::write(at("round/runs/a/run_log.jsonl"), "").unwrap();
        assert_ne!(fingerprint(folder.path()).unwrap(), second);
    }

    #[test]
    fn only_the_file_that_was_marked_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "first").unwrap();
        let found = fs::symlink_metadata(&path).unwrap();
        let mark = FileMark::of(&found);
        assert_eq!(
            open_unchanged(&path, mark).unwrap().bytes().unwrap(),
            b"first"
        );
        // Another file of the same size and time.
        fs::write(&other, "other").unwrap();
        let times = fs::FileTimes::new().set_modified(found.modified().unwrap());
        File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_times(times)
            .unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(open_unchanged(&path, mark).is_none());
        // A link to it, nothing, a folder, a pipe.
        fs::rename(&path, &other).unwrap();
        assert!(open_unchanged(&path, mark).is_none());
        symlink(&other, &path).unwrap();
        let linked = FileMark::of(&fs::metadata(&path).unwrap());
        assert!(open_unchanged(&path, linked).is_none());
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        let as_folder = FileMark::of(&fs::metadata(&path).unwrap());
        assert!(open_unchanged(&path, as_folder).is_none());
        fs::remove_dir(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        if made.is_ok_and(|made| made.success()) {
            let pipe = FileMark::of(&fs::metadata(&path).unwrap());
            assert!(open_unchanged(&path, pipe).is_none());
        }
    }
}
