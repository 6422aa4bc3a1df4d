//! `.capitalbench` beside the rounds: keys, locks, and what can be made again.
//!
//! None of it is for a repository, and a private key must never get into one. Whoever makes the
//! folder also makes the file that keeps it out.

use std::path::Path;

use crate::file_ops::{self, WriteError};
use crate::layout;

/// Creates a state folder; in `.capitalbench` everything is kept out of repositories.
pub fn create(state: &Path) -> Result<(), WriteError> {
    file_ops::create_folder(state)?;
    let ignore = state.join(".gitignore");
    if state.ends_with(layout::STATE) && !ignore.exists() {
        file_ops::replace(&ignore, b"*\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_folder_is_kept_out_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        for (name, kept_out) in [(layout::STATE, true), ("elsewhere", false)] {
            let state = folder.path().join(name);
            create(&state).unwrap();
            create(&state).unwrap();
            assert_eq!(state.join(".gitignore").exists(), kept_out, "{name}");
        }
    }
}
