//! Index objects: which file of a unit lies where.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::values::ids::Digest;
use serde::{Deserialize, Serialize};

use crate::disk::error::Fault;
use crate::format::text::json;

use super::head::FORMAT;

/// Where the content of a file lies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    pub sha256: String,
    pub size: u64,
    pub object: String,
    pub offset: u64,
}

/// The files of a generation by their path in the unit.
pub type Files = BTreeMap<String, Place>;

/// What one index object says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    format: u32,
    pub files: Files,
    /// Files of earlier indexes that are no longer there.
    pub gone: BTreeSet<String>,
    /// All folders without a file.
    pub empty_folders: BTreeSet<String>,
}

/// A whole generation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    pub files: Files,
    pub empty_folders: BTreeSet<String>,
}

impl Index {
    /// What turns one generation into another.
    pub fn between(before: &Content, after: &Content) -> Self {
        let changed = after
            .files
            .iter()
            .filter(|(path, place)| before.files.get(*path) != Some(*place));
        let gone = before.files.keys();
        let gone = gone.filter(|path| !after.files.contains_key(*path));
        Self {
            format: FORMAT,
            files: changed
                .map(|(path, place)| (path.clone(), place.clone()))
                .collect(),
            gone: gone.cloned().collect(),
            empty_folders: after.empty_folders.clone(),
        }
    }

    /// A whole generation in one index.
    pub fn whole(content: &Content) -> Self {
        Self::between(&Content::default(), content)
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, Fault> {
        let index: Self = json::read(bytes)?;
        if index.format == FORMAT {
            return Ok(index);
        }
        Err(Fault::field(
            "format",
            format!("must be {FORMAT}; use a newer program"),
        ))
    }

    pub fn render(&self) -> Vec<u8> {
        json::render(self).into_bytes()
    }
}

impl Content {
    /// The generation of indexes, oldest first.
    pub fn of(indexes: impl IntoIterator<Item = Index>) -> Self {
        let mut content = Self::default();
        for index in indexes {
            for path in &index.gone {
                content.files.remove(path);
            }
            content.files.extend(index.files);
            content.empty_folders = index.empty_folders;
        }
        content
    }

    /// Every object that it needs.
    pub fn objects(&self) -> BTreeSet<&str> {
        self.files
            .values()
            .map(|place| place.object.as_str())
            .collect()
    }
}

/// How many indexes a unit keeps before all of them become one: a short list is read with few
/// requests, and a long one would be written whole at every push.
pub const MOST_INDEXES: usize = 24;

/// The name of an object: the digest of its content and the push that wrote it. The same content in
/// another push has another name, so that removing old objects can never meet a push that relies on one.
pub fn object_name(bytes: &[u8], push: &str) -> String {
    format!("{}-{push}", Digest::of(bytes))
}

/// The key of an object; none for a text that is no name of one.
pub fn object_key(name: &str) -> Option<String> {
    let (digest, push) = name.split_once('-')?;
    let is_push = !push.is_empty() && push.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (Digest::parse(digest).is_some() && is_push).then(|| format!("objects/{}/{name}", &digest[..2]))
}

/// Whether a push writes keys of this form; whatever else lies there belongs to somebody else.
pub fn is_object_key(key: &str) -> bool {
    let Some(name) = key.rsplit('/').next() else {
        return false;
    };
    let push = name.split_once('-').map(|(_, push)| push);
    push.is_some_and(is_nonce) && object_key(name).is_some_and(|own| own == key)
}

/// Whether a text is one that a program drew to tell its write from all others.
pub fn is_nonce(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 32 && text.bytes().all(is_digit)
}

/// Whether bytes are those that the name of their object tells.
pub fn is_content_of(name: &str, bytes: &[u8]) -> bool {
    name.split_once('-')
        .is_some_and(|(digest, _)| Digest::of(bytes).to_hex() == digest)
}

#[cfg(test)]
mod tests;
