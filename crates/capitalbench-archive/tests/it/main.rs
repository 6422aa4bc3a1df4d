//! Tests of the whole crate, some of them against the public archive.

mod archive;
mod json;
mod table;
mod yaml;
