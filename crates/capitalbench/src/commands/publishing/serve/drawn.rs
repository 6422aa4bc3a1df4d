//! The images of the site that was served before: one is drawn again where its content changed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use capitalbench_core::values::ids::Digest;
use capitalbench_site::Album;

use super::stock::{Kept, Place, Stock};

/// Images of a site under way.
pub(super) struct Drawn<'a> {
    before: Option<&'a Stock>,
    now: Mutex<BTreeMap<String, Digest>>,
}

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drawn").finish_non_exhaustive()
    }
}

impl<'a> Drawn<'a> {
    pub(super) fn after(before: Option<&'a Stock>) -> Self {
        let now = Mutex::default();
        Self { before, now }
    }

    /// What the images among some pages show; pages that were taken over bring theirs along.
    pub(super) fn finish(self, pages: &BTreeMap<Arc<str>, Kept>) -> BTreeMap<String, Digest> {
        let now = self.now.into_inner();
        let mut now = now.unwrap_or_else(PoisonError::into_inner);
        let before = self.before.into_iter().flat_map(|stock| &stock.images);
        for (path, content) in before.filter(|(path, _)| pages.contains_key(path.as_str())) {
            now.entry(path.clone()).or_insert(*content);
        }
        now
    }
}

impl Album for Drawn<'_> {
    fn earlier(&self, path: &str, content: Digest) -> Option<Bytes> {
        let before = self.before?;
        if *before.images.get(path)? != content {
            return None;
        }
        match &before.pages.get(path)?.place {
            Place::Spooled(slice) => Some(slice.bytes().ok()?.into()),
            Place::Folder(_) => None,
        }
    }

    fn keep(&self, path: &str, content: Digest, _image: &Bytes) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.insert(path.to_owned(), content);
    }
}
