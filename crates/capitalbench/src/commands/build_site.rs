//! `build-site`: the website as a folder for any host.

use std::path::{Path, PathBuf};

use capitalbench_archive::file_ops::{self, scratch::ScratchFolder};
use capitalbench_archive::public_files::files_below;
use capitalbench_site::Files;
use rayon::prelude::*;
use serde_json::json;

use super::Outcome;
use super::origin::Origin;
use super::site::site;
use crate::cli::{BuildSite, RecordSource};
use crate::console::{document, line, plural};
use crate::error::CommandError;
use crate::steps::promise::require_orders;

/// The file that says that a folder is a site and what it holds.
const LIST: &str = "site-files.txt";

pub(crate) fn run(arguments: &BuildSite) -> Result<Outcome, CommandError> {
    let record = Origin::open(arguments.source, &arguments.rounds)?.load(None)?;
    if matches!(arguments.source, RecordSource::Folder) {
        require_orders(&arguments.rounds.folder, &record.publication)?;
    }
    let mut files = site(&record.publication, &record.files, &arguments.base_url);
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let list = names.join("\n") + "\n";
    files.insert(LIST.to_owned(), list.into_bytes());
    file_ops::stop_flushing();
    let (written, removed) = store(&arguments.output, &files)?;
    let bytes: usize = files.values().map(Vec::len).sum();
    if arguments.printed.json {
        document(&json!({
            "files": files.len(),
            "bytes": bytes,
            "written": written,
            "removed": removed,
        }));
    } else {
        line(format!(
            "{}, {bytes} bytes, in {}: {written} written, {removed} removed",
            plural(files.len(), "file"),
            arguments.output.display()
        ));
    }
    Ok(Outcome::Holds)
}

/// Writes what differs and removes what an earlier build left; a foreign folder is left alone.
fn store(folder: &Path, files: &Files) -> Result<(usize, usize), CommandError> {
    let before = files_below(folder);
    if !before.is_empty() && !folder.join(LIST).is_file() {
        let text = format!("{} is not empty and is no site", folder.display());
        return Err(CommandError::new(text).hint("name another folder with --output"));
    }
    if before.is_empty() {
        fresh(folder, files)?;
        return Ok((files.len(), 0));
    }
    let changed: Vec<(PathBuf, Vec<u8>)> = files
        .iter()
        .filter(|(path, bytes)| {
            let there = file_ops::read(&folder.join(path));
            there.ok().as_ref() != Some(bytes)
        })
        .map(|(path, bytes)| (folder.join(path), bytes.clone()))
        .collect();
    file_ops::replace_all(&changed)?;
    let mut removed = 0;
    for path in before.iter().filter(|path| !files.contains_key(*path)) {
        file_ops::remove(&folder.join(path))?;
        removed += 1;
    }
    Ok((changed.len(), removed))
}

/// Writes a site where there was none: the whole folder takes its name at once.
fn fresh(folder: &Path, files: &Files) -> Result<(), CommandError> {
    let named = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let (Some(parent), Some(name)) = (named.parent(), named.file_name()) else {
        let text = format!("{} cannot be a new folder", folder.display());
        return Err(CommandError::new(text).hint("name another folder with --output"));
    };
    file_ops::create_folder(parent)?;
    let draft = ScratchFolder::begin(parent, &name.to_string_lossy())?;
    files
        .par_iter()
        .try_for_each(|(path, bytes)| draft.write(path, bytes))?;
    draft.finish()?;
    Ok(())
}
