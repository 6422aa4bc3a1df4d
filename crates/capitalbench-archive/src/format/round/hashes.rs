//! `hashes.json` and `research_hashes.json`: which files were frozen, and their digests.

use std::collections::BTreeMap;

use capitalbench_core::values::ids::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::disk::error::Fault;
use crate::format::text::json;

/// Digests of files by their path.
pub type Digests = BTreeMap<String, Digest>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    algorithm: Algorithm,
    files: Digests,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Algorithm {
    Sha256,
}

/// Reads a hash file; an empty object means that nothing was frozen yet.
pub fn parse(bytes: &[u8]) -> Result<Option<Digests>, Fault> {
    match json::parse(bytes)?.as_object().map(Map::is_empty) {
        None => Err(Fault::new("is not an object")),
        Some(true) => Ok(None),
        Some(false) => Ok(Some(json::read_checked::<Stored>(bytes)?.files)),
    }
}

pub fn render(digests: &Digests) -> String {
    json::render(&Stored {
        algorithm: Algorithm::Sha256,
        files: digests.clone(),
    })
}
