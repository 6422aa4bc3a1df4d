//! The private key of the log: one file that only its owner may read.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use capitalbench_proof::event::Sealed;
use capitalbench_proof::note::{KeyKind, SignerKey, VerifierKey};

use super::LogFolder;
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout;
use crate::disk::state_folder;
use crate::format::utf8;

/// The key of a log. It signs checkpoints, and the salts of sealed bodies follow from it.
#[derive(Debug)]
pub struct LogKey(SignerKey);

impl LogKey {
    /// Creates the key of a log that has none: the private half goes to `file`, the public half into
    /// the log. It never replaces a key; after a crash it publishes the key that `file` holds.
    pub fn create(
        log: &LogFolder,
        file: &Path,
        name: &str,
        seed: &[u8; 32],
    ) -> Result<Self, FileError> {
        if let Some(key) = log.verifier()? {
            let text = format!("the log already has the key of {}", key.name());
            return Err(FileError::folder(&log.file(layout::LOG), text));
        }
        if let Some(unannounced) = Self::load(file)? {
            unannounced.announce(log)?;
            return Ok(unannounced);
        }
        let signer = SignerKey::from_seed(name, seed, KeyKind::Note)
            .map_err(|error| Fault::new(error).in_file(file))?;
        let state = log.file(layout::STATE);
        if file.starts_with(&state) {
            state_folder::create(&state)?;
        }
        keep_signer(file, &signer)?;
        let key = Self(signer);
        key.announce(log)?;
        Ok(key)
    }

    /// Reads a key; none when there is no such file. Refuses a file that other users may read.
    pub fn load(file: &Path) -> Result<Option<Self>, FileError> {
        Ok(load_signer(file)?.map(Self))
    }

    /// The public half.
    pub fn verifier(&self) -> VerifierKey {
        self.0.verifier()
    }

    /// The half that signs.
    pub(super) fn signer(&self) -> &SignerKey {
        &self.0
    }

    /// The salt of a file of a round, which opens its seal.
    pub fn salt(&self, round: &str, path: &str) -> [u8; 32] {
        self.0.salt(format!("{round}\n{path}").as_bytes())
    }

    /// Seals a file of a round.
    pub fn seal(&self, round: &str, path: &str, bytes: &[u8]) -> Sealed {
        Sealed::new(&self.salt(round, path), bytes)
    }

    /// Writes the public half into the log; refuses a log that has another key.
    pub(super) fn announce(&self, log: &LogFolder) -> Result<(), FileError> {
        let file = log.file(layout::LOG_VKEY);
        match log.verifier()? {
            Some(key) if key == self.verifier() => Ok(()),
            Some(key) => {
                let text = format!(
                    "is the key of {}, but the given private key is another one",
                    key.name()
                );
                Err(Fault::new(text).in_file(&file))
            }
            None => {
                file_ops::create_folder(&log.file(layout::LOG))?;
                let text = format!("{}\n", self.verifier());
                Ok(file_ops::create_new(&file, text.as_bytes())?)
            }
        }
    }
}

/// Writes a private key into a new file that only its owner may read.
pub fn keep_signer(file: &Path, signer: &SignerKey) -> Result<(), FileError> {
    if let Some(folder) = file.parent().filter(|path| !path.as_os_str().is_empty()) {
        file_ops::create_folder(folder)?;
    }
    let mut text = signer.to_private_text();
    text.push('\n');
    Ok(file_ops::create_private(file, text.as_bytes())?)
}

/// Reads a private key; none when there is no such file. Refuses a file that other users may read.
pub fn load_signer(file: &Path) -> Result<Option<SignerKey>, FileError> {
    let meta = match fs::symlink_metadata(file) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // The key may exist, so this is an error: otherwise requests would leave unsigned.
        Err(error) => return Err(Fault::new(error).in_file(file)),
    };
    if meta.permissions().mode() & 0o077 != 0 {
        let text = "others may read this private key; make it yours alone with `chmod 600`";
        return Err(Fault::new(text).in_file(file));
    }
    let bytes = file_ops::read(file)?;
    let text = utf8(&bytes).map_err(|fault| fault.in_file(file))?;
    let signer = SignerKey::parse(text.trim_end_matches('\n'));
    let signer = signer.map_err(|error| Fault::new(error).in_file(file))?;
    Ok(Some(signer))
}
