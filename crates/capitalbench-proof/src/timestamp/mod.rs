//! RFC 3161: what an outside clock is asked, and whether its answer holds.
//!
//! A token proves that a digest existed before the instant it names, to everybody who trusts the
//! authority that signed it. Certificates are judged at that instant, not today, so a token keeps
//! its worth after its certificate has run out. Revocation is not asked for: checks work offline.

mod certificate;
mod der;
mod signature;
mod token;

use jiff::Timestamp;
use thiserror::Error;

pub use token::{Stamp, check, check_below, check_without_root, reply_time};

/// SHA-256 as an `AlgorithmIdentifier`.
const SHA256: [u8; 15] = [
    0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
];

/// What a reply must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// SHA-256 of the document.
    pub digest: [u8; 32],
    /// A number nobody could have known before; absent where only the reply was kept.
    pub nonce: Option<u64>,
}

impl Question {
    /// The bytes to send, of type `application/timestamp-query`; also what `openssl ts` calls a
    /// query file. The authority is asked to enclose its certificates.
    pub fn to_query(&self) -> Vec<u8> {
        let imprint = der::wrap(
            der::SEQUENCE,
            &[&SHA256, &der::wrap(der::OCTET_STRING, &[&self.digest])],
        );
        let nonce = self.nonce.map(der::integer).unwrap_or_default();
        der::wrap(
            der::SEQUENCE,
            &[&der::integer(1), &imprint, &nonce, &[der::BOOLEAN, 1, 0xff]],
        )
    }

    /// Reads a stored query back.
    pub fn from_query(bytes: &[u8]) -> Result<Question, Refusal> {
        let mut outer = der::Der::new(bytes, "the time stamp query");
        let mut query = outer.enter(der::SEQUENCE)?;
        outer.end()?;
        query.expect(der::INTEGER)?;
        let digest = token::imprint(&mut query)?;
        let nonce = match query.optional(der::INTEGER)? {
            None => None,
            Some(number) => Some(token::small_number(number.body).ok_or(Refusal::OtherNonce)?),
        };
        Ok(Question { digest, nonce })
    }
}

/// Why a reply proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The authority answered, and said no.
    #[error("the authority gave no time stamp: status {status}{text}")]
    Declined {
        /// `PKIStatus` of the reply.
        status: u64,
        /// Its own words, with a leading colon, or nothing.
        text: String,
    },
    /// Not what RFC 3161 describes.
    #[error("{what} is malformed; it is not a DER time stamp of RFC 3161")]
    Malformed {
        /// The part that could not be read.
        what: &'static str,
    },
    /// The token is for another document.
    #[error("wrong hash: the token stamps {found}, this document is {expected}")]
    OtherDigest {
        /// Digest of the document at hand, in hexadecimal.
        expected: String,
        /// Digest in the token.
        found: String,
    },
    /// The token answers another question: an old reply may have been played back.
    #[error("wrong nonce: the reply does not belong to this question")]
    OtherNonce,
    /// A hash or signature we do not accept.
    #[error(
        "{what} uses an algorithm that is not accepted (SHA-256, SHA-384 or SHA-512 with RSA, P-256 or P-384 are)"
    )]
    Algorithm {
        /// The part that uses it.
        what: &'static str,
    },
    /// The certificate of the signer is not enclosed.
    #[error("the token does not enclose the certificate of its signer")]
    NoCertificate,
    /// The certificate may not sign time stamps.
    #[error("the signer's certificate is not one for time stamping alone")]
    NotForTimeStamping,
    /// Not valid when it signed.
    #[error("expired certificate: it was valid until {until}, the token says {at}")]
    Expired {
        /// End of its validity.
        until: Timestamp,
        /// The instant in the token.
        at: Timestamp,
    },
    /// Not valid yet when it signed.
    #[error("certificate not yet valid: it is valid from {from}, the token says {at}")]
    NotYetValid {
        /// Begin of its validity.
        from: Timestamp,
        /// The instant in the token.
        at: Timestamp,
    },
    /// No path from the signer to a root the reader trusts.
    #[error("untrusted root: no path from {signer:?} to a given root certificate ({reason})")]
    Untrusted {
        /// Name of the signer.
        signer: String,
        /// What the path building met.
        reason: String,
    },
    /// The signature does not fit.
    #[error("the signature of the token does not fit its content")]
    Signature,
    /// An instant that has not come.
    #[error("future time: the token says {at}, and it is {now}")]
    Future {
        /// The instant in the token.
        at: Timestamp,
        /// The reader's clock.
        now: Timestamp,
    },
    /// A root certificate that cannot be read.
    #[error("a given root certificate cannot be read: {reason}")]
    Root {
        /// Why.
        reason: String,
    },
}

/// A root certificate the reader trusts, in DER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(Vec<u8>);

impl Root {
    /// All certificates of a PEM file.
    pub fn from_pem(text: &[u8]) -> Result<Vec<Root>, Refusal> {
        use rustls_pki_types::{CertificateDer, pem::PemObject};
        let roots = CertificateDer::pem_slice_iter(text)
            .map(|certificate| certificate.map(|der| Root(der.to_vec())))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Refusal::Root {
                reason: format!("{error:?}"),
            })?;
        if roots.is_empty() {
            return Err(Refusal::Root {
                reason: "the file holds no certificate in PEM form".to_owned(),
            });
        }
        Ok(roots)
    }

    /// The roots of public authorities that this program ships, for readers who name none.
    ///
    /// The list says when it was taken and from where; certificates of web servers below these
    /// roots are refused, because their usage is not time stamping alone.
    pub fn public() -> Result<Vec<Root>, Refusal> {
        Self::from_pem(include_bytes!("../../roots/public.pem"))
    }

    /// The certificate in DER.
    pub fn der(&self) -> &[u8] {
        &self.0
    }
}
