//! `hashes.json` and `research_hashes.json`: which files were frozen, and their digests.

use std::collections::BTreeMap;

use capitalbench_core::values::ids::Digest;
use serde_json::{Value, json};

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::member::only;

/// Path relative to the round → digest in hexadecimal text.
pub type Digests = BTreeMap<String, String>;

/// Reads a hash file; an empty object means that nothing was frozen yet.
pub fn parse(bytes: &[u8]) -> Result<Option<Digests>, Fault> {
    let value = json::parse(bytes)?;
    let object = value
        .as_object()
        .ok_or_else(|| Fault::new("is not an object"))?;
    if object.is_empty() {
        return Ok(None);
    }
    only(&value, &["algorithm", "files"])?;
    if object.get("algorithm").and_then(Value::as_str) != Some("sha256") {
        return Err(Fault::field("algorithm", "must be sha256"));
    }
    let files = object.get("files").and_then(Value::as_object);
    let files = files.ok_or_else(|| Fault::field("files", "must be an object"))?;
    let mut digests = Digests::new();
    for (path, digest) in files {
        let text = digest.as_str().filter(|text| is_digest(text));
        let text = text.ok_or_else(|| {
            Fault::field(
                format!("files.{path}"),
                "must be 64 lower-case hexadecimal digits",
            )
        })?;
        digests.insert(path.clone(), text.to_owned());
    }
    Ok(Some(digests))
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// The file's text.
pub fn render(digests: &BTreeMap<String, Digest>) -> String {
    let files: serde_json::Map<String, Value> = digests
        .iter()
        .map(|(path, digest)| (path.clone(), Value::from(digest.to_hex())))
        .collect();
    json::to_pretty(&json!({"algorithm": "sha256", "files": files}))
}
