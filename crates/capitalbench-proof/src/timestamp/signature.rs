//! Whose signature a token carries, over what, and whether a path leads from there to a root.

use jiff::Timestamp;
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm, UnixTime};
use sha2::{Digest as _, Sha256};
use webpki::{EndEntityCert, KeyUsage, anchor_from_trusted_cert};

use super::certificate::{Certificate, TIME_STAMPING};
use super::token::{OID_SHA256, TST_INFO, Token};
use super::{Refusal, Root, der};

const CONTENT_TYPE: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x03];
const MESSAGE_DIGEST: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x04];
const SIGNING_CERTIFICATE: [u8; 11] = [
    0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x02, 0x0c,
];
const SIGNING_CERTIFICATE_V2: [u8; 11] = [
    0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x02, 0x2f,
];
const OID_SHA384: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02];
const OID_SHA512: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03];

fn digest_of(oid: &[u8], bytes: &[u8]) -> Option<Vec<u8>> {
    Some(match oid {
        OID_SHA256 => Sha256::digest(bytes).to_vec(),
        OID_SHA384 => sha2::Sha384::digest(bytes).to_vec(),
        OID_SHA512 => sha2::Sha512::digest(bytes).to_vec(),
        _ => return None,
    })
}

impl<'a> Token<'a> {
    pub(super) fn signing_certificate(&self) -> Result<&Certificate<'a>, Refusal> {
        let id = self.signer.id;
        self.certificates
            .iter()
            .find(|certificate| match id.tag {
                der::SEQUENCE => {
                    let mut names = der::Der::new(id.body, "the signer's name");
                    let issuer = names.expect(der::SEQUENCE).map(|name| name.whole);
                    let serial = names.expect(der::INTEGER).map(|number| number.body);
                    issuer.is_ok_and(|issuer| issuer == certificate.issuer)
                        && serial.is_ok_and(|serial| serial == certificate.serial)
                }
                0x80 => certificate.has_key_id(id.body),
                _ => false,
            })
            .ok_or(Refusal::NoCertificate)
    }

    /// The signed attributes name content, digest and certificate; the signature covers them.
    pub(super) fn check_signature(&self, signer: &Certificate<'_>) -> Result<(), Refusal> {
        let oid = self.signer.digest_oid;
        let digest = digest_of(oid, self.content).ok_or(Refusal::Algorithm {
            what: "the signature",
        })?;
        if self.attribute(&CONTENT_TYPE)?.expect(der::OID)?.body != TST_INFO {
            return Err(Refusal::Signature);
        }
        if self
            .attribute(&MESSAGE_DIGEST)?
            .expect(der::OCTET_STRING)?
            .body
            != digest
        {
            return Err(Refusal::Signature);
        }
        self.check_named_certificate(signer)?;
        let mut covered = self.signer.attributes.whole.to_vec();
        // Signed as a SET OF, stored as `[0]`.
        covered[0] = der::SET;
        let certificate = CertificateDer::from(signer.whole);
        let key = EndEntityCert::try_from(&certificate).map_err(|_| Refusal::Malformed {
            what: "the signer's certificate",
        })?;
        let fits = algorithms_of(oid).iter().any(|algorithm| {
            key.verify_signature(*algorithm, &covered, self.signer.signature)
                .is_ok()
        });
        if fits {
            Ok(())
        } else {
            Err(Refusal::Signature)
        }
    }

    /// The one value of a signed attribute.
    fn attribute(&self, oid: &[u8]) -> Result<der::Der<'a>, Refusal> {
        const WHAT: &str = "the signed attributes";
        let mut list = der::Der::new(self.signer.attributes.body, WHAT);
        let mut found = None;
        while !list.is_empty() {
            let mut entry = list.enter(der::SEQUENCE)?;
            let is_wanted = entry.expect(der::OID)?.body == oid;
            let value = entry.enter(der::SET)?;
            if is_wanted && found.replace(value).is_some() {
                return Err(Refusal::Malformed { what: WHAT });
            }
        }
        found.ok_or(Refusal::Malformed { what: WHAT })
    }

    /// `SigningCertificate` (SHA-1) or `SigningCertificateV2`: nobody may swap the certificate.
    fn check_named_certificate(&self, signer: &Certificate<'_>) -> Result<(), Refusal> {
        let (mut value, first_version) = match self.attribute(&SIGNING_CERTIFICATE_V2) {
            Ok(value) => (value, false),
            Err(_) => (self.attribute(&SIGNING_CERTIFICATE)?, true),
        };
        let mut first = value
            .enter(der::SEQUENCE)?
            .enter(der::SEQUENCE)?
            .enter(der::SEQUENCE)?;
        let expected = if first_version {
            ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, signer.whole)
                .as_ref()
                .to_vec()
        } else {
            let oid = match first.optional(der::SEQUENCE)? {
                None => OID_SHA256,
                Some(algorithm) => {
                    der::Der::new(algorithm.body, "the signed attributes")
                        .expect(der::OID)?
                        .body
                }
            };
            digest_of(oid, signer.whole).ok_or(Refusal::Algorithm {
                what: "the name of the certificate",
            })?
        };
        if first.expect(der::OCTET_STRING)?.body == expected {
            Ok(())
        } else {
            Err(Refusal::Signature)
        }
    }

    pub(super) fn check_path(
        &self,
        signer: &Certificate<'_>,
        roots: &[Root],
    ) -> Result<(), Refusal> {
        let whole = CertificateDer::from(signer.whole);
        let end = EndEntityCert::try_from(&whole).map_err(|_| Refusal::Malformed {
            what: "the signer's certificate",
        })?;
        let roots: Vec<CertificateDer<'_>> = roots.iter().map(|root| root.der().into()).collect();
        let anchors = roots
            .iter()
            .map(anchor_from_trusted_cert)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Refusal::Root {
                reason: error.to_string(),
            })?;
        let between: Vec<CertificateDer<'_>> = self
            .certificates
            .iter()
            .map(|certificate| certificate.whole.into())
            .collect();
        let at = u64::try_from(self.info.at.as_second()).unwrap_or(0);
        let time = UnixTime::since_unix_epoch(std::time::Duration::from_secs(at));
        end.verify_for_usage(
            &ALL,
            &anchors,
            &between,
            time,
            KeyUsage::required_if_present(&TIME_STAMPING),
            None,
            None,
        )
        .map(|_| ())
        .map_err(|error| self.path_refusal(&error, signer))
    }

    fn path_refusal(&self, error: &webpki::Error, signer: &Certificate<'_>) -> Refusal {
        let instant = |time: &UnixTime| {
            i64::try_from(time.as_secs())
                .ok()
                .and_then(|seconds| Timestamp::from_second(seconds).ok())
                .unwrap_or(Timestamp::UNIX_EPOCH)
        };
        match error {
            webpki::Error::CertExpired { not_after, .. } => Refusal::Expired {
                until: instant(not_after),
                at: self.info.at,
            },
            webpki::Error::CertNotValidYet { not_before, .. } => Refusal::NotYetValid {
                from: instant(not_before),
                at: self.info.at,
            },
            other => Refusal::Untrusted {
                signer: signer.name(),
                reason: other.to_string(),
            },
        }
    }
}

type Algorithm = &'static dyn SignatureVerificationAlgorithm;

/// Everything a certificate of the path may be signed with.
static ALL: [Algorithm; 7] = [
    webpki::ring::RSA_PKCS1_2048_8192_SHA256,
    webpki::ring::RSA_PKCS1_2048_8192_SHA384,
    webpki::ring::RSA_PKCS1_2048_8192_SHA512,
    webpki::ring::ECDSA_P256_SHA256,
    webpki::ring::ECDSA_P256_SHA384,
    webpki::ring::ECDSA_P384_SHA256,
    webpki::ring::ECDSA_P384_SHA384,
];

/// What may sign a token whose digest algorithm this is.
fn algorithms_of(oid: &[u8]) -> Vec<Algorithm> {
    match oid {
        OID_SHA256 => vec![
            webpki::ring::RSA_PKCS1_2048_8192_SHA256,
            webpki::ring::ECDSA_P256_SHA256,
            webpki::ring::ECDSA_P384_SHA256,
        ],
        OID_SHA384 => vec![
            webpki::ring::RSA_PKCS1_2048_8192_SHA384,
            webpki::ring::ECDSA_P256_SHA384,
            webpki::ring::ECDSA_P384_SHA384,
        ],
        OID_SHA512 => vec![webpki::ring::RSA_PKCS1_2048_8192_SHA512],
        _ => Vec::new(),
    }
}
