//! One round with its log in one file, for a reader who has nothing but the program.
//!
//! A zstd frame around a `ustar` archive with `bundle.json`, the files of the round that everybody
//! may read, and the whole published log: with all leaves none of the round can be left out unseen.
//! Files that are not shown are listed, and stand in the log by their sealed digest.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use capitalbench_core::encoding::tar::{self, RECORD, TarError, Walk};
use capitalbench_core::values::ids::RoundId;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;
use tempfile::TempDir;

use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops::{self, scratch::ScratchFolder};
use crate::disk::layout;
use crate::format::text::json as strict;
use crate::format::text::member::only;
use crate::log::LogFolder;
use crate::log::inventory::files_of;
use crate::log::salts::{Shown, render};
use crate::round::round_folder::RoundFolder;

const MANIFEST: &str = "bundle.json";
/// More than this is not unpacked.
const LARGEST: u64 = 1 << 30;
/// A bundle that unpacks to more than so many times its size is not one of ours.
const LARGEST_RATIO: u64 = 200;
/// So much may come out of the smallest bundle.
const ALWAYS_ALLOWED: u64 = 16 << 20;
/// Frames that look further back than this are refused; RFC 8878 asks readers for as much.
const LARGEST_WINDOW: u64 = 8 << 20;

/// A bundle whose files lie in a folder that goes away with it.
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
            "is unsigned: the log has no event of it; make a key with `capitalbench keys init`";
        return Err(FileError::folder(round.path(), text));
    }
    let shown = Shown::of(round)?;
    let mut files = BTreeMap::new();
    let mut withheld = Vec::new();
    for path in files_of(round)? {
        if shown.shows(&path) {
            files.insert(format!("{name}/{path}"), round.read(&path)?);
        } else {
            withheld.push(path);
        }
    }
    files.extend(log.public_files()?.into_iter().flat_map(|(_, files)| files));
    if let Some(salts) = log.salts(&name)? {
        files.insert(format!("{}/{name}.json", layout::LOG_SALTS), render(&salts));
    }
    let told = json!({"bundle": 1, "round": name, "withheld": withheld});
    files.insert(MANIFEST.to_owned(), format!("{told:#}\n").into_bytes());
    let refused = |text: String| FileError::folder(round.path(), text);
    let packed = write_files(&files).map_err(|error| refused(error.to_string()))?;
    // Whoever cannot open a bundle learns it here, and not a reader later.
    read_files(&packed).map_err(|text| refused(format!("its bundle {text}")))?;
    Ok(packed)
}

/// Files as a bundle.
pub fn write_files(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, TarError> {
    let archive = tar::write(files)?;
    Ok(compress_to_vec(
        archive.as_slice(),
        CompressionLevel::Fastest,
    ))
}

/// Whether bytes begin like a zstd frame.
pub fn is_bundle(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

/// Opens a bundle; `file` is its name in messages. Files go to the disk one by one, so memory
/// follows the largest of them and not the whole.
pub fn open(bytes: &[u8], file: &Path) -> Result<OpenBundle, FileError> {
    let mut opening = Opening::begin(file)?;
    let unpacked = unpack(bytes, allowance(bytes.len()), |path, own| {
        opening.take(path, &own).map_err(|error| error.to_string())
    });
    unpacked.map_err(|text| Fault::new(text).in_file(file))?;
    opening.end()
}

/// The same for files that were read before.
pub fn open_files(files: BTreeMap<String, Vec<u8>>, file: &Path) -> Result<OpenBundle, FileError> {
    let mut opening = Opening::begin(file)?;
    for (path, own) in files {
        opening.take(path, &own)?;
    }
    opening.end()
}

/// A bundle whose files are on their way into a folder.
struct Opening<'a> {
    file: &'a Path,
    folder: ScratchFolder,
    temporary: TempDir,
    paths: Vec<String>,
    told: Option<Vec<u8>>,
}

impl<'a> Opening<'a> {
    fn begin(file: &'a Path) -> Result<Self, FileError> {
        let temporary = TempDir::new().map_err(|error| Fault::new(error.to_string()).in_file(file));
        let temporary = temporary?;
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
        let (round, withheld) = told
            .ok_or("has no bundle.json".to_owned())
            .and_then(manifest)
            .map_err(|text| refused(format!("is no bundle of a round: {text}")))?;
        for path in &self.paths {
            let own = path.strip_prefix(&round);
            let own = own.is_some_and(|path| path.starts_with('/'));
            if !own && !path.starts_with("log/") && path != MANIFEST {
                return Err(refused(format!(
                    "holds {path}, which is no part of a bundle"
                )));
            }
        }
        Ok(OpenBundle {
            folder: self.folder,
            _temporary: self.temporary,
            round,
            withheld,
        })
    }
}

/// The files of a bundle, or why there are none.
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

/// To how many bytes a bundle of this size may unpack: text does not shrink more than so, and a few
/// bytes that claim to be a gigabyte are not believed.
fn allowance(size: usize) -> u64 {
    (size as u64)
        .saturating_mul(LARGEST_RATIO)
        .clamp(ALWAYS_ALLOWED, LARGEST)
}

/// Hands over the files of a bundle one by one. Sizes are checked before anything is allocated.
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
        // What a header promises may never come, so the first piece is small.
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
        return Err("has bytes behind its end".to_owned());
    }
    Ok(())
}

/// Reads exactly so many bytes of the record at this place.
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

fn manifest(bytes: &[u8]) -> Result<(String, BTreeSet<String>), String> {
    let value = strict::parse(bytes).map_err(|_| "bundle.json is not JSON".to_owned())?;
    only(&value, &["bundle", "round", "withheld"])
        .map_err(|fault| format!("bundle.json: {fault}"))?;
    let round = value["round"].as_str().unwrap_or_default();
    let plain = RoundId::parse(round).is_ok() && round != layout::LOG && !round.starts_with('.');
    let withheld = value["withheld"].as_array();
    match (value["bundle"].as_u64(), withheld) {
        (Some(1), Some(withheld)) if plain => {
            let texts = withheld.iter().map(|path| path.as_str().map(str::to_owned));
            let texts: Option<BTreeSet<String>> = texts.collect();
            let texts = texts.ok_or("bundle.json withholds something that is no path")?;
            Ok((round.to_owned(), texts))
        }
        _ => Err("bundle.json is of another form".to_owned()),
    }
}

#[cfg(test)]
mod tests;
