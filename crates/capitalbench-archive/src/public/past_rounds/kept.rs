//! Where the bytes that a file once had may be today.

use capitalbench_proof::event::Sealed;

use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::results::corrections::RESULT_FILES;
use crate::round::round_folder::{RoundFolder, names_in};

/// Whether a board can be made without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// It cannot.
    Needed,
    /// It can, and something beside it is missing then.
    Wanted,
    /// No board reads it.
    Not,
}

/// Whether a name leads elsewhere than into its folder.
pub(super) fn is_odd(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "" | "." | ".."))
}

/// What a board needs of a file, by its path inside the round.
pub(super) fn need(path: &str) -> Need {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        _ if is_odd(path) => Need::Not,
        ["prices", _] if [layout::INTERIM_PRICES, layout::UNPROVED_ACCEPTANCE].contains(&path) => {
            Need::Wanted
        }
        [layout::ROUND_SUMMARY] => Need::Not,
        [_] | ["market_data", ..] | ["prices", _] => Need::Needed,
        ["runs", _, inside @ ..] => {
            let inside = inside.join("/");
            let below = |folder: &str| inside.starts_with(&format!("{folder}/"));
            let own = [
                run::MANIFEST,
                run::ACCEPTANCE,
                run::SLOTS,
                run::SUMMARY,
                run::LOG,
            ];
            if own.contains(&inside.as_str()) || RESULT_FILES.contains(&inside.as_str()) {
                return Need::Needed;
            }
            // Headers name an account and are told to nobody; whatever else was asked and answered
            // is what the submissions are derived from.
            let attempt = below(run::ATTEMPTS) && !inside.ends_with(".head.json");
            if attempt || below(run::CONTROLS) || below(run::RAW) || below(run::PARSED) {
                return Need::Needed;
            }
            match inside.as_str() {
                run::CORRECTIONS => Need::Wanted,
                _ => Need::Not,
            }
        }
        _ => Need::Not,
    }
}

/// What became of the bytes of a file.
pub(super) enum Opened {
    /// They are these.
    Found(Vec<u8>),
    /// The file is not here, and its salt is not told: readers do not get to see it.
    Withheld,
    /// They are nowhere.
    Lost,
}

/// The bytes that a file had, wherever they are today.
///
/// Without a salt nothing can be compared; then the file is only taken where the log says that it
/// did not change since.
pub(super) fn open(
    round: &RoundFolder,
    path: &str,
    (sealed, salt): (&Sealed, Option<[u8; 32]>),
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
        // A journal only grows: what it was then is its beginning.
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
