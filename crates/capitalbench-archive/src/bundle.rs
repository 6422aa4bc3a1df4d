//! One round with its log in one file, for a reader who has nothing but the program.
//!
//! A zstd frame around a `ustar` archive with `bundle.json`, the files of the round that everybody
//! may read, and the whole published log: with all leaves none of the round can be left out unseen.
//! Files that are not shown are listed, and stand in the log by their sealed digest.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use capitalbench_core::ids::RoundId;
use capitalbench_core::tar::{self, RECORD, TarError, Walk};
use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;
use tempfile::TempDir;

use crate::error::{Fault, FileError};
use crate::file_ops::{self, scratch::ScratchFolder};
use crate::format::json as strict;
use crate::format::member::only;
use crate::layout;
use crate::log::LogFolder;
use crate::log::inventory::files_of;
use crate::log::salts::{Shown, render};
use crate::round_folder::RoundFolder;

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
mod tests {
    use serde_json::Value;

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

    /// A zstd frame without content size: each piece is a block, raw or one byte repeated.
    fn frame(window: u8, blocks: &[(Option<u8>, Vec<u8>, u32)]) -> Vec<u8> {
        let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, window];
        for (index, (repeated, raw, size)) in blocks.iter().enumerate() {
            let last = u32::from(index + 1 == blocks.len());
            let kind = u32::from(repeated.is_some()) << 1;
            bytes.extend_from_slice(&(last | kind | size << 3).to_le_bytes()[..3]);
            match repeated {
                Some(byte) => bytes.push(*byte),
                None => bytes.extend_from_slice(raw),
            }
        }
        bytes
    }

    const BLOCK: u32 = 128 << 10;

    #[test]
    fn a_small_bundle_cannot_claim_to_be_a_gigabyte() {
        let head = tar::header("log/a", 32 << 20).unwrap().to_vec();
        let mut blocks = vec![(None, head, 512)];
        blocks.extend((0..256).map(|_| (Some(b'x'), Vec::new(), BLOCK)));
        let bomb = frame(0x38, &blocks);
        assert!(bomb.len() < 2_000);
        let told = format!("unpacks to more than {ALWAYS_ALLOWED} bytes");
        assert_eq!(read_files(&bomb), Err(told));
        let head = tar::header("log/a", 65 << 20).unwrap().to_vec();
        let told = "holds log/a, which is larger than 67108864 bytes".to_owned();
        let bomb = frame(0x38, &[(None, head, 512)]);
        assert_eq!(read_at_most(&bomb, LARGEST), Err(told));
    }

    #[test]
    fn a_frame_may_look_back_eight_megabytes_and_no_further() {
        let archive = tar::write(&BTreeMap::new()).unwrap();
        let whole = |window: u8| frame(window, &[(None, archive.clone(), 1024)]);
        // Exponent 13 is eight megabytes; the next mantissa is one.
        assert_eq!(read_files(&whole(13 << 3)), Ok(BTreeMap::new()));
        let refused = read_files(&whole(13 << 3 | 1)).unwrap_err();
        assert!(refused.starts_with("is not zstd: "), "{refused}");
    }

    #[test]
    fn what_stands_behind_the_end_or_is_missing_is_damage() {
        let end = vec![0; 1024];
        let more = frame(
            0x38,
            &[(None, end.clone(), 1024), (Some(0), Vec::new(), 512)],
        );
        assert!(
            read_files(&more)
                .unwrap_err()
                .contains("is damaged at byte 0")
        );
        let half = frame(0x38, &[(None, end[..512].to_vec(), 512)]);
        assert!(
            read_files(&half)
                .unwrap_err()
                .contains("is damaged at byte 0")
        );
        let head = tar::header("log/a", 9).unwrap().to_vec();
        let cut = frame(0x38, &[(None, head, 512), (Some(0), Vec::new(), 4)]);
        assert!(
            read_files(&cut)
                .unwrap_err()
                .contains("is damaged at byte 0")
        );
        let whole = frame(0x38, &[(None, end, 1024)]);
        let behind = [whole.as_slice(), b"x"].concat();
        assert_eq!(
            read_files(&behind),
            Err("has bytes behind its end".to_owned())
        );
    }

    #[test]
    fn a_bundle_names_one_round_in_its_own_folder() {
        let opened = |told: Value| {
            let file = (MANIFEST.to_owned(), told.to_string().into_bytes());
            open_files(BTreeMap::from([file]), Path::new("b.tar.zst"))
        };
        let told = |round: &str| opened(json!({"bundle": 1, "round": round, "withheld": []}));
        for (told, text) in [
            (
                json!({"bundle": 1, "round": "R", "withheld": [], "x": 1}),
                "x: unknown member",
            ),
            (
                json!({"bundle": 1, "round": "R", "withheld": [1]}),
                "that is no path",
            ),
        ] {
            let refused = opened(told).unwrap_err().to_string();
            assert!(refused.contains(text), "{refused}");
        }
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
