//! The public files of a round as one archive: one object, one upload, one row that names it.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capitalbench_core::ids::{Digest, RoundId};
use capitalbench_core::tar::{self, TarError};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Files by their path inside the round.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Largest archive that is unpacked; what is packed larger is not one of ours.
const LARGEST: u64 = 512 << 20;

/// The packed files of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundFiles {
    round_id: RoundId,
    sha256: Digest,
    file_count: usize,
    byte_count: usize,
    holds_results: bool,
    archive: Vec<u8>,
}

/// Why files could not be packed, or what was stored is not what was packed.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// A name that no archive can hold, or an archive that is damaged.
    #[error("the files of {0}: {1}")]
    Archive(RoundId, TarError),
    /// Not compressed, not base64, or too large.
    #[error("the files of {0} cannot be unpacked: {1}")]
    Packing(RoundId, String),
    /// Other bytes than the row names.
    #[error("the files of {0} are not those that the database names")]
    OtherContent(RoundId),
}

/// A row of `round_files` without its content.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FilesRow {
    /// The round.
    pub round_id: RoundId,
    /// Digest of the archive before it was compressed.
    pub sha256: Digest,
    /// Its name in the storage; none where the content is in the row.
    pub object: Option<String>,
}

impl RoundFiles {
    /// Packs the files of a round.
    pub fn pack(round_id: RoundId, files: &Files, holds_results: bool) -> Result<Self, FilesError> {
        let archive =
            tar::write(files).map_err(|error| FilesError::Archive(round_id.clone(), error))?;
        Ok(Self {
            sha256: Digest::of(&archive),
            file_count: files.len(),
            byte_count: files.values().map(Vec::len).sum(),
            round_id,
            holds_results,
            archive,
        })
    }

    /// The round.
    pub fn round_id(&self) -> &RoundId {
        &self.round_id
    }

    /// Its name in the storage; another content has another one.
    pub fn object(&self) -> String {
        format!("{}/{}.tar.gz", self.round_id, self.sha256.to_hex())
    }

    /// The archive, compressed.
    pub fn packed(&self) -> Vec<u8> {
        let mut packing = GzEncoder::new(Vec::new(), Compression::default());
        // Writing into memory cannot fail, and a digest tells what is unpacked.
        let _ = packing.write_all(&self.archive);
        packing.finish().unwrap_or_default()
    }

    /// The same as text, for a row.
    pub fn content(&self) -> String {
        STANDARD.encode(self.packed())
    }

    /// What a row says of them wherever they lie; its digest is taken of this alone.
    pub(crate) fn row(&self) -> Map<String, Value> {
        let row = json!({
            "round_id": self.round_id.as_str(),
            "sha256": self.sha256.to_hex(),
            "file_count": self.file_count,
            "byte_count": self.byte_count,
            "holds_results": self.holds_results,
        });
        row.as_object().cloned().unwrap_or_default()
    }
}

impl FilesRow {
    /// The files of an archive that came out of a row.
    pub fn unpack_content(&self, content: &str) -> Result<Files, FilesError> {
        let packed = STANDARD.decode(content);
        let packed = packed.map_err(|error| self.unpackable(&error.to_string()))?;
        self.unpack(&packed)
    }

    /// The files of an archive that came out of the storage.
    pub fn unpack(&self, packed: &[u8]) -> Result<Files, FilesError> {
        self.unpack_at_most(packed, LARGEST)
    }

    fn unpack_at_most(&self, packed: &[u8], largest: u64) -> Result<Files, FilesError> {
        let mut archive = Vec::new();
        GzDecoder::new(packed)
            .take(largest + 1)
            .read_to_end(&mut archive)
            .map_err(|error| self.unpackable(&error.to_string()))?;
        if archive.len() as u64 > largest {
            return Err(self.unpackable(&format!("it unpacks to more than {largest} bytes")));
        }
        if Digest::of(&archive) != self.sha256 {
            return Err(FilesError::OtherContent(self.round_id.clone()));
        }
        tar::read(&archive).map_err(|error| FilesError::Archive(self.round_id.clone(), error))
    }

    fn unpackable(&self, reason: &str) -> FilesError {
        FilesError::Packing(self.round_id.clone(), reason.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked_and_nothing_else() {
        let files: Files = [
            ("a.txt".to_owned(), b"a".to_vec()),
            ("b/c.bin".to_owned(), vec![0, 255, 3]),
        ]
        .into();
        let id = RoundId::parse("R-1").unwrap();
        let packed = RoundFiles::pack(id, &files, false).unwrap();
        let again = RoundFiles::pack(packed.round_id.clone(), &files, false).unwrap();
        assert_eq!(packed.object(), again.object());
        let row = FilesRow {
            round_id: packed.round_id.clone(),
            sha256: packed.sha256,
            object: None,
        };
        assert_eq!(row.unpack(&packed.packed()).unwrap(), files);
        assert_eq!(row.unpack_content(&packed.content()).unwrap(), files);
        let other = FilesRow {
            sha256: Digest::of(b"other"),
            ..row.clone()
        };
        for wrong in [
            other.unpack(&packed.packed()),
            row.unpack(b"not compressed"),
            row.unpack_content("!"),
        ] {
            assert!(wrong.is_err());
        }
        let length = packed.archive.len() as u64;
        assert!(row.unpack_at_most(&packed.packed(), length).is_ok());
        let large = row
            .unpack_at_most(&packed.packed(), length - 1)
            .unwrap_err();
        let told = format!("it unpacks to more than {} bytes", length - 1);
        assert!(large.to_string().ends_with(&told), "{large}");
        let climbing: Files = [("../x".to_owned(), Vec::new())].into();
        assert!(RoundFiles::pack(packed.round_id, &climbing, false).is_err());
    }
}
