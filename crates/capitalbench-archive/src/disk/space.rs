//! How much room a disk has.

use std::path::Path;

/// The bytes that this user may still write below a folder; none where the system does not say.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests;
