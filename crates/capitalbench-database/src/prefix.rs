//! A publication as objects below a public address: a list, and an object for each part.
//!
//! An object holds the rows of its part from which a publication is read back, with the files of a round
//! or of the log in them; its name is the digest of its bytes. So whoever reads finds the same rows as in
//! a database, needs only `GET`, and fetches a part again only when it changed.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::delta::{DOCUMENTS, Delta, FILES, LOG, PartError, round_part};
use crate::documents::Header;
use crate::gateway::GatewayError;
use crate::log_files::{LogContent, LogRow};
use crate::read::{ReadError, Source};
use crate::round_files::{Files, FilesRow, RoundFiles};
use crate::stored::{StoredDocument, header_of};

/// The name of the list below the address.
pub const LIST: &str = "parts.json";
/// Where the objects are.
pub const OBJECTS: &str = "parts/";
const FORMAT: u32 = 1;

/// What is public below an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    format: u32,
    as_of: Timestamp,
    is_synthetic: bool,
    /// The object of each part.
    parts: BTreeMap<String, Digest>,
}

impl List {
    /// The list of objects that were made of the parts of a publication.
    pub fn of(delta: &Delta<'_>, as_of: Timestamp, parts: BTreeMap<String, Digest>) -> Self {
        Self {
            format: FORMAT,
            as_of,
            is_synthetic: delta.synthetic,
            parts,
        }
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let list: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if list.format == FORMAT {
            return Ok(list);
        }
        let text = format!(
            "it has format {}, and this program knows {FORMAT}",
            list.format
        );
        Err(text)
    }

    pub fn render(&self) -> Vec<u8> {
        format!("{:#}\n", serde_json::json!(self)).into_bytes()
    }

    /// The objects that it names.
    pub fn objects(&self) -> BTreeSet<Digest> {
        self.parts.values().copied().collect()
    }
}

/// The name of an object below the address.
pub fn object_name(digest: &Digest) -> String {
    format!("{OBJECTS}{}.json", digest.to_hex())
}

/// The digest in the name of an object; none for a key that no publication writes.
pub fn object_digest(key: &str) -> Option<Digest> {
    let digest = key.strip_prefix(OBJECTS)?.strip_suffix(".json")?;
    Digest::parse(digest).filter(|own| object_name(own) == key)
}

/// The object of a part; none where a part has nothing from which a publication is read back.
pub fn object_of(delta: &Delta<'_>, name: &str) -> Result<Option<Vec<u8>>, PartError> {
    let Some(part) = delta.part(name)? else {
        return Ok(None);
    };
    let part = part.into_owned();
    let content = part.files.as_ref().map(RoundFiles::content);
    let (mut tables, _) = part.into_tables(name, content.map(|content| ("content", content)));
    tables.retain(|table, _| [DOCUMENTS, FILES, LOG].contains(table));
    let object = serde_json::json!(tables);
    Ok((!tables.is_empty()).then(|| object.to_string().into_bytes()))
}

/// A public address from which objects can be had.
pub struct Prefix<F> {
    list: List,
    fetch: F,
}

impl<F: Fn(&Digest) -> Result<Vec<u8>, GatewayError>> Prefix<F> {
    pub fn new(list: List, fetch: F) -> Self {
        Self { list, fetch }
    }

    /// The rows of a table in a part.
    fn rows<T: DeserializeOwned>(&self, part: &str, table: &str) -> Result<Vec<T>, GatewayError> {
        let Some(digest) = self.list.parts.get(part) else {
            return Ok(Vec::new());
        };
        let unreadable = |error: serde_json::Error| {
            GatewayError::Unreadable(format!("the part {part}: {error}"))
        };
        let bytes = (self.fetch)(digest)?;
        let mut tables: BTreeMap<String, Value> =
            serde_json::from_slice(&bytes).map_err(unreadable)?;
        let rows = tables
            .remove(table)
            .unwrap_or_else(|| Value::Array(Vec::new()));
        serde_json::from_value(rows).map_err(unreadable)
    }

    fn all<T: DeserializeOwned>(&self, table: &str) -> Result<Vec<T>, GatewayError> {
        let parts = self.list.parts.keys();
        let found: Result<Vec<Vec<T>>, _> = parts.map(|part| self.rows(part, table)).collect();
        Ok(found?.into_iter().flatten().collect())
    }
}

impl<F: Fn(&Digest) -> Result<Vec<u8>, GatewayError>> Source for Prefix<F> {
    async fn header(&self) -> Result<Option<Header>, GatewayError> {
        let lines: Vec<String> = self
            .list
            .parts
            .iter()
            .map(|(part, digest)| format!("{part} {}", digest.to_hex()))
            .collect();
        let parts = Digest::of(lines.join("\n").as_bytes()).to_hex();
        Ok(Some(header_of(
            self.list.as_of,
            self.list.is_synthetic,
            parts,
        )))
    }

    async fn documents(&self) -> Result<Vec<StoredDocument>, GatewayError> {
        let rows: Vec<Map<String, Value>> = self.all(DOCUMENTS)?;
        let rows = rows.into_iter();
        rows.map(|row| StoredDocument::of_row(row).map_err(GatewayError::Unreadable))
            .collect()
    }

    async fn files(&self) -> Result<Vec<FilesRow>, GatewayError> {
        self.all(FILES)
    }

    async fn unpacked(&self, row: &FilesRow) -> Result<Files, ReadError> {
        let rows: Vec<Value> = self.rows(&round_part(&row.round_id), FILES)?;
        let content = rows.first().and_then(|row| row["content"].as_str());
        let missing = || ReadError::FilesMissing(row.round_id.clone());
        Ok(row.unpack_content(content.ok_or_else(missing)?)?)
    }

    async fn log(&self) -> Result<Vec<LogRow>, GatewayError> {
        self.all(LOG)
    }

    async fn log_contents(&self, parts: &[&str]) -> Result<Vec<LogContent>, GatewayError> {
        let found: Result<Vec<Vec<LogContent>>, _> =
            parts.iter().map(|part| self.rows(part, LOG)).collect();
        Ok(found?.into_iter().flatten().collect())
    }
}
