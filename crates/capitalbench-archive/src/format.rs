//! The text of the archive: numbers, JSON and CSV, and one file per stored format.
//!
//! Files are hashed as raw bytes, so each of these writers has exactly one answer for one value.

use crate::error::Fault;

pub mod acceptance;
pub mod benchmark_sets;
pub mod cross_check;
pub mod hashes;
pub mod interim;
pub mod job;
pub mod json;
pub mod manifest;
pub(crate) mod member;
pub mod models;
pub mod new_manifest;
pub mod new_run_manifest;
pub mod number;
pub mod options;
pub mod outcomes;
pub mod price_sheet;
pub mod price_window;
pub mod pricing;
pub mod provenance;
pub mod research;
pub mod results;
pub mod run_log;
pub mod run_manifest;
pub mod scalar;
pub mod slate;
pub mod source_exception;
pub mod submission;
pub mod table;
pub mod trailing;
pub mod universe_report;

/// Bytes as text, or the line of the first byte that is none.
pub fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count() as u64;
        Fault::new("is not UTF-8 text").on_line(line)
    })
}
