//! OpenTimestamps: a calendar takes a digest and later writes it into the Bitcoin chain.
//!
//! This module makes and reads proof files. The `ots` tool checks them against the chain.

use sha2::{Digest as _, Sha256};
use thiserror::Error;

/// How every proof file begins: with version 1, and the SHA-256 of the document as first step.
const MAGIC: &[u8] = b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01\x08";
const SHA256: u8 = 0x08;
const APPEND: u8 = 0xf0;
const PREPEND: u8 = 0xf1;
const FORK: u8 = 0xff;
const ATTESTATION: u8 = 0x00;
const PENDING: [u8; 8] = [0x83, 0xdf, 0xe3, 0x0d, 0x2e, 0xf9, 0x0c, 0x8e];
const BITCOIN: [u8; 8] = [0x05, 0x88, 0x96, 0x0d, 0x73, 0xd7, 0x19, 0x01];
/// The same limit as in the reference implementation.
const LONGEST_ARGUMENT: usize = 4096;
/// More steps than any calendar needs.
const MOST_STEPS: usize = 1_000;

/// A statement that a digest exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attestation {
    /// A calendar has promised to write it into the chain.
    Pending { calendar: String },
    /// A block of the chain holds it.
    Bitcoin { height: u64 },
    /// A kind that this program does not know.
    Unknown,
}

/// Why a proof file is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("the OpenTimestamps proof is malformed at byte {at}")]
    Malformed { at: usize },
    #[error("the OpenTimestamps proof is for another document")]
    OtherDocument,
}

/// The bytes to post to `<calendar>/digest`; the nonce keeps the digest from the calendar.
pub fn commitment(digest: &[u8; 32], nonce: &[u8; 16]) -> [u8; 32] {
    Sha256::new()
        .chain_update(digest)
        .chain_update(nonce)
        .finalize()
        .into()
}

/// Makes the proof file of a document from the calendar's reply.
pub fn proof_file(digest: &[u8; 32], nonce: &[u8; 16], reply: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(digest);
    file.extend_from_slice(&[APPEND, 16]);
    file.extend_from_slice(nonce);
    file.push(SHA256);
    file.extend_from_slice(reply);
    read(&file, digest).map(|_| file)
}

/// Reads all attestations in the proof file of the document with this digest.
pub fn read(file: &[u8], digest: &[u8; 32]) -> Result<Vec<Attestation>, Fault> {
    let rest = file.strip_prefix(MAGIC).ok_or(Fault::Malformed { at: 0 })?;
    let (named, _) = rest
        .split_first_chunk::<32>()
        .ok_or(Fault::Malformed { at: MAGIC.len() })?;
    if named != digest {
        return Err(Fault::OtherDocument);
    }
    let mut steps = Steps {
        file,
        at: MAGIC.len() + 32,
    };
    let mut found = Vec::new();
    // Every fork opens one more branch, and every branch ends with an attestation.
    let mut open: usize = 1;
    for _ in 0..MOST_STEPS {
        match steps.byte()? {
            FORK => open += 1,
            ATTESTATION => {
                found.push(steps.attestation()?);
                open -= 1;
                if open == 0 {
                    return steps.end().map(|()| found);
                }
            }
            APPEND | PREPEND => {
                steps.argument()?;
            }
            // SHA-1, RIPEMD-160, SHA-256, Keccak, reverse and hexlify have no argument.
            0x02 | 0x03 | SHA256 | 0x67 | 0xf2 | 0xf3 => {}
            _ => return Err(steps.broken()),
        }
    }
    Err(steps.broken())
}

struct Steps<'a> {
    file: &'a [u8],
    at: usize,
}

impl<'a> Steps<'a> {
    fn broken(&self) -> Fault {
        Fault::Malformed { at: self.at }
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        let byte = *self.file.get(self.at).ok_or_else(|| self.broken())?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let mut number: u64 = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.broken())
    }

    fn argument(&mut self) -> Result<&'a [u8], Fault> {
        let length = usize::try_from(self.number()?).map_err(|_| self.broken())?;
        if length > LONGEST_ARGUMENT || self.file.len() - self.at < length {
            return Err(self.broken());
        }
        let argument = &self.file[self.at..self.at + length];
        self.at += length;
        Ok(argument)
    }

    fn attestation(&mut self) -> Result<Attestation, Fault> {
        let mut kind = [0; 8];
        for byte in &mut kind {
            *byte = self.byte()?;
        }
        let payload = self.argument()?;
        let mut inner = Steps {
            file: payload,
            at: 0,
        };
        let inside = |_: Fault| self.broken();
        match kind {
            PENDING => {
                let text = inner.argument().map_err(inside)?;
                let calendar = String::from_utf8(text.to_vec()).map_err(|_| self.broken())?;
                if calendar.chars().any(char::is_control) {
                    return Err(self.broken());
                }
                Ok(Attestation::Pending { calendar })
            }
            BITCOIN => Ok(Attestation::Bitcoin {
                height: inner.number().map_err(inside)?,
            }),
            _ => Ok(Attestation::Unknown),
        }
    }

    fn end(&self) -> Result<(), Fault> {
        if self.at == self.file.len() {
            Ok(())
        } else {
            Err(self.broken())
        }
    }
}

#[cfg(test)]
mod tests;
