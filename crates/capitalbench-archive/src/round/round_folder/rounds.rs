//! The rounds in a folder are found here; where it holds none, the error says what may have been
//! meant, because a path is easily mistyped.

use std::path::Path;

use capitalbench_core::values::similar::closest;

use super::{RoundFolder, names_in};
use crate::disk::error::FileError;
use crate::run::replay_folder::refuse_replay;

/// Every round in a folder, in order of name; other entries are ignored. A round that is a link or
/// has no readable manifest is an error, because leaving it out would hide it.
pub fn list_rounds(folder: &Path) -> Result<Vec<RoundFolder>, FileError> {
    let rounds = found_rounds(folder)?;
    rounds.iter().try_for_each(RoundFolder::require_plain)?;
    Ok(rounds)
}

/// The same with unusable rounds, which the caller must report.
pub(crate) fn found_rounds(folder: &Path) -> Result<Vec<RoundFolder>, FileError> {
    if !folder.is_dir() {
        return Err(FileError::folder(folder, missing_round(folder)));
    }
    let names = names_in(folder)?;
    refuse_replay(folder)?;
    for name in &names {
        refuse_replay(&folder.join(name))?;
    }
    // A hidden folder may be an unfinished round of a killed command.
    let rounds: Vec<RoundFolder> = names
        .iter()
        .filter(|name| !name.starts_with('.'))
        .map(|name| folder.join(name))
        .filter(|path| RoundFolder::is_round(path))
        .map(RoundFolder::at)
        .collect();
    if rounds.is_empty() {
        let inner = folder.join("rounds");
        let text = if inner.is_dir() {
            format!("holds no round; did you mean {}?", inner.display())
        } else {
            "holds no round: no folder in it has a manifest.yaml".to_owned()
        };
        return Err(FileError::folder(folder, text));
    }
    Ok(rounds)
}

pub(super) fn missing_round(path: &Path) -> String {
    if path.exists() {
        return "is not a folder; a round is a folder with a manifest.yaml".to_owned();
    }
    let beside = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Some(Path::new(".")),
        parent => parent,
    };
    let siblings = beside
        .map(names_in)
        .and_then(Result::ok)
        .unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match closest(&name, siblings.iter().map(String::as_str)) {
        Some(near) => format!("there is no such folder; did you mean {near}?"),
        None => "there is no such folder".to_owned(),
    }
}
