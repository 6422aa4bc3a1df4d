//! The text of the archive: numbers, JSON and CSV, and one file per stored format.
//!
//! Files are hashed as raw bytes, so each of these writers has exactly one answer for one value.

pub mod figures;
pub mod prices;
pub mod round;
pub mod run;
pub mod text;

use crate::disk::error::Fault;

/// Bytes as text, or the line of the first byte that is none.
pub fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count() as u64;
        Fault::new("is not UTF-8 text").on_line(line)
    })
}
