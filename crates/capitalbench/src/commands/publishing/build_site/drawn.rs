//! The images of an earlier build, which lie in the output: one is drawn again where its content changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use capitalbench_archive::disk::file_ops;
use capitalbench_core::values::ids::Digest;
use capitalbench_site::Album;

use super::kept::{KeptImage, KeptImages};

/// Images of a site under way.
#[derive(Debug)]
pub(super) struct Drawn {
    before: KeptImages,
    /// Where the images of the earlier build lie.
    folder: PathBuf,
    now: Mutex<KeptImages>,
    new: AtomicUsize,
}

impl Drawn {
    pub(super) fn after(before: KeptImages, folder: &Path) -> Self {
        Self {
            before,
            folder: folder.to_owned(),
            now: Mutex::default(),
            new: AtomicUsize::new(0),
        }
    }

    /// Images that no earlier build had.
    pub(super) fn count(&self) -> usize {
        self.new.load(Ordering::Relaxed)
    }

    fn found(&self, path: &str, content: Digest) -> Option<Bytes> {
        let before = self.before.get(path);
        let before = before.filter(|before| before.content == content)?;
        let image = file_ops::read(&self.folder.join(path)).ok()?;
        (Digest::of(&image) == before.bytes).then(|| image.into())
    }

    /// The images among some paths; rounds that were taken over bring theirs along.
    pub(super) fn finish(&self, paths: &BTreeSet<String>) -> KeptImages {
        let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.before.clone();
        all.extend(now.iter().map(|(path, image)| (path.clone(), *image)));
        all.retain(|path, _| paths.contains(path));
        all
    }
}

impl Album for Drawn {
    fn earlier(&self, path: &str, content: Digest) -> Option<Bytes> {
        let found = self.found(path, content);
        self.new
            .fetch_add(usize::from(found.is_none()), Ordering::Relaxed);
        found
    }

    fn keep(&self, path: &str, content: Digest, image: &Bytes) {
        let bytes = Digest::of(image);
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.insert(path.to_owned(), KeptImage { content, bytes });
    }
}
