//! One round with its log in one file, for a reader who has nothing but the program.
//!
//! A zstd frame around a `ustar` archive with `bundle.json`, the public files of the round, and the
//! whole published log: with all leaves, no event of the round can be left out unnoticed. Files that
//! are not public are listed; the log holds their sealed digests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use capitalbench_core::encoding::tar::{self, RECORD, TarError, Walk};
use capitalbench_core::values::ids::RoundId;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, scratch::ScratchFolder};
use crate::disk::layout;
use crate::format::round::manifest;
use crate::format::stored::FormatVersion;
use crate::format::text::json;
use crate::log::LogFolder;
use crate::log::inventory::files_of;
use crate::log::salts::{Shown, render};
use crate::prices::withheld::require_as_published;
use crate::round::round_folder::RoundFolder;

const MANIFEST: &str = "bundle.json";
/// The largest archive that is unpacked, in bytes.
const LARGEST: u64 = 1 << 30;
/// How many times its own size a bundle may unpack to; ours never come near it.
const LARGEST_RATIO: u64 = 200;
/// What even the smallest bundle may unpack to, in bytes.
const ALWAYS_ALLOWED: u64 = 16 << 20;
/// The largest window of a frame; RFC 8878 asks readers to support this much.
const LARGEST_WINDOW: u64 = 8 << 20;

/// An opened bundle, in a temporary folder that is removed with it.
#[derive(Debug)]
pub struct OpenBundle {
    folder: ScratchFolder,
    _temporary: TempDir,
    round: String,
    /// Files of the round that it does not show.
    pub withheld: BTreeSet<String>,
}

impl OpenBundle {
    /// The folder of the round.
    pub fn round(&self) -> PathBuf {
        self.folder.path().join(&self.round)
    }
}

/// The bytes of the bundle of a round; the same files give the same bytes.
pub fn pack(round: &RoundFolder) -> Result<Vec<u8>, FileError> {
    let name = round.name();
    let log = LogFolder::of_round(round);
    if log.leaves_of_round(&name)?.is_empty() {
        let text =
            "is unsigned: the log has no event of it; create a key with `capitalbench keys init`";
        return Err(FileError::folder(round.path(), text));
    }
    let manifest = round.parse(layout::MANIFEST, manifest::parse)?;
    require_as_published(round, manifest.publish)?;
    let shown = Shown::of(round)?;
    let mut files = BTreeMap::new();
    let mut withheld = BTreeSet::new();
    for path in files_of(round)? {
        if shown.shows(&path) {
            files.insert(format!("{name}/{path}"), round.read(&path)?);
        } else {
            withheld.insert(path);
        }
    }
    files.extend(log.public_files()?.into_iter().flat_map(|(_, files)| files));
    if let Some(salts) = log.salts(&name)? {
        files.insert(format!("{}/{name}.json", layout::LOG_SALTS), render(&salts));
    }
    let manifest = BundleManifest {
        bundle: FormatVersion,
        round: name,
        withheld,
    };
    let manifest = serde_json::to_value(manifest).unwrap_or_default();
    files.insert(MANIFEST.to_owned(), format!("{manifest:#}\n").into_bytes());
    let refused = |text: String| FileError::folder(round.path(), text);
    let packed = write_files(&files).map_err(|error| refused(error.to_string()))?;
    // A bundle that cannot be opened fails here, not at its reader.
    read_files(&packed).map_err(|text| refused(format!("its bundle {text}")))?;
    Ok(packed)
}

pub fn write_files(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, TarError> {
    let archive = tar::write(files)?;
    let level = CompressionLevel::Fastest;
    Ok(compress_to_vec(archive.as_slice(), level))
}

/// Whether bytes begin like a zstd frame.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// Opens a bundle; `file` is its name in messages. It writes files to the disk one by one, so memory
/// depends on the largest file only.
pub fn open(bytes: &[u8], file: &Path) -> Result<OpenBundle, FileError> {
    let mut opening = Opening::begin(file)?;
    let unpacked = unpack(bytes, allowance(bytes.len()), |path, own| {
        opening.take(path, &own).map_err(|error| error.to_string())
    });
    unpacked.map_err(|text| Fault::new(text).in_file(file))?;
    opening.end()
}

/// Opens a bundle whose files are already in memory.
pub fn open_files(files: BTreeMap<String, Vec<u8>>, file: &Path) -> Result<OpenBundle, FileError> {
    let mut opening = Opening::begin(file)?;
    for (path, own) in files {
        opening.take(path, &own)?;
    }
    opening.end()
}

/// A bundle while its files are written into a folder.
struct Opening<'a> {
    file: &'a Path,
    folder: ScratchFolder,
    temporary: TempDir,
    paths: Vec<String>,
    told: Option<Vec<u8>>,
}

impl<'a> Opening<'a> {
    fn begin(file: &'a Path) -> Result<Self, FileError> {
        let temporary = TempDir::new().map_err(|error| Fault::new(error).in_file(file))?;
        Ok(Self {
            file,
            folder: ScratchFolder::begin(temporary.path(), "rounds")?,
            temporary,
            paths: Vec::new(),
            told: None,
        })
    }

    fn take(&mut self, path: String, bytes: &[u8]) -> Result<(), FileError> {
        self.folder.write(&path, bytes)?;
        if path == MANIFEST {
            self.told = Some(bytes.to_vec());
        }
        self.paths.push(path);
        Ok(())
    }

    fn end(self) -> Result<OpenBundle, FileError> {
        let refused = |text: String| Fault::new(text).in_file(self.file);
        let told = self.told.as_deref();
        let own = told
            .ok_or("it has no bundle.json".to_owned())
            .and_then(BundleManifest::parse)
            .map_err(|text| refused(format!("is not a bundle of a round: {text}")))?;
        for path in &self.paths {
            let inside = path.strip_prefix(&own.round);
            let inside = inside.is_some_and(|path| path.starts_with('/'));
            if !inside && !path.starts_with("log/") && path != MANIFEST {
                let text = format!("holds {path}, which is not part of a bundle");
                return Err(refused(text));
            }
        }
        Ok(OpenBundle {
            folder: self.folder,
            _temporary: self.temporary,
            round: own.round,
            withheld: own.withheld,
        })
    }
}

/// The files of a bundle, or why it cannot be read.
pub fn read_files(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    read_at_most(bytes, allowance(bytes.len()))
}

fn read_at_most(bytes: &[u8], largest: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut files = BTreeMap::new();
    unpack(bytes, largest, |path, own| {
        files.insert(path, own);
        Ok(())
    })?;
    Ok(files)
}

/// To how many bytes a bundle of this size may unpack. Text does not compress better than this; a
/// few bytes that claim to be a gigabyte are an attack.
fn allowance(size: usize) -> u64 {
    (size as u64)
        .saturating_mul(LARGEST_RATIO)
        .clamp(ALWAYS_ALLOWED, LARGEST)
}

/// Passes the files of a bundle to `take` one by one; checks sizes before it allocates.
fn unpack(
    bytes: &[u8],
    largest: u64,
    mut take: impl FnMut(String, Vec<u8>) -> Result<(), String>,
) -> Result<(), String> {
    let mut rest = bytes;
    let decoder = StreamingDecoder::new_with_max_window_size(&mut rest, LARGEST_WINDOW);
    let mut archive = decoder.map_err(|error| format!("is not zstd: {error}"))?;
    let mut walk = Walk::default();
    loop {
        let at = walk.at();
        let mut head = [0; RECORD];
        fill(&mut archive, &mut head, at)?;
        let entry = walk.entry(&head).map_err(|error| error.to_string())?;
        let Some((path, size)) = entry else {
            fill(&mut archive, &mut head, at)?;
            let mut behind = [0];
            let more = archive.read(&mut behind).map_err(damaged)?;
            if more > 0 || head.iter().any(|byte| *byte != 0) {
                return Err(TarError::Damaged { at }.to_string());
            }
            break;
        };
        if (walk.at() + tar::END.len()) as u64 > largest {
            return Err(format!("unpacks to more than {largest} bytes"));
        }
        if size as u64 > file_ops::READ_LIMIT {
            let limit = file_ops::READ_LIMIT;
            return Err(format!("holds {path}, which is larger than {limit} bytes"));
        }
        // The header may claim more than follows, so the first allocation is small.
        let mut own = Vec::with_capacity(size.min(1 << 20));
        let body = archive.by_ref().take(size as u64).read_to_end(&mut own);
        body.map_err(damaged)?;
        let mut filling = vec![0; tar::padding(size).len()];
        fill(&mut archive, &mut filling, at)?;
        if own.len() != size || filling.iter().any(|byte| *byte != 0) {
            return Err(TarError::Damaged { at }.to_string());
        }
        take(path, own)?;
    }
    drop(archive);
    if !rest.is_empty() {
        return Err("has bytes after its end".to_owned());
    }
    Ok(())
}

/// Fills `bytes` from the archive; a missing byte is damage at record `at`.
fn fill(archive: &mut impl Read, bytes: &mut [u8], at: usize) -> Result<(), String> {
    archive
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => TarError::Damaged { at }.to_string(),
            _ => damaged(error),
        })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the form that a mapping of errors takes"
)]
fn damaged(error: std::io::Error) -> String {
    format!("is damaged: {error}")
}

/// `bundle.json`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BundleManifest {
    bundle: FormatVersion<1>,
    round: String,
    withheld: BTreeSet<String>,
}

impl BundleManifest {
    /// Reads the manifest; its round must be a plain name, because a folder is made of it.
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let own: Self = json::read(bytes).map_err(|fault| format!("bundle.json: {fault}"))?;
        let name = own.round.as_str();
        if RoundId::parse(name).is_err() || name == layout::LOG || name.starts_with('.') {
            return Err("bundle.json must name one round by its folder".to_owned());
        }
        Ok(own)
    }
}

#[cfg(test)]
mod tests;
