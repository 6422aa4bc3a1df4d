//! Rows as a reader gets them, each compared with the digest it has in the database before it is believed.

use serde_json::{Map, Value, json};

use crate::delta::{CATALOG, DIGEST, DOCUMENTS, PART, document_row, round_part};
use crate::documents::{Document, Header};
use crate::row_digest::row_digest;

/// A row that somebody changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{table}: {what} in part {part} is not what its digest says; somebody changed it in the database"
)]
pub struct ChangedRow {
    table: &'static str,
    part: String,
    what: String,
}

/// A row of `publication_documents` with what it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDocument {
    part: String,
    content_sha256: String,
    document: Document,
}

impl StoredDocument {
    /// A row as JSON, with part, digest and the columns of the document.
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

    /// The document, if it is what its digest says and belongs where it lies.
    pub fn checked(self) -> Result<Document, ChangedRow> {
        let digest = row_digest(&document_row(&self.document)).to_hex();
        let part = part_of(&self.document);
        if digest == self.content_sha256 && part == self.part {
            return Ok(self.document);
        }
        let kind = format!("{:?}", self.document.kind).to_lowercase();
        let what = format!("the document {kind} {}", self.document.name);
        Err(changed(DOCUMENTS, &self.part, what))
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

/// Whether a row of files is what its digest says.
pub(crate) fn check_row(
    table: &'static str,
    (part, content_sha256): (&str, &str),
    (row, what): (&Map<String, Value>, &str),
) -> Result<(), ChangedRow> {
    if row_digest(row).to_hex() == content_sha256 {
        return Ok(());
    }
    Err(changed(table, part, what.to_owned()))
}

/// Whether what is said of the whole is what its digest says.
pub(crate) fn check_header(header: &Header) -> Result<(), ChangedRow> {
    let row = json!({
        "as_of": header.as_of.to_string(),
        "is_synthetic": header.is_synthetic,
        "parts_sha256": header.parts_sha256,
    });
    let digest = row.as_object().map(row_digest);
    if digest.is_some_and(|digest| digest.to_hex() == header.header_sha256) {
        return Ok(());
    }
    Err(changed(
        "publication",
        "publication",
        "the one row".to_owned(),
    ))
}

fn changed(table: &'static str, part: &str, what: String) -> ChangedRow {
    ChangedRow {
        table,
        part: part.to_owned(),
        what,
    }
}
