//! `build-site`: the website as a folder for any host.

use std::path::{Path, PathBuf};

use capitalbench_archive::file_ops;
use capitalbench_archive::public_files::files_below;
use capitalbench_site::Files;
use serde_json::json;

use super::Outcome;
use super::published::load;
use super::site::site;
use crate::cli::BuildSite;
use crate::console::{document, line, plural};
use crate::error::CommandError;
use crate::steps::promise::require_orders;

/// The file that says that a folder is a site and what it holds.
const LIST: &str = "site-files.txt";

pub(crate) fn run(arguments: &BuildSite) -> Result<Outcome, CommandError> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let mut files = site(&arguments.rounds.folder, &publication, &arguments.base_url)?;
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
