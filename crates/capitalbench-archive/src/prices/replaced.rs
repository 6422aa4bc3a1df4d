//! Prices that replace others: where the old ones are kept, and the line that says why.

use std::path::{Path, PathBuf};

use capitalbench_core::values::ids::Digest;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::prices::price_record::final_prices;
use crate::results::corrections::{Correction, CorrectionLine};
use crate::round::round_folder::{RoundFolder, next_number};

/// The file of corrections with one more line, if these prices replace final ones.
pub(super) fn corrected_lines(
    folder: &RoundFolder,
    files: &[(&'static str, String)],
    place: Option<&str>,
    correction: Option<&Correction>,
) -> Result<Option<(PathBuf, Vec<u8>)>, FileError> {
    let replaced = final_prices(folder)?;
    if replaced.is_empty() {
        return Ok(None);
    }
    let Some(correction) = correction else {
        let text = "replacing final prices needs a reason; give --correct REASON";
        return Err(FileError::folder(folder.path(), text));
    };
    // What is private is named by the record of the fetch.
    let new = files
        .iter()
        .filter(|(path, _)| *path != layout::VENDOR_WINDOW)
        .map(|(path, text)| ((*path).to_owned(), Digest::of(text.as_bytes())))
        .collect();
    let file = layout::PRICE_CORRECTIONS;
    let mut lines = folder.read_optional(file)?.unwrap_or_default();
    let place = place.map(str::to_owned);
    let line = CorrectionLine::new(correction, place, &replaced, &new);
    lines.extend(line.text().into_bytes());
    Ok(Some((folder.file(file), lines)))
}

/// The present files, with their places under the next free number.
pub(super) fn kept_files(folder: &RoundFolder) -> Result<Vec<(PathBuf, Vec<u8>)>, FileError> {
    let place = folder.file(layout::REPLACED_PRICES);
    let place = place.join(next_number(&place)?);
    let mut kept = Vec::new();
    let files = layout::FETCHED
        .into_iter()
        .chain([layout::PROVENANCE, layout::CROSS_CHECK_ACCEPTANCE])
        .chain([layout::UNPROVED_ACCEPTANCE, layout::VENDOR_WINDOW]);
    for file in files {
        if let Some(bytes) = folder.read_optional(file)? {
            kept.push((place.join(name_in_prices(file)), bytes));
        }
    }
    Ok(kept)
}

/// The name of a file of prices inside the folder of the prices.
fn name_in_prices(file: &str) -> &Path {
    let path = Path::new(file);
    path.strip_prefix(layout::PRICES).unwrap_or(path)
}
