//! `.capitalbench` beside the rounds: keys, locks, and what can be made again.
//!
//! None of it belongs into a repository, least of all a private key, so creating the
//! folder also writes the file that keeps it out.

use std::path::Path;

use crate::disk::file_ops::{self, WriteError};
use crate::disk::layout;

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
mod tests;
