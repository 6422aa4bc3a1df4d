//! Signed notes (C2SP signed-note): a text, an empty line, and one line per signature.
//!
//! The log signs with Ed25519 (type 1); witnesses add cosignatures with their own instant
//! (type 4, C2SP tlog-cosignature). A signature of a key that nobody named says nothing and is
//! left alone; one of a named key that does not hold refuses the note.

use std::fmt;

use ed25519_dalek::{Signature as Ed25519Signature, Signer as _, SigningKey, VerifyingKey};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use zeroize::{Zeroize as _, Zeroizing};

use crate::encoding::{from_base64, from_hex, to_base64, to_hex};

const SIGNATURE_START: &str = "\u{2014} ";
const PRIVATE_START: &str = "PRIVATE+KEY+";
/// More signatures than this are not looked at, as in other implementations.
const MOST_SIGNATURES: usize = 100;

/// Why a key or a note is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// A name that cannot stand in a signature line.
    #[error("the key name {0:?} is empty or has a space or a plus in it")]
    Name(String),
    /// Not a key in text form.
    #[error("is not a key of the form name+hash+base64")]
    Key,
    /// A key of a kind that this program does not know.
    #[error("is a key of a type that is not known here")]
    KeyKind,
    /// The hash in a key does not fit it.
    #[error("the hash in the key does not fit its name and bytes")]
    KeyHash,
    /// Not a signed note.
    #[error("is not a signed note: {0}")]
    Form(&'static str),
    /// A signature of a known key does not hold.
    #[error("the signature of {0} does not hold: the text or the signature was changed")]
    Signature(String),
    /// None of the signatures is by a key that was given.
    #[error("has no signature by {0}")]
    Unsigned(String),
}

/// What a key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// The text of a note.
    Note,
    /// A checkpoint together with the instant at which it was seen.
    Cosignature,
}

impl KeyKind {
    fn byte(self) -> u8 {
        match self {
            Self::Note => 1,
            Self::Cosignature => 4,
        }
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
        let kind = match kind {
            1 => KeyKind::Note,
            4 => KeyKind::Cosignature,
            _ => return Err(NoteError::KeyKind),
        };
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

    /// Whose key it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it signs.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The first bytes of the digest over name, type and key; signatures carry them.
    pub fn hash(&self) -> [u8; 4] {
        key_hash(&self.name, self.kind, self.key.as_bytes())
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
        let (hash, key) = (to_hex(&self.hash()), to_base64(&bytes));
        write!(f, "{}+{hash}+{key}", self.name)
    }
}

/// A private key with its name; it is wiped when it is dropped and has no printed form.
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
    /// A key from 32 bytes that nobody can guess.
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
        let kind = match kind {
            1 => KeyKind::Note,
            4 => KeyKind::Cosignature,
            _ => return Err(NoteError::KeyKind),
        };
        let mut seed: [u8; 32] = seed.try_into().map_err(|_| NoteError::Key)?;
        let read = Self::from_seed(&name, &seed, kind);
        seed.zeroize();
        let read = read?;
        let fits = read.verifier().hash() == hash;
        fits.then_some(read).ok_or(NoteError::KeyHash)
    }

    /// The text form, for the one file that holds the key.
    pub fn to_private_text(&self) -> Zeroizing<String> {
        let mut bytes = Zeroizing::new(vec![self.kind.byte()]);
        bytes.extend(self.key.as_bytes());
        let key = Zeroizing::new(to_base64(&bytes));
        let hash = to_hex(&self.verifier().hash());
        Zeroizing::new(format!("{PRIVATE_START}{}+{hash}+{}", self.name, *key))
    }

    /// Whose key it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The public half.
    pub fn verifier(&self) -> VerifierKey {
        VerifierKey {
            name: self.name.clone(),
            kind: self.kind,
            key: self.key.verifying_key(),
        }
    }

    /// A secret that follows from the key and from which it cannot be found: keyed digests of
    /// labels are the salts of sealed bodies, the same ones whenever they are asked for.
    pub fn salt(&self, label: &[u8]) -> [u8; 32] {
        let inner = Zeroizing::new(<[u8; 32]>::from(
            Sha256::new()
                .chain_update(b"capitalbench salts v1\n")
                .chain_update(self.key.as_bytes())
                .finalize(),
        ));
        hmac_sha256(&inner, &[label])
    }

    /// A signature line of a note; a witness key says at which second of the epoch it saw it.
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

/// A signature that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// By whom.
    pub name: String,
    /// The second of the epoch that a witness put to it.
    pub at: Option<u64>,
}

/// A note in parts, nothing checked yet.
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
    /// A note with one signature.
    pub fn sign(text: &str, key: &SignerKey) -> Result<Self, NoteError> {
        let line = key.line(text, 0);
        Self::parse(format!("{text}\n{line}").as_bytes())
    }

    /// Reads a note.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        let all = str::from_utf8(bytes).map_err(|_| NoteError::Form("it is not UTF-8"))?;
        if all.chars().any(|c| c < ' ' && c != '\n') {
            return Err(NoteError::Form("it has control characters"));
        }
        let end = all.rfind("\n\n").ok_or(NoteError::Form("no signatures"))?;
        let (text, lines) = (&all[..=end], &all[end + 2..]);
        let lines = lines
            .strip_suffix('\n')
            .ok_or(NoteError::Form("its last line has no end"))?;
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

    /// The signed text, with its last line end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same note with one more signature.
    pub fn with_signature(&self, key: &SignerKey, seconds: u64) -> Result<Self, NoteError> {
        let line = key.line(&self.text, seconds);
        Self::parse(format!("{self}{line}").as_bytes())
    }

    /// The signatures by the given keys; one that does not hold refuses the note.
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

/// Name, hash and bytes of the text form of a key.
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
