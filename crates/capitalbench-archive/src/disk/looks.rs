//! What the file system says of files, looked up from a folder that is opened once.
//!
//! The system walks a path part by part at every look. From an open folder it walks only the parts below,
//! so it does not matter how long the path of a checkout is.

use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, statat};

/// A folder that files below it are looked up from.
pub(crate) struct OpenFolder(OwnedFd);

/// What the file system says of one name, without following a link.
pub(crate) struct Look(Stat);

impl OpenFolder {
    /// Opens a folder; none where there is none, or a link in its place.
    pub(crate) fn open(folder: &Path) -> Option<Self> {
        let how = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(CWD, folder, how, Mode::empty()).ok().map(Self)
    }

    /// Looks at a path below; the empty one is the folder itself. None where nothing is there.
    pub(crate) fn look(&self, inside: &str) -> Option<Look> {
        let found = if inside.is_empty() {
            fstat(&self.0)
        } else {
            statat(&self.0, inside, AtFlags::SYMLINK_NOFOLLOW)
        };
        found.ok().map(Look)
    }
}

impl Look {
    /// All that tells one state of a file from another: which file it is, its kind, size and times.
    pub(crate) fn numbers(&self) -> [[u8; 8]; 8] {
        let found = &self.0;
        let numbers: [i128; 8] = [
            found.st_dev.into(),
            found.st_ino.into(),
            found.st_mode.into(),
            found.st_size.into(),
            found.st_mtime.into(),
            found.st_mtime_nsec.into(),
            found.st_ctime.into(),
            found.st_ctime_nsec.into(),
        ];
        // No system tells more than 64 bits of any of them; their types differ between systems.
        numbers.map(|number| {
            let mut low = [0; 8];
            low.copy_from_slice(&number.to_le_bytes()[..8]);
            low
        })
    }

    /// When it last changed, in nanoseconds; nobody but the system can set it.
    pub(crate) fn changed(&self) -> i128 {
        i128::from(self.0.st_ctime) * 1_000_000_000 + i128::from(self.0.st_ctime_nsec)
    }
}
