//! Which content each round had when it was last looked at.

use std::collections::BTreeMap;

use capitalbench_core::ids::Digest;

use super::packed::{Packed, Reader, checksum, packed_struct};

/// A round whose files had not changed for a while when they were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Of the file system's word about all its files.
    pub(super) fingerprint: Digest,
    /// Of their names and bytes.
    pub(super) content: Digest,
}

packed_struct!(Entry {
    fingerprint,
    content
});

/// Rounds by the name of their folder.
pub(super) type Index = BTreeMap<String, Entry>;

/// A value with the program's stamp before and a checksum behind it.
pub(super) fn sealed(stamp: &str, value: &impl Packed) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 << 10);
    stamp.to_owned().put(&mut bytes);
    value.put(&mut bytes);
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum.to_le_bytes());
    bytes
}

/// Reads such a value; none for one that is damaged or of another program.
pub(super) fn unsealed<T: Packed>(stamp: &str, bytes: &[u8]) -> Option<T> {
    let (bytes, sum) = bytes.split_last_chunk::<8>()?;
    if checksum(bytes) != u64::from_le_bytes(*sum) {
        return None;
    }
    let mut reader = Reader(bytes);
    if String::take(&mut reader)? != stamp {
        return None;
    }
    let value = T::take(&mut reader)?;
    reader.0.is_empty().then_some(value)
}
