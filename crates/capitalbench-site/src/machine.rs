//! What programs read: the data files of the export and the public files of every round.

use crate::{Files, Input};

/// Adds the data and the files of rounds.
pub(crate) fn render(input: &Input<'_>, files: &mut Files) {
    for (name, bytes) in input.data {
        files.insert(format!("data/{name}"), bytes.clone());
    }
    for (round, own) in input.round_files {
        for (path, bytes) in own {
            files.insert(format!("rounds/{round}/files/{path}"), bytes.clone());
        }
    }
}
