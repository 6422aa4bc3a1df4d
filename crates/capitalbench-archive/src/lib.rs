//! Round folders on disk: read, check, freeze, score and verify.

pub mod file_ops;
pub mod format;
pub mod yaml;
