//! Rows as a reader gets them; each is compared with its digest before it is used.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::delta::{CATALOG, DIGEST, DOCUMENTS, PART, document_row, round_part};
use crate::documents::{Document, Header};
use crate::row_digest::{members, row_digest};

/// A row that somebody changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{table}: {what} in part {part} does not match its digest; somebody changed it in the database"
)]
pub struct ChangedRow {
    table: &'static str,
    part: String,
    what: String,
}

/// A row of `publication_documents` before it is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    part: String,
    content_sha256: String,
    document: Document,
}

impl StoredDocument {
    /// Reads a row with part, digest and the columns of the document.
    pub fn of_row(mut row: Map<String, Value>) -> Result<Self, String> {
        let mut text = |name: &str| match row.remove(name) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(format!("{DOCUMENTS}: a row has no {name}")),
        };
        let (part, content_sha256) = (text(PART)?, text(DIGEST)?);
        let document = serde_json::from_value(Value::Object(row));
        Ok(Self {
            part,
            content_sha256,
            document: document.map_err(|error| format!("{DOCUMENTS}: {error}"))?,
        })
    }

    /// The document, if it matches its digest and belongs to its part.
    pub fn checked(self) -> Result<Document, ChangedRow> {
        let digest = row_digest(&document_row(&self.document)).to_hex();
        let part = part_of(&self.document);
        if digest == self.content_sha256 && part == self.part {
            return Ok(self.document);
        }
        Err(ChangedRow {
            table: DOCUMENTS,
            part: self.part,
            what: format!("the document {} {}", self.document.kind, self.document.name),
        })
    }
}

/// The part that a document belongs to.
pub(crate) fn part_of(document: &Document) -> String {
    match (&document.round_id, &document.track, &document.set_id) {
        (Some(round_id), ..) => round_part(round_id),
        (_, Some(track), _) => format!("board/{track}"),
        (.., Some(set_id)) => format!("set/{set_id}"),
        _ => CATALOG.to_owned(),
    }
}

/// Refuses a row that does not match its digest.
pub(crate) fn check_row(
    table: &'static str,
    part: &str,
    content_sha256: &str,
    row: &Map<String, Value>,
    what: &str,
) -> Result<(), ChangedRow> {
    if row_digest(row).to_hex() == content_sha256 {
        return Ok(());
    }
    Err(ChangedRow {
        table,
        part: part.to_owned(),
        what: what.to_owned(),
    })
}

/// Refuses a header that does not match its digest.
pub(crate) fn check_header(header: &Header) -> Result<(), ChangedRow> {
    let row = header_row(
        &header.as_of.to_string(),
        header.is_synthetic,
        &header.parts_sha256,
    );
    let table = "publication";
    check_row(table, table, &header.header_sha256, &row, "the one row")
}

/// A header with its digest.
pub(crate) fn header_of(as_of: Timestamp, is_synthetic: bool, parts_sha256: String) -> Header {
    let row = header_row(&as_of.to_string(), is_synthetic, &parts_sha256);
    Header {
        as_of,
        is_synthetic,
        parts_sha256,
        header_sha256: row_digest(&row).to_hex(),
    }
}

fn header_row(as_of: &str, is_synthetic: bool, parts_sha256: &str) -> Map<String, Value> {
    members(json!({
        "as_of": as_of,
        "is_synthetic": is_synthetic,
        "parts_sha256": parts_sha256,
    }))
}
