//! The text of the archive: numbers, JSON and CSV, and one file per stored format.
//!
//! Files are hashed as raw bytes, so each writer has exactly one text for one value.

pub mod figures;
pub mod league;
pub mod prices;
pub mod round;
pub mod run;
pub mod stored;
pub mod text;

use crate::disk::error::Fault;
use text::table::Table;

/// The place of a column that a table must have.
fn column(table: &Table<'_>, name: &str) -> Result<usize, Fault> {
    let missing = || Fault::field(name, "missing column").on_line(1);
    table.column(name).ok_or_else(missing)
}

/// The number in a cell; none where it is blank.
fn optional_number(name: &str, text: &str, line: u64) -> Result<Option<f64>, Fault> {
    if text.is_empty() {
        return Ok(None);
    }
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    let wrong = || Fault::field(name, format!("{text:?} is not a number")).on_line(line);
    value.map(Some).ok_or_else(wrong)
}

/// The bytes as text; otherwise the line of the first byte that is not UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count() as u64;
        Fault::new("is not UTF-8 text").on_line(line)
    })
}
