//! The archive's JSON: one way to write a value, and a strict way to read one.
//!
//! Written text is pure ASCII with sorted keys, so that equal values are equal bytes and hash alike.
//! [`to_pretty`] is the form of every `.json` file, [`to_line`] that of a log line. [`parse`] refuses
//! what other readers let through in silence: repeated keys, `NaN` and bytes that are not UTF-8.

mod read;
mod write;

pub use read::{JsonError, parse};
pub use write::{to_line, to_pretty};
