//! Files in one file: the plain part of the POSIX `ustar` format, the same bytes for the same files.
//!
//! Only regular files with relative names exist here. Owner, time and mode say nothing about a round,
//! so they are always the same; reading refuses everything that could leave a folder.

use std::collections::BTreeMap;

/// Size of a record; headers and padding come in these.
const RECORD: usize = 512;
/// Longest name, in two fields of the header.
const LONGEST_NAME: usize = 100;
const LONGEST_PREFIX: usize = 155;

/// Why bytes are not such an archive, or files cannot become one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TarError {
    /// A name that is absolute, climbs, hides or is too long.
    #[error("the archive names {0:?}, which is not a relative path of plain names")]
    Name(String),
    /// Larger than the format can say.
    #[error("{0:?} is too large for the archive")]
    Large(String),
    /// A link, a folder, a device or an extension.
    #[error("the archive holds {name:?}, which is not a regular file")]
    NotAFile {
        /// Its name.
        name: String,
    },
    /// Two files of one name, or names that are out of order.
    #[error("the archive names {0:?} twice or out of order")]
    Order(String),
    /// Cut off, padded with something, or with a wrong sum.
    #[error("the archive is damaged at byte {at}")]
    Damaged {
        /// Where.
        at: usize,
    },
}

/// The archive of some files, sorted by name.
pub fn write(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, TarError> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        archive.extend_from_slice(&header(name, bytes.len())?);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(RECORD), 0);
    }
    archive.resize(archive.len() + 2 * RECORD, 0);
    Ok(archive)
}

fn header(name: &str, size: usize) -> Result<[u8; RECORD], TarError> {
    if !is_plain_path(name) {
        return Err(TarError::Name(name.to_owned()));
    }
    let (prefix, last) = split(name).ok_or_else(|| TarError::Name(name.to_owned()))?;
    let size = format!("{size:011o}");
    if size.len() > 11 {
        return Err(TarError::Large(name.to_owned()));
    }
    let mut header = [0; RECORD];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, last.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, size.as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(345, prefix.as_bytes());
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

/// A long name as what stands before one of its slashes, and after it.
fn split(name: &str) -> Option<(&str, &str)> {
    if name.len() <= LONGEST_NAME {
        return Some(("", name));
    }
    name.match_indices('/')
        .map(|(at, _)| (&name[..at], &name[at + 1..]))
        .find(|(prefix, last)| prefix.len() <= LONGEST_PREFIX && last.len() <= LONGEST_NAME)
}

fn is_plain_path(name: &str) -> bool {
    name.len() <= LONGEST_NAME + LONGEST_PREFIX
        && name.split('/').all(|part| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && !part
                    .chars()
                    .any(|letter| letter.is_control() || letter == '\\')
        })
}

/// The files of an archive that [`write()`] made; anything else is refused.
pub fn read(archive: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, TarError> {
    let mut files = BTreeMap::new();
    let mut at = 0;
    loop {
        let head = archive
            .get(at..at + RECORD)
            .ok_or(TarError::Damaged { at })?;
        if head.iter().all(|&byte| byte == 0) {
            let is_end =
                archive.len() == at + 2 * RECORD && archive[at..].iter().all(|&byte| byte == 0);
            return if is_end {
                Ok(files)
            } else {
                Err(TarError::Damaged { at })
            };
        }
        let (name, size) = entry(head).ok_or(TarError::Damaged { at })?;
        if head[156] != b'0' {
            return Err(TarError::NotAFile { name });
        }
        // One archive for one set of files: the header must be the one we would write.
        if header(&name, size)? != *head {
            return Err(TarError::Damaged { at });
        }
        let body = at + RECORD;
        let next = body
            .checked_add(size)
            .and_then(|end| end.checked_next_multiple_of(RECORD))
            .filter(|next| *next <= archive.len())
            .ok_or(TarError::Damaged { at })?;
        if archive[body + size..next].iter().any(|&byte| byte != 0) {
            return Err(TarError::Damaged { at: body + size });
        }
        let is_after_the_last = files
            .last_key_value()
            .is_none_or(|(last, _): (&String, _)| *last < name);
        if !is_after_the_last {
            return Err(TarError::Order(name));
        }
        files.insert(name, archive[body..body + size].to_vec());
        at = next;
    }
}

fn entry(head: &[u8]) -> Option<(String, usize)> {
    let field = |from: usize, length: usize| {
        let bytes = &head[from..from + length];
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(length);
        std::str::from_utf8(&bytes[..end]).ok()
    };
    let last = field(0, LONGEST_NAME)?;
    let name = match field(345, LONGEST_PREFIX)? {
        "" => last.to_owned(),
        prefix => format!("{prefix}/{last}"),
    };
    let size = usize::from_str_radix(field(124, 12)?, 8).ok()?;
    Some((name, size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn files(names: &[&str]) -> BTreeMap<String, Vec<u8>> {
        let each = names
            .iter()
            .map(|name| ((*name).to_owned(), name.as_bytes().to_vec()));
        each.collect()
    }

    #[test]
    fn only_plain_relative_names_go_in() {
        for name in [
            "/a", "../a", "a/../b", "a//b", "", ".", "a\0b", "a\\b", "a/",
        ] {
            assert!(
                matches!(write(&files(&[name])), Err(TarError::Name(_))),
                "{name:?}"
            );
        }
        let deep = format!("{}/{}", "d".repeat(150), "f".repeat(100));
        let archive = write(&files(&[&deep])).unwrap();
        assert!(read(&archive).unwrap().contains_key(&deep));
        assert!(write(&files(&[&"x".repeat(101)])).is_err());
    }

    #[test]
    fn links_folders_and_repeated_names_are_refused() {
        let archive = write(&files(&["a"])).unwrap();
        for kind in *b"123456xgL" {
            let mut forged = archive.clone();
            forged[156] = kind;
            assert!(matches!(read(&forged), Err(TarError::NotAFile { .. })));
        }
        let entry = &archive[..2 * RECORD];
        let twice = [entry, entry, &[0; 2 * RECORD]].concat();
        assert_eq!(read(&twice), Err(TarError::Order("a".to_owned())));
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(
            files in prop::collection::btree_map(
                "[a-z]{1,8}(/[a-z.]{1,8}x){0,2}",
                prop::collection::vec(any::<u8>(), 0..1500),
                0..6,
            ),
        ) {
            let archive = write(&files).unwrap();
            prop_assert_eq!(read(&archive).unwrap(), files);
        }

        #[test]
        fn any_change_is_an_error_or_another_set_of_files(
            place in 0_usize..4096,
            flip in 1_u8..=255,
        ) {
            let files = files(&["a/b", "c"]);
            let mut archive = write(&files).unwrap();
            let place = place % archive.len();
            archive[place] ^= flip;
            if let Ok(found) = read(&archive) {
                prop_assert_ne!(found, files);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..2048)) {
            let _ = read(&bytes);
        }
    }
}
