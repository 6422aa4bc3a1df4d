//! Bytes that are stored in a file without a name, and read again piece by piece.
//!
//! For data that a long-running program must not hold in memory. The system removes the file when
//! its last reader is dropped, also when the program is killed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file without a name that several threads may add to.
#[derive(Debug)]
pub struct Spool {
    file: Arc<File>,
    end: AtomicU64,
}

/// A part of such a file; it keeps the file alive.
#[derive(Debug, Clone)]
pub struct Slice {
    file: Arc<File>,
    start: u64,
    length: u64,
}

impl Spool {
    /// An empty spool in the system's folder for temporary files.
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            file: Arc::new(tempfile::tempfile()?),
            end: AtomicU64::new(0),
        })
    }

    /// Adds bytes.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Slice> {
        let length = bytes.len() as u64;
        let start = self.end.fetch_add(length, Ordering::Relaxed);
        self.file.write_all_at(bytes, start)?;
        Ok(Slice {
            file: Arc::clone(&self.file),
            start,
            length,
        })
    }

    /// All of it, once it is written.
    pub fn whole(self) -> Slice {
        Slice {
            length: self.end.into_inner(),
            file: self.file,
            start: 0,
        }
    }
}

impl Write for Spool {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Slice {
    /// A whole open file of this length.
    pub fn of(file: File, length: u64) -> Self {
        Self {
            file: Arc::new(file),
            start: 0,
            length,
        }
    }

    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// At most `most` bytes from `from` on; fewer only at its end.
    pub fn read(&self, from: u64, most: usize) -> io::Result<Vec<u8>> {
        let left = self.length.saturating_sub(from);
        let count = usize::try_from(left).unwrap_or(most).min(most);
        let mut bytes = vec![0; count];
        self.file.read_exact_at(&mut bytes, self.start + from)?;
        Ok(bytes)
    }

    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        self.read(0, usize::try_from(self.length).map_err(io::Error::other)?)
    }

    /// Its bytes from the first to the last.
    pub fn reader(&self) -> impl Read {
        Reader {
            slice: self.clone(),
            at: 0,
        }
    }
}

struct Reader {
    slice: Slice,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.slice.length - self.at;
        let count = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        let slice = &self.slice;
        let taken = slice
            .file
            .read_at(&mut buffer[..count], slice.start + self.at)?;
        self.at += taken as u64;
        Ok(taken)
    }
}

#[cfg(test)]
mod tests;
