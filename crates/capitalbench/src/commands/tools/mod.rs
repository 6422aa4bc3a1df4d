//! Verbs around the program itself.

pub(super) mod completions;
pub(super) mod demo;
pub(super) mod man;
