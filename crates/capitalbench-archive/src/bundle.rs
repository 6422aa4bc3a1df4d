//! One round with its log in one file, for a reader who has nothing but the program.
//!
//! A zstd frame around a `ustar` archive with `bundle.json`, the files of the round that everybody
//! may read, and the whole published log: with all leaves none of the round can be left out unseen.
//! Files that are not shown are listed, and stand in the log by their sealed digest.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use capitalbench_core::ids::RoundId;
use capitalbench_core::tar::{self, TarError};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::error::{Fault, FileError};
use crate::file_ops;
use crate::format::json as strict;
use crate::layout;
use crate::log::LogFolder;
use crate::log::inventory::files_of;
use crate::log::salts::{Shown, render};
use crate::round_folder::RoundFolder;

const MANIFEST: &str = "bundle.json";
/// More than this is not unpacked.
const LARGEST: u64 = 1 << 30;

/// A bundle whose files lie in a folder that goes away with it.
#[derive(Debug)]
pub struct OpenBundle {
    folder: TempDir,
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
    write_files(&files).map_err(|error| FileError::folder(round.path(), error.to_string()))
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

/// Opens a bundle; `file` is its name in messages.
pub fn open(bytes: &[u8], file: &Path) -> Result<OpenBundle, FileError> {
    let files = read_files(bytes).map_err(|text| Fault::new(text).in_file(file))?;
    open_files(files, file)
}

/// The same for files that were read before.
pub fn open_files(files: BTreeMap<String, Vec<u8>>, file: &Path) -> Result<OpenBundle, FileError> {
    let refused = |text: String| Fault::new(text).in_file(file);
    let told = files.get(MANIFEST).ok_or("has no bundle.json".to_owned());
    let (round, withheld) = told
        .and_then(|bytes| manifest(bytes))
        .map_err(|text| refused(format!("is no bundle of a round: {text}")))?;
    let folder = TempDir::new().map_err(|error| refused(error.to_string()))?;
    let mut writes = Vec::new();
    for (path, bytes) in files {
        let own = path
            .strip_prefix(&round)
            .is_some_and(|p| p.starts_with('/'));
        if !own && !path.starts_with("log/") && path != MANIFEST {
            return Err(refused(format!(
                "holds {path}, which is no part of a bundle"
            )));
        }
        let target = folder.path().join(&path);
        if let Some(parent) = target.parent() {
            file_ops::create_folder(parent)?;
        }
        writes.push((target, bytes));
    }
    file_ops::replace_all(&writes)?;
    Ok(OpenBundle {
        folder,
        round,
        withheld,
    })
}

/// The files of a bundle, or why there are none.
pub fn read_files(bytes: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    read_at_most(bytes, LARGEST)
}

fn read_at_most(bytes: &[u8], largest: u64) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut rest = bytes;
    let decoder = StreamingDecoder::new(&mut rest);
    let decoder = decoder.map_err(|error| format!("is not zstd: {error}"))?;
    let mut archive = Vec::new();
    let read = decoder.take(largest + 1).read_to_end(&mut archive);
    read.map_err(|error| format!("is damaged: {error}"))?;
    if archive.len() as u64 > largest {
        return Err(format!("unpacks to more than {largest} bytes"));
    }
    if !rest.is_empty() {
        return Err("has bytes behind its end".to_owned());
    }
    tar::read(&archive).map_err(|error| error.to_string())
}

fn manifest(bytes: &[u8]) -> Result<(String, BTreeSet<String>), String> {
    let value = strict::parse(bytes).map_err(|_| "bundle.json is not JSON".to_owned())?;
    let round = value["round"].as_str().unwrap_or_default();
    let plain = RoundId::parse(round).is_ok() && round != layout::LOG && !round.starts_with('.');
    let withheld = value["withheld"].as_array();
    match (value["bundle"].as_u64(), withheld) {
        (Some(1), Some(withheld)) if plain => {
            let texts = withheld.iter().filter_map(Value::as_str);
            Ok((round.to_owned(), texts.map(str::to_owned).collect()))
        }
        _ => Err("bundle.json is of another form".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_may_fill_the_limit_and_not_a_byte_more() {
        let files = [("a".to_owned(), vec![b'x'; 5000])].into();
        let archive = tar::write(&files).unwrap().len() as u64;
        let packed = write_files(&files).unwrap();
        assert!((packed.len() as u64) < archive);
        assert_eq!(read_at_most(&packed, archive), Ok(files));
        let told = format!("unpacks to more than {} bytes", archive - 1);
        assert_eq!(read_at_most(&packed, archive - 1), Err(told));
    }

    #[test]
    fn a_bundle_names_one_round_in_its_own_folder() {
        let told = |round: &str| {
            let told = json!({"bundle": 1, "round": round, "withheld": []});
            let file = (MANIFEST.to_owned(), told.to_string().into_bytes());
            open_files(BTreeMap::from([file]), Path::new("b.tar.zst"))
        };
        assert!(told("WEEK-1").is_ok());
        for name in [
            "",
            "a\0",
            ".",
            "..",
            ".capitalbench",
            "log",
            "a/b",
            "a\\b",
            "/tmp",
        ] {
            let refused = told(name).unwrap_err().to_string();
            assert!(refused.contains("of another form"), "{name}: {refused}");
        }
    }
}
