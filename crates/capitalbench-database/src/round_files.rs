//! The public files of a round as one archive, stored as one object or in one row.

use capitalbench_core::values::ids::{Digest, RoundId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::delta::{FILES, round_part};
use crate::packing::{self, Packed, PackingError};
use crate::row_digest::members;
use crate::stored::{ChangedRow, check_row};

pub use crate::packing::Files;

/// The packed files of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundFiles {
    round_id: RoundId,
    holds_results: bool,
    packed: Packed,
}

/// Which files could not be packed or unpacked, and why.
#[derive(Debug, thiserror::Error)]
#[error("the files of {0}: {1}")]
pub struct FilesError(pub(crate) String, #[source] pub(crate) PackingError);

/// A row of `round_files` without its content.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FilesRow {
    pub round_id: RoundId,
    /// Digest of the archive before compression.
    pub sha256: Digest,
    pub file_count: usize,
    pub byte_count: usize,
    /// Whether results are among the files.
    pub holds_results: bool,
    /// The archive's name in the storage; none if the row itself holds the content.
    pub object: Option<String>,
    pub content_sha256: String,
}

impl RoundFiles {
    pub fn pack(round_id: RoundId, files: &Files, holds_results: bool) -> Result<Self, FilesError> {
        let packed = Packed::of(files);
        let packed = packed.map_err(|error| FilesError(round_id.to_string(), error))?;
        Ok(Self {
            round_id,
            holds_results,
            packed,
        })
    }

    pub fn round_id(&self) -> &RoundId {
        &self.round_id
    }

    /// The archive's name in the storage; other content gets another name.
    pub fn object(&self) -> String {
        format!("{}/{}.tar.gz", self.round_id, self.packed.sha256.to_hex())
    }

    /// The compressed archive.
    pub fn packed(&self) -> Vec<u8> {
        self.packed.bytes()
    }

    /// The compressed archive as text, for a row.
    pub fn content(&self) -> String {
        self.packed.content()
    }

    /// The row of these files without the place where they lie.
    pub(crate) fn row(&self) -> Map<String, Value> {
        let row = FilesRow {
            round_id: self.round_id.clone(),
            sha256: self.packed.sha256,
            file_count: self.packed.file_count,
            byte_count: self.packed.byte_count,
            holds_results: self.holds_results,
            object: None,
            content_sha256: String::new(),
        };
        row.content()
    }
}

impl FilesRow {
    /// The columns from which the digest of the row is computed.
    fn content(&self) -> Map<String, Value> {
        members(json!({
            "round_id": self.round_id,
            "sha256": self.sha256,
            "file_count": self.file_count,
            "byte_count": self.byte_count,
            "holds_results": self.holds_results,
            "content": null,
        }))
    }

    /// Refuses a row that does not match its digest.
    pub fn check(&self) -> Result<(), ChangedRow> {
        let what = format!("the row of the files of {}", self.round_id);
        let part = round_part(&self.round_id);
        check_row(FILES, &part, &self.content_sha256, &self.content(), &what)
    }

    /// Unpacks the content of a row.
    pub fn unpack_content(&self, content: &str) -> Result<Files, FilesError> {
        packing::unpack_content(content, self.sha256).map_err(|error| self.fault(error))
    }

    /// Unpacks an object of the storage.
    pub fn unpack(&self, packed: &[u8]) -> Result<Files, FilesError> {
        packing::unpack(packed, self.sha256).map_err(|error| self.fault(error))
    }

    fn fault(&self, error: PackingError) -> FilesError {
        FilesError(self.round_id.to_string(), error)
    }
}

#[cfg(test)]
mod tests;
