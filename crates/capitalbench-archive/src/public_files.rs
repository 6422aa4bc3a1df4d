//! The files of a round that the public may see in its present state, and whether any changed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use capitalbench_core::artifact::is_visible;
use capitalbench_core::ids::Digest;
use capitalbench_core::manifest::Window;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::time::parse_day;
use jiff::Timestamp;
use jiff::civil::Date;

use crate::error::FileError;
use crate::round_folder::RoundFolder;
use crate::verify::walk;

/// One file with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicFile {
    /// Path inside the round.
    pub path: String,
    /// Digest of its bytes.
    pub digest: Digest,
    /// The bytes.
    pub bytes: Vec<u8>,
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
    for path in walk(folder.path())?.into_iter().filter(visible) {
        let bytes = folder.read(&path)?;
        if round.resolved().is_none() && tells_too_much(&path, &bytes, round, as_of) {
            continue;
        }
        files.push(PublicFile {
            digest: Digest::of(&bytes),
            path,
            bytes,
        });
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Whether a file of a round without a result holds what nobody could know at the instant: closes
/// of days to come or of the last day, or that somebody has resolved the round already.
fn tells_too_much(path: &str, bytes: &[u8], round: &PublicRound, as_of: Timestamp) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = String::from_utf8_lossy(bytes);
    match name {
        "resolution_job.yaml" => text.contains("status: succeeded"),
        "entry_prices.csv" | "weekly_prices.csv" | "weekly_performance.csv" => {
            let window = round.manifest.window;
            let exit = window.map(|window| window.exit);
            let hidden = |day: Date| {
                let close = Window {
                    entry: day,
                    exit: day,
                };
                let ahead = close.exit_close().is_some_and(|close| close > as_of);
                let last = name != "entry_prices.csv" && exit.is_some_and(|exit| day >= exit);
                ahead || last
            };
            let cells = text.split([',', '\n', '\r', '"']);
            cells.filter_map(parse_day).any(hidden)
        }
        _ => false,
    }
}

/// Every file below a folder, relative to it, in order; an absent folder is empty.
pub fn files_below(folder: &Path) -> Result<Vec<String>, FileError> {
    walk(folder)
}

/// A digest of names, sizes and times of all files below a folder: it changes when one of them does.
pub fn fingerprint(folder: &Path) -> Result<Digest, FileError> {
    let mut text = String::new();
    for path in walk(folder)? {
        let Ok(meta) = fs::symlink_metadata(folder.join(&path)) else {
            continue;
        };
        let changed = meta
            .modified()
            .ok()
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |since| since.as_nanos());
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{path} {} {changed}", meta.len());
    }
    Ok(Digest::of(text.as_bytes()))
}
