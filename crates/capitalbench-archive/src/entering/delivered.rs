//! [`Delivered`]: a file that an entrant brought, told apart by its first line.

use capitalbench_core::decision::entering::admission::Refusal;
use capitalbench_core::decision::entering::names::EntrantKey;
use capitalbench_core::decision::entering::opening::Opening;
use capitalbench_core::decision::entering::registration::{REGISTRATION, Registration};
use capitalbench_core::decision::entering::sealed::{ENTRY, SealedEntry};
use capitalbench_proof::note::{KeyKind, Note, SignerKey, VerifierKey};
use capitalbench_proof::{from_base64, to_base64};

/// Largest file that is read; a note with a stamp has a few thousand bytes.
pub const LARGEST: usize = 64 << 10;
/// How the line of a stamp begins, after an empty line behind the signed note.
const STAMP: &str = "\nstamp ";

/// What an entrant brought; its signatures hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivered {
    Registration(Registration),
    Entry(SealedEntry),
    Opening(Opening),
}

/// The reply of a time stamp authority about a signed entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryStamp {
    /// Whom the entrant asked.
    pub authority: String,
    pub reply: Vec<u8>,
}

impl Delivered {
    /// Reads a file; a signature that does not hold refuses it.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let unread = |problem: String| Refusal::Unreadable(problem);
        if bytes.len() > LARGEST {
            return Err(unread(format!("it has more than {LARGEST} bytes")));
        }
        if bytes.starts_with(b"{") {
            let opening = Opening::parse(bytes).map_err(|error| unread(error.to_string()))?;
            return Ok(Self::Opening(opening));
        }
        let (note, _) = parts(bytes).map_err(unread)?;
        let note = Note::parse(note).map_err(|error| unread(error.to_string()))?;
        let text = note.text();
        if text.starts_with(REGISTRATION) {
            let read = Registration::parse(text).map_err(|error| unread(error.to_string()))?;
            // Whoever registers a key has it: every one of them signs.
            for key in &read.keys {
                require_signed(&note, key)?;
            }
            Ok(Self::Registration(read))
        } else if text.starts_with(ENTRY) {
            let read = SealedEntry::parse(text).map_err(|error| unread(error.to_string()))?;
            require_signed(&note, &read.key)?;
            Ok(Self::Entry(read))
        } else {
            let text =
                "its first line is neither that of a registration nor that of a sealed entry";
            Err(unread(text.to_owned()))
        }
    }
}

/// The key with the name of an entrant's own.
fn verifier(key: &EntrantKey) -> Result<VerifierKey, Refusal> {
    let wrong = |problem: String| Refusal::Unreadable(format!("key: {problem}"));
    let read = VerifierKey::parse(key.as_str()).map_err(|error| wrong(error.to_string()))?;
    if read.kind() == KeyKind::Note && read.to_string() == key.as_str() {
        Ok(read)
    } else {
        Err(wrong("is not a key that signs notes".to_owned()))
    }
}

fn require_signed(note: &Note, key: &EntrantKey) -> Result<(), Refusal> {
    let checked = note.verify(&[verifier(key)?]);
    checked
        .map(drop)
        .map_err(|error| Refusal::Altered(error.to_string()))
}

/// The file of a registration: its text with the signature of every key.
pub fn signed_registration(own: &Registration, keys: &[SignerKey]) -> Result<Vec<u8>, String> {
    let failed = |error: capitalbench_proof::note::NoteError| error.to_string();
    let (first, others) = keys.split_first().ok_or("a registration needs a key")?;
    let mut note = Note::sign(&own.to_text(), first).map_err(failed)?;
    for key in others {
        note = note.with_signature(key, 0).map_err(failed)?;
    }
    Ok(note.to_string().into_bytes())
}

/// The file of a sealed entry: its text with the signature of its key.
pub fn signed_entry(own: &SealedEntry, key: &SignerKey) -> Result<Vec<u8>, String> {
    let note = Note::sign(&own.to_text(), key).map_err(|error| error.to_string())?;
    Ok(note.to_string().into_bytes())
}

/// The same file with a stamp behind it.
pub fn with_stamp(note: &[u8], stamp: &EntryStamp) -> Vec<u8> {
    let line = format!("{STAMP}{} {}\n", stamp.authority, to_base64(&stamp.reply));
    [note, line.as_bytes()].concat()
}

/// The signed note of a file, which is what a stamp covers, and the stamps behind it.
pub fn parts(bytes: &[u8]) -> Result<(&[u8], Vec<EntryStamp>), String> {
    let text = str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let after = format!("\n{STAMP}");
    let Some(place) = text.find(&after) else {
        return Ok((bytes, Vec::new()));
    };
    let (note, rest) = text.split_at(place + 1);
    let mut stamps = Vec::new();
    for part in rest.split(STAMP).filter(|part| !part.is_empty()) {
        let line = part
            .strip_suffix('\n')
            .and_then(|line| line.split_once(' '));
        let read = line.and_then(|(authority, reply)| {
            let reply = from_base64(reply)?;
            Some(EntryStamp {
                authority: authority.to_owned(),
                reply,
            })
        });
        stamps.push(read.ok_or("a line `stamp ADDRESS BASE64` is broken")?);
    }
    Ok((note.as_bytes(), stamps))
}

#[cfg(test)]
mod tests;
