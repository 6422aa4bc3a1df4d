//! Which content each round had when it was last looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::values::ids::Digest;

use super::fingerprint::Watched;
use super::packed::{Packed, Reader};
use crate::public::cache_key::CacheKey;

/// A round whose files had not changed for a while when they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What its facts follow from.
    pub(super) watched: Watched,
    /// Of the file system's word about all of that.
    pub(super) fingerprint: Digest,
    /// Of names and bytes.
    pub(super) content: Digest,
}

/// Rounds by the name of their folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index(pub(super) BTreeMap<String, Entry>);

/// Lists of paths are written once: most rounds have the same files.
impl Packed for Index {
    fn put(&self, out: &mut Vec<u8>) {
        let mut lists: BTreeMap<&Watched, usize> = BTreeMap::new();
        for entry in self.0.values() {
            let next = lists.len();
            lists.entry(&entry.watched).or_insert(next);
        }
        let mut ordered: Vec<(usize, &Watched)> = lists.iter().map(|(l, n)| (*n, *l)).collect();
        ordered.sort_unstable_by_key(|(number, _)| *number);
        let ordered: Vec<Vec<String>> = ordered.into_iter().map(|(_, l)| l.to_vec()).collect();
        ordered.put(out);
        self.0.len().put(out);
        for (name, entry) in &self.0 {
            name.put(out);
            lists
                .get(&entry.watched)
                .copied()
                .unwrap_or_default()
                .put(out);
            entry.fingerprint.put(out);
            entry.content.put(out);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Self> {
        let lists: Vec<Vec<String>> = Packed::take(from)?;
        let lists: Vec<Watched> = lists.into_iter().map(Watched::from).collect();
        let mut rounds = BTreeMap::new();
        for _ in 0..usize::take(from)? {
            let name = String::take(from)?;
            let watched = Arc::clone(lists.get(usize::take(from)?)?);
            let (fingerprint, content) = (Packed::take(from)?, Packed::take(from)?);
            let entry = Entry {
                watched,
                fingerprint,
                content,
            };
            rounds.insert(name, entry);
        }
        Some(Self(rounds))
    }
}

/// A value with the program's stamp before and the tag of this machine's secret behind it.
pub(super) fn sealed((key, name): (&CacheKey, &str), stamp: &str, value: &impl Packed) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 << 10);
    stamp.to_owned().put(&mut bytes);
    value.put(&mut bytes);
    key.seal(name, bytes)
}

/// Reads such a value; none for one that is damaged, of another program or of another machine.
pub(super) fn unsealed<T: Packed>(
    (key, name): (&CacheKey, &str),
    stamp: &str,
    bytes: &[u8],
) -> Option<T> {
    let mut reader = Reader(key.open(name, bytes)?);
    if String::take(&mut reader)? != stamp {
        return None;
    }
    let value = T::take(&mut reader)?;
    reader.0.is_empty().then_some(value)
}
