//! The archive's JSON: one way to write a value, and a strict way to read one.
//!
//! Written text is pure ASCII with sorted keys, so that equal values are equal bytes and hash alike.
//! [`to_pretty`] is the form of every `.json` file but for a schema whose order counts
//! ([`to_pretty_in_order`]), [`to_line`] that of a log line. [`parse`] refuses
//! what other readers accept silently: repeated keys, `NaN` and bytes that are not UTF-8. [`read()`]
//! and [`render`] do the same for a type that derives its stored form.

mod read;
mod write;

pub(in crate::format) use read::read_checked;
pub use read::{JsonError, parse, read};
pub use write::{render, to_line, to_pretty, to_pretty_in_order};
