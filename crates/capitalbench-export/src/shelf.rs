//! Where files go piece by piece, measured on the way.

use std::collections::BTreeMap;
use std::io::{self, Write};

use capitalbench_core::values::ids::{Digest, Digesting};

/// A place for files that are written piece by piece, several at a time.
pub trait Shelf {
    /// A file under way.
    type File: Write;
    /// Why one could not be written.
    type Error;

    fn begin(&mut self, name: &str) -> Result<Self::File, Self::Error>;

    /// Takes a file that is whole.
    fn end(&mut self, name: &str, file: Self::File, measure: Measure) -> Result<(), Self::Error>;

    /// What a failed write means here.
    fn failed(&self, name: &str, error: io::Error) -> Self::Error;
}

/// What was written to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    pub size: u64,
    pub digest: Digest,
}

/// A file with its name, its size and its digest so far.
#[derive(Debug)]
pub struct Measured<F> {
    name: String,
    file: F,
    size: u64,
    digest: Digesting,
}

impl<F: Write> Measured<F> {
    pub fn new(name: &str, file: F) -> Self {
        Self {
            name: name.to_owned(),
            file,
            size: 0,
            digest: Digesting::default(),
        }
    }

    /// Puts a file that is whole on its shelf.
    pub fn end<S: Shelf<File = F>>(self, to: &mut S) -> Result<(String, Measure), S::Error> {
        let (size, digest) = (self.size, self.digest.finish());
        let measure = Measure { size, digest };
        to.end(&self.name, self.file, measure)?;
        Ok((self.name, measure))
    }
}

impl<F: Write> Write for Measured<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = self.file.write(bytes)?;
        self.digest.add(&bytes[..taken]);
        self.size += taken as u64;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Files on their way to a shelf.
pub(crate) struct Writing<'a, S> {
    shelf: &'a mut S,
    /// Those that are whole.
    pub(crate) done: BTreeMap<String, Measure>,
}

impl<'a, S: Shelf> Writing<'a, S> {
    pub(crate) fn new(shelf: &'a mut S) -> Self {
        Self {
            shelf,
            done: BTreeMap::new(),
        }
    }

    pub(crate) fn begin(&mut self, name: &str) -> Result<Measured<S::File>, S::Error> {
        Ok(Measured::new(name, self.shelf.begin(name)?))
    }

    pub(crate) fn put(&self, file: &mut Measured<S::File>, bytes: &[u8]) -> Result<(), S::Error> {
        let written = file.write_all(bytes);
        written.map_err(|error| self.failed(&file.name, error))
    }

    pub(crate) fn failed(&self, name: &str, error: io::Error) -> S::Error {
        self.shelf.failed(name, error)
    }

    pub(crate) fn end(&mut self, file: Measured<S::File>) -> Result<(), S::Error> {
        self.done.extend([file.end(self.shelf)?]);
        Ok(())
    }

    /// A file that is small.
    pub(crate) fn whole(&mut self, name: &str, bytes: &[u8]) -> Result<(), S::Error> {
        let mut file = self.begin(name)?;
        self.put(&mut file, bytes)?;
        self.end(file)
    }

    pub(crate) fn sizes(self) -> BTreeMap<String, u64> {
        let done = self.done.into_iter();
        done.map(|(name, measure)| (name, measure.size)).collect()
    }
}
