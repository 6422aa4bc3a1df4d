//! Round folders on disk: read, check, freeze, score and verify.

pub mod format;
pub mod yaml;
