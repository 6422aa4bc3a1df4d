//! Signed notes (C2SP signed-note): a text, an empty line, and one line per signature.
//!
//! The log signs with Ed25519 (type 1); witnesses add cosignatures with their own instant
//! (type 4, C2SP tlog-cosignature). Signatures by keys that the reader did not name are ignored. A
//! signature by a named key that does not hold refuses the note.

use std::fmt;

use ed25519_dalek::{Signature as Ed25519Signature, Signer as _, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

use crate::encoding::{from_base64, from_hex, to_base64, to_hex};

const SIGNATURE_START: &str = "\u{2014} ";
const PRIVATE_START: &str = "PRIVATE+KEY+";
/// A note with more signatures is refused, as in other implementations.
const MOST_SIGNATURES: usize = 100;

/// Why a key or a note is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    #[error("the key name {0:?} must not be empty or contain a space or a plus")]
    Name(String),
    #[error("the text is not a key of the form name+hash+base64")]
    Key,
    #[error("the key has a type that this program does not know")]
    KeyKind,
    #[error("the hash in the key does not match its name and bytes")]
    KeyHash,
    #[error("the text is not a signed note: {0}")]
    Form(&'static str),
    #[error("the signature of {0} does not hold: the text or the signature was changed")]
    Signature(String),
    #[error("the note has no signature by {0}")]
    Unsigned(String),
}

/// What a key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    Note,
    /// A checkpoint together with the instant at which the witness saw it.
    Cosignature,
}

impl KeyKind {
    fn byte(self) -> u8 {
        match self {
            Self::Note => 1,
            Self::Cosignature => 4,
        }
    }

    fn parse(byte: u8) -> Result<Self, NoteError> {
        let kinds = [Self::Note, Self::Cosignature];
        let found = kinds.into_iter().find(|kind| kind.byte() == byte);
        found.ok_or(NoteError::KeyKind)
    }
}

/// A public key with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: KeyKind,
    key: VerifyingKey,
}

impl VerifierKey {
    /// Reads the text form `name+hash+base64`.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let (name, hash, bytes) = split_key(text)?;
        let (kind, key) = bytes.split_first().ok_or(NoteError::Key)?;
        let kind = KeyKind::parse(*kind)?;
        let key = key.try_into().map_err(|_| NoteError::Key)?;
        let key = VerifyingKey::from_bytes(key).map_err(|_| NoteError::Key)?;
        if key.is_weak() {
            return Err(NoteError::Key);
        }
        let read = Self { name, kind, key };
        (read.hash() == hash)
            .then_some(read)
            .ok_or(NoteError::KeyHash)
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The first bytes of the digest over name, type and key; every signature carries them.
    pub fn hash(&self) -> [u8; 4] {
        key_hash(&self.name, self.kind, self.key.as_bytes())
    }

    /// The hash as the text form has it.
    pub fn hash_text(&self) -> String {
        to_hex(&self.hash())
    }

    pub(crate) fn is_same_key(&self, other: &Self) -> bool {
        self.key == other.key
    }

    fn check(&self, text: &str, bytes: &[u8]) -> Option<Checked> {
        let (at, message, signature) = match self.kind {
            KeyKind::Note => (None, text.to_owned(), bytes),
            KeyKind::Cosignature => {
                let (seconds, signature) = bytes.split_first_chunk::<8>()?;
                let seconds = u64::from_be_bytes(*seconds);
                let message = cosigned(seconds, text);
                (Some(seconds), message, signature)
            }
        };
        let signature = Ed25519Signature::from_slice(signature).ok()?;
        let holds = self.key.verify_strict(message.as_bytes(), &signature);
        holds.ok().map(|()| Checked {
            name: self.name.clone(),
            at,
        })
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = vec![self.kind.byte()];
        bytes.extend(self.key.as_bytes());
        let (hash, key) = (self.hash_text(), to_base64(&bytes));
        write!(f, "{}+{hash}+{key}", self.name)
    }
}

/// A private key with its name; it is wiped when dropped and cannot be printed.
pub struct SignerKey {
    name: String,
    kind: KeyKind,
    key: SigningKey,
}

impl fmt::Debug for SignerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SignerKey({}, withheld)", self.name)
    }
}

impl SignerKey {
    /// Makes a key from 32 random bytes.
    pub fn from_seed(name: &str, seed: &[u8; 32], kind: KeyKind) -> Result<Self, NoteError> {
        if !is_name(name) {
            return Err(NoteError::Name(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            kind,
            key: SigningKey::from_bytes(seed),
        })
    }

    /// Reads the text form `PRIVATE+KEY+name+hash+base64`.
    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let rest = text.strip_prefix(PRIVATE_START).ok_or(NoteError::Key)?;
        let (name, hash, bytes) = split_key(rest)?;
        let bytes = Zeroizing::new(bytes);
        let (kind, seed) = bytes.split_first().ok_or(NoteError::Key)?;
        let kind = KeyKind::parse(*kind)?;
        let mut seed: [u8; 32] = seed.try_into().map_err(|_| NoteError::Key)?;
        let read = Self::from_seed(&name, &seed, kind);
        seed.zeroize();
        let read = read?;
        let fits = read.verifier().hash() == hash;
        fits.then_some(read).ok_or(NoteError::KeyHash)
    }

    /// The text form, for the file that holds the key.
    pub fn to_private_text(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(vec![self.kind.byte()]);
        bytes.extend(self.key.as_bytes());
        let key = Zeroizing::new(to_base64(&bytes));
        let hash = to_hex(&self.verifier().hash());
        Zeroizing::new(format!("{PRIVATE_START}{}+{hash}+{}", self.name, *key))
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn verifier(&self) -> VerifierKey {
        VerifierKey {
            name: self.name.clone(),
            kind: self.kind,
            key: self.key.verifying_key(),
        }
    }

    /// The salt of a sealed body: a keyed digest of its label under a secret derived from the key. The
    /// same label always gives the same salt, and no salt reveals the key.
    pub fn salt(&self, label: &[u8]) -> [u8; 32] {
        let inner = Zeroizing::new(<[u8; 32]>::from(
            Sha256::new()
                .chain_update(b"capitalbench salts v1\n")
                .chain_update(self.key.as_bytes())
                .finalize(),
        ));
        hmac_sha256(&inner, &[label])
    }

    /// A signature line of a note; a witness key adds the second of the epoch at which it saw it.
    fn line(&self, text: &str, seconds: u64) -> String {
        let mut bytes = self.verifier().hash().to_vec();
        match self.kind {
            KeyKind::Note => bytes.extend(self.key.sign(text.as_bytes()).to_bytes()),
            KeyKind::Cosignature => {
                bytes.extend(seconds.to_be_bytes());
                let message = cosigned(seconds, text);
                bytes.extend(self.key.sign(message.as_bytes()).to_bytes());
            }
        }
        format!("{SIGNATURE_START}{} {}\n", self.name, to_base64(&bytes))
    }
}

/// HMAC-SHA-256 over the parts of a message, one after the other.
pub fn hmac_sha256(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // A key of 32 bytes is shorter than a block, so it is padded to one.
    let mut block = Zeroizing::new([0; 64]);
    block[..32].copy_from_slice(key);
    let mac = Hmac::<Sha256>::new((&*block).into());
    let mac = parts.iter().fold(mac, hmac::Mac::chain_update);
    mac.finalize().into_bytes().into()
}

/// A valid signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The name of the key.
    pub name: String,
    /// The second of the epoch at which a witness signed.
    pub at: Option<u64>,
}

/// A note in parts, before its signatures are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    text: String,
    signatures: Vec<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Signature {
    name: String,
    hash: [u8; 4],
    bytes: Vec<u8>,
    line: String,
}

impl Note {
    /// Makes a note with one signature.
    pub fn sign(text: &str, key: &SignerKey) -> Result<Self, NoteError> {
        let line = key.line(text, 0);
        Self::parse(format!("{text}\n{line}").as_bytes())
    }

    /// Reads a note without checking its signatures.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        let all = str::from_utf8(bytes).map_err(|_| NoteError::Form("it is not UTF-8"))?;
        if all.chars().any(|c| c < ' ' && c != '\n') {
            return Err(NoteError::Form("it has control characters"));
        }
        let end = all
            .rfind("\n\n")
            .ok_or(NoteError::Form("it has no signatures"))?;
        let (text, lines) = (&all[..=end], &all[end + 2..]);
        let lines = lines
            .strip_suffix('\n')
            .ok_or(NoteError::Form("its last line does not end with a newline"))?;
        let signatures: Option<Vec<Signature>> = lines.split('\n').map(signature).collect();
        let signatures = signatures.ok_or(NoteError::Form("a signature line is broken"))?;
        if signatures.len() > MOST_SIGNATURES {
            return Err(NoteError::Form("it has more than 100 signatures"));
        }
        Ok(Self {
            text: text.to_owned(),
            signatures,
        })
    }

    /// The signed text, including its last newline.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same note with one more signature.
    pub fn with_signature(&self, key: &SignerKey, seconds: u64) -> Result<Self, NoteError> {
        let line = key.line(&self.text, seconds);
        Self::parse(format!("{self}{line}").as_bytes())
    }

    /// The same note with further signature lines, each of which ends with a line feed.
    pub fn with_lines(&self, lines: &str) -> Result<Self, NoteError> {
        Self::parse(format!("{self}{lines}").as_bytes())
    }

    /// The first line that names a key, and what it says where its signature holds.
    pub fn signature_of(&self, key: &VerifierKey) -> Option<(&str, Option<Checked>)> {
        let own = |one: &&Signature| one.name == key.name && one.hash == key.hash();
        let found = self.signatures.iter().find(own)?;
        Some((&found.line, key.check(&self.text, &found.bytes)))
    }

    /// The signature lines with the name and the hash of their key.
    pub fn lines(&self) -> impl Iterator<Item = (&str, [u8; 4], &str)> {
        self.signatures
            .iter()
            .map(|one| (one.name.as_str(), one.hash, one.line.as_str()))
    }

    /// The signatures by the given keys; an invalid one among them refuses the note.
    pub fn verify(&self, keys: &[VerifierKey]) -> Result<Vec<Checked>, NoteError> {
        let mut checked: Vec<Checked> = Vec::new();
        for signature in &self.signatures {
            let own =
                |key: &&VerifierKey| key.name == signature.name && key.hash() == signature.hash;
            let Some(key) = keys.iter().find(own) else {
                continue;
            };
            let broken = || NoteError::Signature(signature.name.clone());
            let one = key.check(&self.text, &signature.bytes).ok_or_else(broken)?;
            if !checked.contains(&one) {
                checked.push(one);
            }
        }
        if checked.is_empty() {
            let names: Vec<&str> = keys.iter().map(VerifierKey::name).collect();
            return Err(NoteError::Unsigned(names.join(", ")));
        }
        Ok(checked)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        self.signatures
            .iter()
            .try_for_each(|signature| writeln!(f, "{}", signature.line))
    }
}

fn signature(line: &str) -> Option<Signature> {
    let (name, encoded) = line.strip_prefix(SIGNATURE_START)?.split_once(' ')?;
    let bytes = from_base64(encoded)?;
    let (hash, bytes) = bytes.split_first_chunk::<4>()?;
    (is_name(name) && !bytes.is_empty()).then(|| Signature {
        name: name.to_owned(),
        hash: *hash,
        bytes: bytes.to_vec(),
        line: line.to_owned(),
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name
            .chars()
            .any(|c| c.is_whitespace() || c == '+' || c < ' ')
}

fn key_hash(name: &str, kind: KeyKind, key: &[u8; 32]) -> [u8; 4] {
    let digest = Sha256::new()
        .chain_update(name)
        .chain_update([b'\n', kind.byte()])
        .chain_update(key)
        .finalize();
    [digest[0], digest[1], digest[2], digest[3]]
}

/// Splits the text form of a key into name, hash and bytes.
fn split_key(text: &str) -> Result<(String, [u8; 4], Vec<u8>), NoteError> {
    let (name, rest) = text.split_once('+').ok_or(NoteError::Key)?;
    let (hash, bytes) = rest.split_once('+').ok_or(NoteError::Key)?;
    if !is_name(name) {
        return Err(NoteError::Name(name.to_owned()));
    }
    let hash = from_hex(hash).ok_or(NoteError::Key)?;
    let bytes = from_base64(bytes).ok_or(NoteError::Key)?;
    Ok((name.to_owned(), hash, bytes))
}

fn cosigned(seconds: u64, text: &str) -> String {
    format!("cosignature/v1\ntime {seconds}\n{text}")
}

#[cfg(test)]
mod tests;
