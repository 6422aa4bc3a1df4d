//! The text of the archive: numbers, JSON and CSV, printed as every stored file has them.
//!
//! Files are hashed as raw bytes, so each of these writers has exactly one answer for one value.

pub mod json;
pub mod number;
pub mod table;
