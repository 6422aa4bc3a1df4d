//! Writing a unit: a mark tells what is being written, until all of it is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Change, Checkout, MARK, holds};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::format::text::json;
use crate::round::round_folder::{names_in, parse_file};
use crate::store::head::Head;
use crate::store::index::{Content, Place};
use crate::store::unit::{Mark, Unit, mark};

/// Digests of what stopped pulls may have written, by path.
pub type Begun = BTreeMap<String, BTreeSet<String>>;

impl Checkout {
    /// What an earlier process may have written into a unit before it was stopped; none where none was.
    pub fn begun_files(&self, unit: &Unit) -> Result<Option<Begun>, FileError> {
        parse_file(&self.file(unit, MARK), json::read)
    }

    /// Writes a generation in place of what the unit holds, which `here` tells. `bytes` gives the content
    /// of a file that is not there yet.
    pub fn write(
        &self,
        unit: &Unit,
        head: (Head, String),
        (content, here): (Content, Change),
        bytes: &dyn Fn(&Place) -> Option<Vec<u8>>,
    ) -> Result<(), FileError> {
        let Change {
            changed,
            kept,
            mut marks,
            ..
        } = here;
        let changed: BTreeMap<String, Vec<u8>> = changed.into_iter().collect();
        let is_there = |path: &String, place: &Place| {
            let is_kept = |own: &Place| own.sha256 == place.sha256 && own.size == place.size;
            kept.files.get(path).is_some_and(is_kept)
                || changed.get(path).is_some_and(|own| holds(own, place))
        };
        let missing = content.files.iter();
        let missing: Vec<(&String, &Place)> = missing
            .filter(|(path, place)| !is_there(path, place))
            .collect();
        let mut begun = self.begun_files(unit)?.unwrap_or_default();
        for (path, place) in &missing {
            let digests = begun.entry((*path).clone()).or_default();
            digests.insert(place.sha256.clone());
        }
        file_ops::replace(&self.file(unit, MARK), json::render(&begun).as_bytes())?;
        for (path, place) in missing {
            let mark = self.write_file(unit, path, bytes(place), place)?;
            marks.insert(path.clone(), mark);
        }
        let gone: Vec<String> = marks
            .keys()
            .filter(|path| !content.files.contains_key(*path))
            .cloned()
            .collect();
        for path in gone {
            let file = self.path(unit, &path)?;
            file_ops::remove(&file)?;
            self.remove_empty(unit, file.parent(), &content)?;
            marks.remove(&path);
        }
        if let Some(folder) = unit.folder(&self.rounds) {
            for path in &content.empty_folders {
                file_ops::create_folder(&self.path(unit, path)?)?;
            }
            file_ops::create_folder(&folder)?;
        }
        self.note(unit, head, content, marks)
    }

    /// Writes one file of a unit, if the bytes are those of its place.
    fn write_file(
        &self,
        unit: &Unit,
        path: &str,
        bytes: Option<Vec<u8>>,
        place: &Place,
    ) -> Result<Mark, FileError> {
        let file = self.path(unit, path)?;
        let fetched = bytes.filter(|bytes| holds(bytes, place));
        let fetched = fetched.ok_or_else(|| {
            let text = format!(
                "the object {} does not hold {path} as its index says",
                place.object
            );
            Fault::new(text).in_file(&file)
        })?;
        if let Some(folder) = file.parent() {
            file_ops::create_folder(folder)?;
        }
        file_ops::replace(&file, &fetched)?;
        mark(&file)
    }

    /// Removes folders that no file is left in.
    fn remove_empty(
        &self,
        unit: &Unit,
        from: Option<&Path>,
        content: &Content,
    ) -> Result<(), FileError> {
        let Some(top) = unit.folder(&self.rounds) else {
            return Ok(());
        };
        let above = from.into_iter().flat_map(Path::ancestors);
        for folder in above.take_while(|folder| folder.starts_with(&top) && *folder != top) {
            let inside = folder
                .strip_prefix(&top)
                .map(|path| path.display().to_string());
            let is_kept = inside.is_ok_and(|path| content.empty_folders.contains(&path));
            if is_kept || !names_in(folder)?.is_empty() {
                break;
            }
            file_ops::remove_empty_folder(folder)?;
        }
        Ok(())
    }
}
