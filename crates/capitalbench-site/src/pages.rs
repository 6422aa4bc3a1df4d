//! What people read.

use crate::{Files, Input};

/// Adds the pages.
pub(crate) fn render(input: &Input<'_>, files: &mut Files) {
    let rounds = input.publication.rounds.len();
    let text = format!("<!doctype html><title>CapitalBench</title><p>{rounds} rounds</p>\n");
    files.insert("index.html".to_owned(), text.into_bytes());
}
