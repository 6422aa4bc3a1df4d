//! Records which files a computation read, because its result depends on them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

thread_local! {
    static READS: RefCell<Option<Vec<PathBuf>>> = const { RefCell::new(None) };
}

/// Runs `work` on this thread and lists the files it read with [`super::read`], each once.
pub(crate) fn recorded<T>(work: impl FnOnce() -> T) -> (T, Vec<PathBuf>) {
    let outer = READS.replace(Some(Vec::new()));
    let result = work();
    let mut read = READS.replace(outer).unwrap_or_default();
    read.sort_unstable();
    read.dedup();
    (result, read)
}

pub(super) fn note(path: &Path) {
    READS.with_borrow_mut(|reads| {
        if let Some(reads) = reads {
            reads.push(path.to_owned());
        }
    });
}
