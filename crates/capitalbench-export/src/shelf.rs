//! Where files go piece by piece, and their digests on the way.

use std::collections::BTreeMap;
use std::io::{self, Write};

use capitalbench_core::values::ids::{Digest, Digesting};

/// A place for files that are written piece by piece, several at a time.
pub trait Shelf {
    /// A file under way.
    type File: Write;
    /// Why one could not be written.
    type Error;

    /// Begins a file.
    fn begin(&mut self, name: &str) -> Result<Self::File, Self::Error>;

    /// Takes a file that is whole.
    fn end(&mut self, name: &str, file: Self::File) -> Result<(), Self::Error>;

    /// What a failed write means here.
    fn failed(&self, name: &str, error: io::Error) -> Self::Error;
}

impl Shelf for BTreeMap<String, Vec<u8>> {
    type File = Vec<u8>;
    type Error = io::Error;

    fn begin(&mut self, _name: &str) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn end(&mut self, name: &str, file: Vec<u8>) -> io::Result<()> {
        self.insert(name.to_owned(), file);
        Ok(())
    }

    fn failed(&self, _name: &str, error: io::Error) -> io::Error {
        error
    }
}

/// Files on their way to a shelf.
pub(crate) struct Writing<'a, S> {
    shelf: &'a mut S,
    /// Of the files that are whole.
    pub(crate) digests: BTreeMap<String, Digest>,
    /// Of the files that are whole.
    pub(crate) sizes: BTreeMap<String, u64>,
}

/// A file with its name, its size and its digest so far.
pub(crate) struct Measured<F> {
    name: String,
    file: F,
    size: u64,
    digest: Digesting,
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

impl<'a, S: Shelf> Writing<'a, S> {
    pub(crate) fn new(shelf: &'a mut S) -> Self {
        Self {
            shelf,
            digests: BTreeMap::new(),
            sizes: BTreeMap::new(),
        }
    }

    pub(crate) fn begin(&mut self, name: &str) -> Result<Measured<S::File>, S::Error> {
        Ok(Measured {
            name: name.to_owned(),
            file: self.shelf.begin(name)?,
            size: 0,
            digest: Digesting::default(),
        })
    }

    pub(crate) fn put(&self, file: &mut Measured<S::File>, bytes: &[u8]) -> Result<(), S::Error> {
        file.write_all(bytes)
            .map_err(|error| self.shelf.failed(&file.name, error))
    }

    pub(crate) fn failed(&self, name: &str, error: io::Error) -> S::Error {
        self.shelf.failed(name, error)
    }

    pub(crate) fn end(&mut self, file: Measured<S::File>) -> Result<(), S::Error> {
        self.shelf.end(&file.name, file.file)?;
        self.sizes.insert(file.name.clone(), file.size);
        self.digests.insert(file.name, file.digest.finish());
        Ok(())
    }

    /// A file that is small.
    pub(crate) fn whole(&mut self, name: &str, bytes: &[u8]) -> Result<(), S::Error> {
        let mut file = self.begin(name)?;
        self.put(&mut file, bytes)?;
        self.end(file)
    }
}
