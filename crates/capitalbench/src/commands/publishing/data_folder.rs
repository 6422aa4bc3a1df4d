//! Data files on their way into a folder: never held whole, named when all of them are there.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops::{Draft, Drafts};
use capitalbench_core::publication::Publication;
use capitalbench_export::catalogue::Publisher;
use capitalbench_export::{Measure, Shelf, export, hub, spreadsheets};
use capitalbench_site::machine::{DATA_ARCHIVE, pack};

use crate::error::Error;

/// The files of an export that wait for their names.
pub(crate) struct DataFolder {
    folder: PathBuf,
    drafts: Drafts,
    /// Their sizes by name.
    pub(crate) sizes: BTreeMap<String, u64>,
}

impl DataFolder {
    /// Writes an export beside its place in a folder.
    pub(crate) fn write(
        folder: &Path,
        publication: &Publication,
        publisher: &Publisher<'_>,
        tick: &dyn Fn(),
    ) -> Result<Self, Error> {
        let mut found = Self {
            folder: folder.to_owned(),
            drafts: Drafts::default(),
            sizes: BTreeMap::new(),
        };
        found.sizes = export(publication, publisher, &mut found, tick)?;
        Ok(found)
    }

    /// Adds the same tables for people with a spreadsheet.
    pub(crate) fn add_spreadsheets(&mut self, publication: &Publication) -> Result<(), Error> {
        let sizes = spreadsheets(publication, self)?;
        self.sizes.extend(sizes);
        Ok(())
    }

    /// Adds what the folder needs to be pushed to a hub.
    pub(crate) fn add_hub(
        &mut self,
        publication: &Publication,
        publisher: &Publisher<'_>,
    ) -> Result<(), Error> {
        let sizes = hub(publication, publisher, self)?;
        self.sizes.extend(sizes);
        Ok(())
    }

    /// Adds one file with all of them, and gives its size.
    pub(crate) fn add_archive(&mut self) -> Result<u64, Error> {
        let path = self.folder.join(DATA_ARCHIVE);
        let draft = self.drafts.begin(&path)?;
        let files = self.sizes.iter().map(|(name, size)| {
            let file = self.drafts.read(&self.folder.join(name))?;
            Ok((name.as_str(), *size, file))
        });
        let packed = pack(files, draft).map_err(|error| Drafts::failed(&path, error))?;
        Ok(self.drafts.end(packed)?)
    }

    /// Gives the files their names and counts those that were not there already.
    pub(crate) fn finish(self) -> Result<usize, Error> {
        Ok(self.drafts.finish()?)
    }
}

impl Shelf for DataFolder {
    type File = Draft;
    type Error = Error;

    fn begin(&mut self, name: &str) -> Result<Draft, Error> {
        Ok(self.drafts.begin(&self.folder.join(name))?)
    }

    fn end(&mut self, _name: &str, file: Draft, _measure: Measure) -> Result<(), Error> {
        self.drafts.end(file)?;
        Ok(())
    }

    fn failed(&self, name: &str, error: io::Error) -> Error {
        Drafts::failed(&self.folder.join(name), error).into()
    }
}
