//! The public files of a round as one archive: one object, one upload, one row that names it.

use capitalbench_core::values::ids::{Digest, RoundId};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::delta::{FILES, round_part};
use crate::packing::{self, Packed, PackingError};
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
    /// The round.
    pub round_id: RoundId,
    /// Digest of the archive before it was compressed.
    pub sha256: Digest,
    /// How many files it holds.
    pub file_count: usize,
    /// How many bytes they have.
    pub byte_count: usize,
    /// Whether results are among them.
    pub holds_results: bool,
    /// Its name in the storage; none where the content is in the row.
    pub object: Option<String>,
    /// Digest of the row.
    pub content_sha256: String,
}

impl RoundFiles {
    /// Packs the files of a round.
    pub fn pack(round_id: RoundId, files: &Files, holds_results: bool) -> Result<Self, FilesError> {
        let packed = Packed::of(files);
        let packed = packed.map_err(|error| FilesError(round_id.to_string(), error))?;
        Ok(Self {
            round_id,
            holds_results,
            packed,
        })
    }

    /// The round.
    pub fn round_id(&self) -> &RoundId {
        &self.round_id
    }

    /// Its name in the storage; another content has another one.
    pub fn object(&self) -> String {
        format!("{}/{}.tar.gz", self.round_id, self.packed.sha256.to_hex())
    }

    /// The archive, compressed.
    pub fn packed(&self) -> Vec<u8> {
        self.packed.bytes()
    }

    /// The same as text, for a row.
    pub fn content(&self) -> String {
        self.packed.content()
    }

    /// What a row says of them wherever they lie; its digest is taken of this alone.
    pub(crate) fn row(&self) -> Map<String, Value> {
        row_of(
            (&self.round_id, self.packed.sha256),
            (self.packed.file_count, self.packed.byte_count),
            self.holds_results,
        )
    }
}

fn row_of(
    (round_id, sha256): (&RoundId, Digest),
    (file_count, byte_count): (usize, usize),
    holds_results: bool,
) -> Map<String, Value> {
    let row = json!({
        "round_id": round_id.as_str(),
        "sha256": sha256.to_hex(),
        "file_count": file_count,
        "byte_count": byte_count,
        "holds_results": holds_results,
        "content": null,
    });
    row.as_object().cloned().unwrap_or_default()
}

impl FilesRow {
    /// Whether it is what its digest says.
    pub fn check(&self) -> Result<(), ChangedRow> {
        let counts = (self.file_count, self.byte_count);
        let row = row_of((&self.round_id, self.sha256), counts, self.holds_results);
        let what = format!("the row of the files of {}", self.round_id);
        let part = round_part(&self.round_id);
        check_row(FILES, (&part, &self.content_sha256), (&row, &what))
    }

    /// The files of an archive that came out of a row.
    pub fn unpack_content(&self, content: &str) -> Result<Files, FilesError> {
        packing::unpack_content(content, self.sha256).map_err(|error| self.fault(error))
    }

    /// The files of an archive that came out of the storage.
    pub fn unpack(&self, packed: &[u8]) -> Result<Files, FilesError> {
        packing::unpack(packed, self.sha256).map_err(|error| self.fault(error))
    }

    fn fault(&self, error: PackingError) -> FilesError {
        FilesError(self.round_id.to_string(), error)
    }
}

#[cfg(test)]
mod tests;
