//! Files as one compressed archive, with the digest that identifies them.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capitalbench_core::encoding::tar::{self, TarError};
use capitalbench_core::values::ids::Digest;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Files by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// The largest archive that is unpacked; this program never packs a larger one.
const LARGEST: u64 = 512 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packed {
    /// Digest of the archive before compression.
    pub(crate) sha256: Digest,
    pub(crate) file_count: usize,
    pub(crate) byte_count: usize,
    archive: Vec<u8>,
}

/// Why files could not be packed or unpacked.
#[derive(Debug, thiserror::Error)]
pub enum PackingError {
    #[error(transparent)]
    Archive(#[from] TarError),
    #[error("the archive cannot be unpacked: {0}")]
    Packing(String),
    #[error("the content does not match the digest in the database")]
    OtherContent,
}

impl Packed {
    pub(crate) fn of(files: &Files) -> Result<Self, PackingError> {
        let archive = tar::write(files)?;
        Ok(Self {
            sha256: Digest::of(&archive),
            file_count: files.len(),
            byte_count: files.values().map(Vec::len).sum(),
            archive,
        })
    }

    /// The compressed archive.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut packing = GzEncoder::new(Vec::new(), Compression::default());
        // Writing into memory cannot fail, and the digest is checked when the archive is unpacked.
        let _ = packing.write_all(&self.archive);
        packing.finish().unwrap_or_default()
    }

    /// The compressed archive as text, for a row.
    pub(crate) fn content(&self) -> String {
        STANDARD.encode(self.bytes())
    }
}

pub(crate) fn unpack_content(content: &str, sha256: Digest) -> Result<Files, PackingError> {
    let packed = STANDARD.decode(content);
    let packed = packed.map_err(|error| PackingError::Packing(error.to_string()))?;
    unpack(&packed, sha256)
}

pub(crate) fn unpack(packed: &[u8], sha256: Digest) -> Result<Files, PackingError> {
    unpack_at_most(packed, sha256, LARGEST)
}

fn unpack_at_most(packed: &[u8], sha256: Digest, largest: u64) -> Result<Files, PackingError> {
    let mut archive = Vec::new();
    GzDecoder::new(packed)
        .take(largest + 1)
        .read_to_end(&mut archive)
        .map_err(|error| PackingError::Packing(error.to_string()))?;
    if archive.len() as u64 > largest {
        let text = format!("it unpacks to more than {largest} bytes");
        return Err(PackingError::Packing(text));
    }
    if Digest::of(&archive) != sha256 {
        return Err(PackingError::OtherContent);
    }
    Ok(tar::read(&archive)?)
}

#[cfg(test)]
mod tests;
