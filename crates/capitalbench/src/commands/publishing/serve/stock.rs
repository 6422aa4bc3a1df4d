//! The site that is served: where each file lies, and the publication it was made from.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use capitalbench_archive::disk::file_ops::spool::Slice;
use capitalbench_archive::public::public_files::{FileMark, open_unchanged};
use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_site::machine::Told;
use capitalbench_site::machine::api::Api;

/// One file of the site.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) digest: Digest,
    pub(super) length: u64,
    pub(super) place: Place,
}

/// Where its bytes lie.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// In a file of our own that has no name.
    Spooled(Slice),
    /// In the folder of its round, where somebody may change it.
    Folder(FileMark),
}

impl Kept {
    /// A file of our own making.
    pub(super) fn spooled(digest: Digest, slice: Slice) -> Self {
        Self {
            digest,
            length: slice.length(),
            place: Place::Spooled(slice),
        }
    }

    /// Whether this is the same file in the same folder.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        let same = match (&self.place, &other.place) {
            (Place::Folder(mark), Place::Folder(other)) => mark == other,
            _ => false,
        };
        same && self.digest == other.digest
    }
}

/// What was rendered of a round alone.
pub(super) struct Family {
    /// Digest of what it follows from.
    pub(super) inputs: Digest,
    pub(super) pages: Vec<(Arc<str>, Kept)>,
    pub(super) told: Told,
}

/// The public files of a round, in order of path.
pub(super) type Own = Vec<(Box<str>, Kept)>;

/// All files, and what they were made from.
pub(super) struct Stock {
    /// Everything that was rendered, by path without a leading slash.
    pub(super) pages: BTreeMap<Arc<str>, Kept>,
    /// The files of rounds by the id of their round.
    pub(super) own: BTreeMap<String, Arc<Own>>,
    /// The folder of rounds, where files are read from one.
    pub(super) folder: Option<PathBuf>,
    /// What a later site may take over.
    pub(super) families: BTreeMap<RoundId, Arc<Family>>,
    /// Rounds whose pages were taken over from the site before.
    pub(super) reused: usize,
    /// How many files without a name hold what was rendered of rounds.
    pub(super) spools: usize,
    /// What each image shows, as a digest, by path.
    pub(super) images: BTreeMap<String, Digest>,
    pub(super) api: Api,
}

/// A file that was asked for.
#[derive(Debug)]
pub(super) struct Found {
    /// Its path in the site.
    pub(super) path: String,
    pub(super) kept: Kept,
    /// Its place in the folder of rounds.
    file: Option<PathBuf>,
}

impl Found {
    /// Its bytes, unless they lie in a folder and are others by now.
    pub(super) fn open(&self) -> Option<Slice> {
        match &self.kept.place {
            Place::Spooled(slice) => Some(slice.clone()),
            Place::Folder(mark) => open_unchanged(self.file.as_deref()?, *mark)
                .filter(|slice| slice.length() == self.kept.length),
        }
    }

    /// Whether somebody else may change it.
    pub(super) fn is_foreign(&self) -> bool {
        matches!(self.kept.place, Place::Folder(_))
    }
}

impl Stock {
    /// What the site was made from.
    pub(super) fn publication(&self) -> &Publication {
        self.api.publication()
    }

    /// The file of a path as asked for: a folder means its index.
    pub(super) fn find(&self, path: &str) -> Option<Found> {
        let path = path.strip_prefix('/')?;
        let path = if path.is_empty() || path.ends_with('/') {
            format!("{path}index.html")
        } else {
            path.to_owned()
        };
        let (kept, file) = match self.pages.get(path.as_str()) {
            Some(page) => (page.clone(), None),
            None => self.find_own(&path)?,
        };
        Some(Found { path, kept, file })
    }

    /// A file of a round.
    fn find_own(&self, path: &str) -> Option<(Kept, Option<PathBuf>)> {
        let (round, inside) = path.strip_prefix("rounds/")?.split_once("/files/")?;
        let own = self.own.get(round)?;
        let place = own
            .binary_search_by(|(path, _)| (**path).cmp(inside))
            .ok()?;
        let (inside, kept) = &own[place];
        let file = self.folder.as_ref();
        let file = file.map(|folder| folder.join(round).join(&**inside));
        Some((kept.clone(), file))
    }

    /// Whether a path without its slash is a folder with an index.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        let path = path.trim_start_matches('/');
        !path.is_empty()
            && self
                .pages
                .contains_key(format!("{path}/index.html").as_str())
    }

    /// Rounds whose pages were rendered for this site.
    pub(super) fn rendered(&self) -> usize {
        self.families.len() - self.reused
    }

    pub(super) fn count(&self) -> usize {
        self.pages.len() + self.own.values().map(|own| own.len()).sum::<usize>()
    }

    pub(super) fn bytes(&self) -> u64 {
        let own = self.own.values().flat_map(|own| own.iter());
        let own = own.map(|(_, kept)| kept);
        self.pages.values().chain(own).map(|kept| kept.length).sum()
    }
}

#[cfg(test)]
impl Stock {
    /// A site of these pages without rounds.
    pub(super) fn of_pages(pages: &[(&str, Vec<u8>)], publication: Publication) -> Self {
        let spool = capitalbench_archive::disk::file_ops::spool::Spool::new().unwrap();
        let keep = |(path, bytes): &(&str, Vec<u8>)| {
            let slice = spool.put(bytes).unwrap();
            (Arc::from(*path), Kept::spooled(Digest::of(bytes), slice))
        };
        Self {
            pages: pages.iter().map(keep).collect(),
            own: BTreeMap::new(),
            folder: None,
            families: BTreeMap::new(),
            reused: 0,
            spools: 0,
            images: BTreeMap::new(),
            api: Api::new(publication),
        }
    }
}
