//! Where the archive of past rounds stands on this machine, for the tests that read it.
#![expect(
    clippy::print_stderr,
    reason = "a test that finds no archive says that it was skipped"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The archive's folder; none, with a printed reason, when it is not on this machine.
pub(crate) fn root() -> Option<PathBuf> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/archive");
    let root = std::env::var("CAPITALBENCH_ARCHIVE").unwrap_or_else(|_| default.to_owned());
    let root = PathBuf::from(root);
    if root.join("rounds").is_dir() {
        return Some(root);
    }
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!ci, "CI needs the archive: set CAPITALBENCH_ARCHIVE");
    eprintln!("skipped: no archive; set CAPITALBENCH_ARCHIVE to its folder");
    None
}

/// Every file in a folder and the folders inside it, in the order of their paths.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}
