//! Finds the earlier bytes of a file among the files of today.

use capitalbench_proof::event::Sealed;

use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::results::corrections::RESULT_FILES;
use crate::round::round_folder::{RoundFolder, names_in};

/// Whether a board can be computed without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Needed,
    /// It can, but something beside the board is missing then.
    Wanted,
    /// No board reads it.
    Not,
}

/// Whether a path could leave its folder.
pub(super) fn is_odd(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// Whether a board needs a file, by its path inside the round.
pub(super) fn need(path: &str) -> Need {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        _ if is_odd(path) => Need::Not,
        ["prices", _] if [layout::INTERIM_PRICES, layout::UNPROVED_ACCEPTANCE].contains(&path) => {
            Need::Wanted
        }
        // Private, and no board follows from it.
        _ if path == layout::SOURCE_HISTORIES => Need::Not,
        [layout::ROUND_SUMMARY] => Need::Not,
        _ if path.starts_with(layout::LISTING_CHANGES) => Need::Needed,
        [_] | ["market_data", ..] | ["prices", _] => Need::Needed,
        ["runs", _, inside @ ..] => {
            let inside = inside.join("/");
            let below = |folder: &str| inside.starts_with(&format!("{folder}/"));
            let own = [
                run::MANIFEST,
                run::ACCEPTANCE,
                run::SLOTS,
                run::SUMMARY,
                run::RUN_LOG,
            ];
            let own = own.contains(&&*inside) || RESULT_FILES.contains(&&*inside);
            // Headers name an account and are never published; the submissions are derived from
            // the other files of an attempt.
            let attempt = below(run::ATTEMPTS) && !inside.ends_with(".head.json");
            let mut folders = [run::CONTROLS, run::RAW, run::PARSED].into_iter();
            if own || attempt || folders.any(below) {
                Need::Needed
            } else if inside == run::CORRECTIONS {
                Need::Wanted
            } else {
                Need::Not
            }
        }
        _ => Need::Not,
    }
}

/// The result of looking for the bytes of a file.
pub(super) enum Opened {
    Found(Vec<u8>),
    /// The file is not here, and its salt is not published: it is not public.
    Withheld,
    /// No file has these bytes.
    Lost,
}

/// The earlier bytes of a file, wherever they are today.
///
/// Without a salt they cannot be compared; then the file counts only if by the log it has not changed
/// since.
pub(super) fn open(
    round: &RoundFolder,
    path: &str,
    sealed: &Sealed,
    salt: Option<[u8; 32]>,
    unchanged: bool,
) -> Result<Opened, FileError> {
    let present = round.read_optional(path)?;
    let Some(salt) = salt else {
        return Ok(match present {
            Some(bytes) if unchanged => Opened::Found(bytes),
            None if unchanged => Opened::Withheld,
            _ => Opened::Lost,
        });
    };
    let opens = |bytes: &[u8]| sealed.opens(&salt, bytes);
    if let Some(bytes) = &present {
        // A journal only grows, so its earlier bytes are its beginning.
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let ends = ends.map(|(place, _)| place + 1);
        let journal = path.ends_with(run::CORRECTIONS);
        let beginnings = ends.filter(|_| journal).chain([bytes.len()]);
        if let Some(end) = sealed.opens_beginning(&salt, bytes, beginnings) {
            return Ok(Opened::Found(bytes[..end].to_vec()));
        }
    }
    let Some((place, name)) = replaced(path) else {
        return Ok(Opened::Lost);
    };
    for number in names_in(&round.file(&place))? {
        let kept = round.read_optional(&format!("{place}/{number}/{name}"))?;
        if let Some(bytes) = kept.filter(|bytes| opens(bytes)) {
            return Ok(Opened::Found(bytes));
        }
    }
    Ok(Opened::Lost)
}

/// The folder, and the name in its numbered folders, under which an older form of a file is kept.
fn replaced(path: &str) -> Option<(String, &str)> {
    let (folder, name) = path.rsplit_once('/')?;
    if folder == layout::PRICES {
        return Some((layout::REPLACED_PRICES.to_owned(), name));
    }
    let run = folder.strip_suffix(run::RESULTS)?;
    Some((format!("{run}{}", run::SUPERSEDED), name))
}

#[cfg(test)]
mod tests;
