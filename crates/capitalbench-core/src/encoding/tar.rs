//! Files in one file: the plain part of the POSIX `ustar` format, the same bytes for the same files.
//!
//! Only regular files with relative names exist here. Owner, time and mode say nothing about a round,
//! so they are always the same; reading refuses everything that could leave a folder.

use std::collections::BTreeMap;

/// Size of a record; headers and padding come in these.
pub const RECORD: usize = 512;
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
    NotAFile { name: String },
    /// Two files of one name, or names that are out of order.
    #[error("the archive names {0:?} twice or out of order")]
    Order(String),
    /// Cut off, padded with something, or with a wrong sum.
    #[error("the archive is damaged at byte {at}")]
    Damaged { at: usize },
}

/// The archive of some files, sorted by name.
pub fn write(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, TarError> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        archive.extend_from_slice(&header(name, bytes.len())?);
        archive.extend_from_slice(bytes);
        archive.extend_from_slice(padding(bytes.len()));
    }
    archive.extend_from_slice(&END);
    Ok(archive)
}

/// What follows the last file.
pub const END: [u8; 2 * RECORD] = [0; 2 * RECORD];

/// What follows a file of this size.
pub fn padding(size: usize) -> &'static [u8] {
    &END[..size.next_multiple_of(RECORD) - size]
}

/// What stands before a file.
pub fn header(name: &str, size: usize) -> Result<[u8; RECORD], TarError> {
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

/// The headers of an archive that [`write()`] made, one after the other; anything else is refused
/// before the bytes of its file are looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    at: usize,
    last: Option<String>,
}

impl Walk {
    /// Where the next header stands.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Name and size of the file behind this header; none at the end of the archive.
    pub fn entry(&mut self, head: &[u8; RECORD]) -> Result<Option<(String, usize)>, TarError> {
        if head.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let damaged = TarError::Damaged { at: self.at };
        let (name, size) = entry(head).ok_or_else(|| damaged.clone())?;
        if head[156] != b'0' {
            return Err(TarError::NotAFile { name });
        }
        // One archive for one set of files: the header must be the one we would write.
        if header(&name, size)? != *head {
            return Err(damaged);
        }
        if self.last.as_ref().is_some_and(|last| *last >= name) {
            return Err(TarError::Order(name));
        }
        let body = self.at + RECORD;
        let next = body
            .checked_add(size)
            .and_then(|end| end.checked_next_multiple_of(RECORD));
        self.at = next.ok_or(damaged)?;
        self.last = Some(name.clone());
        Ok(Some((name, size)))
    }
}

/// The files of an archive that [`write()`] made; anything else is refused.
pub fn read(archive: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, TarError> {
    let mut files = BTreeMap::new();
    let mut walk = Walk::default();
    loop {
        let at = walk.at();
        let damaged = |at| TarError::Damaged { at };
        let head = archive.get(at..).and_then(|rest| rest.first_chunk());
        let Some((name, size)) = walk.entry(head.ok_or(damaged(at))?)? else {
            let is_end = archive[at..] == END;
            return is_end.then_some(files).ok_or(damaged(at));
        };
        let body = at + RECORD;
        let record = archive.get(body..walk.at()).ok_or(damaged(at))?;
        let (own, rest) = record.split_at(size);
        if rest != padding(size) {
            return Err(damaged(body + size));
        }
        files.insert(name, own.to_vec());
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
mod tests;
