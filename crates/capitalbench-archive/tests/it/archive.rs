//! Where the public archive lies, and its files.

use std::fs;
use std::path::{Path, PathBuf};

/// The archive named by `CAPITALBENCH_ARCHIVE`, or the one beside the workspace.
///
/// `None` means that the calling test is to return early; why is printed here. Continuous
/// integration must have the archive, so there its absence is a failure.
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test has no configuration to ask and nobody else to tell"
)]
pub(crate) fn archive_root() -> Option<PathBuf> {
    if let Ok(named) = std::env::var("CAPITALBENCH_ARCHIVE") {
        let named = PathBuf::from(named);
        assert!(
            named.is_dir(),
            "CAPITALBENCH_ARCHIVE names no folder: {}",
            named.display()
        );
        return Some(named);
    }
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/archive");
    if beside.is_dir() {
        return Some(beside);
    }
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "the archive is missing; set CAPITALBENCH_ARCHIVE to its folder"
    );
    eprintln!("skipped: no archive; set CAPITALBENCH_ARCHIVE to its folder");
    None
}

/// All files below `folder` with this extension, in a fixed order.
pub(crate) fn files_with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("an archive folder is readable") {
            let path = entry.expect("an archive entry is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The path of a file as messages and lists name it.
pub(crate) fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
