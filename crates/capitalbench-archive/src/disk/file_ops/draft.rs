//! Files too large for memory: written piece by piece, and named when all of them are complete.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::{Action, NewFolders, WriteError, flush_open, folder_of, take_names, temporary_file};

/// A file without a name yet; dropping it removes it.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

/// Files that get their names together, or not at all.
#[derive(Debug, Default)]
pub struct Drafts {
    whole: Vec<(PathBuf, NamedTempFile)>,
    folders: NewFolders,
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drafts {
    /// Begins a file that will lie at `path`.
    pub fn begin(&mut self, path: &Path) -> Result<Draft, WriteError> {
        self.folders.create(folder_of(path))?;
        let file = temporary_file(path, 0o666).map_err(|error| failed(path, error))?;
        Ok(Draft {
            path: path.to_owned(),
            file: BufWriter::with_capacity(1 << 18, file),
        })
    }

    /// Takes a complete file, and returns its size.
    pub fn end(&mut self, draft: Draft) -> Result<u64, WriteError> {
        let Draft { path, file } = draft;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        let file = file.and_then(|file| {
            flush_open(file.as_file())?;
            Ok((file.as_file().metadata()?.len(), file))
        });
        let (size, file) = file.map_err(|error| failed(&path, error))?;
        self.whole.push((path, file));
        Ok(size)
    }

    /// The error of a failed write to a draft.
    pub fn failed(path: &Path, error: io::Error) -> WriteError {
        failed(path, error)
    }

    /// Opens a complete file for reading; an unfinished one is not found.
    pub fn read(&self, path: &Path) -> io::Result<BufReader<File>> {
        let found = self.whole.iter().find(|(own, _)| own == path);
        let (_, file) = found.ok_or(io::ErrorKind::NotFound)?;
        Ok(BufReader::with_capacity(1 << 18, file.reopen()?))
    }

    /// Gives every file its name, replacing files that differ, and counts those.
    pub fn finish(mut self) -> Result<usize, WriteError> {
        self.whole.retain(|(path, file)| !is_there(path, file));
        let count = self.whole.len();
        take_names(self.whole, self.folders)?;
        Ok(count)
    }
}

fn failed(path: &Path, error: io::Error) -> WriteError {
    WriteError::new(Action::Replace, path, error.into())
}

/// Whether a file with the same bytes has the name already.
fn is_there(path: &Path, file: &NamedTempFile) -> bool {
    let size = |found: io::Result<fs::Metadata>| found.ok().map(|found| found.len());
    if size(fs::symlink_metadata(path)) != size(file.as_file().metadata()) {
        return false;
    }
    let opened = File::open(path).and_then(|there| Ok((there, file.reopen()?)));
    let Ok((there, ours)) = opened else {
        return false;
    };
    let (mut there, mut ours) = (BufReader::new(there), BufReader::new(ours));
    loop {
        let (Ok(one), Ok(other)) = (there.fill_buf(), ours.fill_buf()) else {
            return false;
        };
        let length = one.len().min(other.len());
        if one[..length] != other[..length] {
            return false;
        }
        if length == 0 {
            return one.len() == other.len();
        }
        there.consume(length);
        ours.consume(length);
    }
}
