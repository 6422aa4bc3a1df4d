//! Which content each round had when it was last looked at.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::values::ids::Digest;
use serde::{Deserialize, Serialize};

use super::fingerprint::Watched;

/// A round whose files had not changed for a while when they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What its facts follow from.
    pub(super) watched: Watched,
    /// Of the metadata of all of that.
    pub(super) fingerprint: Digest,
    /// Of names and bytes.
    pub(super) content: Digest,
}

/// Rounds by the name of their folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub(super) struct Index(pub(super) BTreeMap<String, Entry>);

/// Lists of paths are written once, and rounds name them by number: most have the same files.
#[derive(Serialize, Deserialize)]
struct Form {
    lists: Vec<Watched>,
    rounds: Vec<(String, usize, Digest, Digest)>,
}

impl From<Index> for Form {
    fn from(index: Index) -> Self {
        let mut numbers: BTreeMap<Watched, usize> = BTreeMap::new();
        let mut lists = Vec::new();
        let rounds = index.0.into_iter().map(|(name, entry)| {
            let number = *numbers.entry(entry.watched).or_insert_with_key(|list| {
                lists.push(Arc::clone(list));
                lists.len() - 1
            });
            (name, number, entry.fingerprint, entry.content)
        });
        let rounds = rounds.collect();
        Self { lists, rounds }
    }
}

impl From<Form> for Index {
    fn from(form: Form) -> Self {
        let round = |(name, number, fingerprint, content): (String, usize, Digest, Digest)| {
            let watched = Arc::clone(form.lists.get(number)?);
            let entry = Entry {
                watched,
                fingerprint,
                content,
            };
            Some((name, entry))
        };
        Self(form.rounds.into_iter().filter_map(round).collect())
    }
}
