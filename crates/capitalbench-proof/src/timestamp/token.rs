//! Reading a reply and judging it.

use jiff::Timestamp;

use super::certificate::Certificate;
use super::{Question, Refusal, Root, SHA256, der};
use crate::encoding::to_hex;

const SIGNED_DATA: [u8; 9] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
pub(super) const TST_INFO: [u8; 11] = [
    0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04,
];
pub(super) const OID_SHA256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
/// Clocks of honest machines differ by this much at most.
const CLOCK_SLACK_SECONDS: i64 = 60;

/// What a good token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The document existed before this instant; the stated accuracy is added.
    pub before: Timestamp,
    /// Who says so.
    pub authority: String,
    /// The authority's number for this token, in hexadecimal.
    pub serial: String,
}

pub(super) struct Token<'a> {
    pub(super) content: &'a [u8],
    pub(super) certificates: Vec<Certificate<'a>>,
    pub(super) signer: Signer<'a>,
    pub(super) info: Info<'a>,
}

pub(super) struct Info<'a> {
    pub(super) digest: [u8; 32],
    pub(super) serial: &'a [u8],
    pub(super) nonce: Option<&'a [u8]>,
    pub(super) at: Timestamp,
    pub(super) before: Timestamp,
}

pub(super) struct Signer<'a> {
    pub(super) id: der::Element<'a>,
    pub(super) digest_oid: &'a [u8],
    pub(super) attributes: der::Element<'a>,
    pub(super) signature: &'a [u8],
}

/// The instant in a reply, nothing checked; to name an anchor before it is trusted.
pub fn reply_time(reply: &[u8]) -> Result<Timestamp, Refusal> {
    read_reply(reply).map(|token| token.info.before)
}

/// Checks a whole reply (`TimeStampResp`) against the question and the roots the reader trusts.
///
/// `now` is the reader's clock; a token from the future is refused.
pub fn check(
    reply: &[u8],
    question: &Question,
    roots: &[Root],
    now: Timestamp,
) -> Result<Stamp, Refusal> {
    let token = read_reply(reply)?;
    let signer = token.check_answer(question, now)?;
    token.check_path(signer, roots)?;
    Ok(token.stamp(signer))
}

/// The same against several sets of roots: the stamp, and the first set that has a path to it.
pub fn check_below(
    reply: &[u8],
    question: &Question,
    sets: &[&[Root]],
    now: Timestamp,
) -> Result<(Stamp, usize), Refusal> {
    let token = read_reply(reply)?;
    let signer = token.check_answer(question, now)?;
    let mut refusal = Refusal::NoCertificate;
    for (place, roots) in sets.iter().enumerate() {
        match token.check_path(signer, roots) {
            Ok(()) => return Ok((token.stamp(signer), place)),
            Err(why) => refusal = why,
        }
    }
    Err(refusal)
}

/// The same for somebody who has no root at hand: whose clock it is stays open.
///
/// Everything else holds: hash, nonce, time, signature, and a certificate for time stamping that
/// was valid then.
pub fn check_without_root(
    reply: &[u8],
    question: &Question,
    now: Timestamp,
) -> Result<Stamp, Refusal> {
    let token = read_reply(reply)?;
    let signer = token.check_answer(question, now)?;
    match token.check_path(signer, &[]) {
        // The path is looked for after the certificate itself was found in order.
        Ok(()) | Err(Refusal::Untrusted { .. }) => Ok(token.stamp(signer)),
        Err(other) => Err(other),
    }
}

impl<'a> Token<'a> {
    /// Whether the token answers the question; gives the certificate that signed it.
    fn check_answer(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<&Certificate<'a>, Refusal> {
        if self.info.digest != question.digest {
            return Err(Refusal::OtherDigest {
                expected: to_hex(&question.digest),
                found: to_hex(&self.info.digest),
            });
        }
        if let Some(nonce) = question.nonce {
            let given = self.info.nonce.and_then(small_number);
            if given != Some(nonce) {
                return Err(Refusal::OtherNonce);
            }
        }
        if self.info.at.as_second() > now.as_second() + CLOCK_SLACK_SECONDS {
            return Err(Refusal::Future {
                at: self.info.at,
                now,
            });
        }
        let signer = self.signing_certificate()?;
        if !signer.is_for_time_stamping_alone() {
            return Err(Refusal::NotForTimeStamping);
        }
        self.check_signature(signer)?;
        Ok(signer)
    }

    fn stamp(&self, signer: &Certificate<'_>) -> Stamp {
        Stamp {
            before: self.info.before,
            authority: signer.name(),
            serial: to_hex(self.info.serial),
        }
    }
}

fn read_reply(reply: &[u8]) -> Result<Token<'_>, Refusal> {
    let mut outer = der::Der::new(reply, "the time stamp reply");
    let mut fields = outer.enter(der::SEQUENCE)?;
    outer.end()?;
    let mut status = fields.enter(der::SEQUENCE)?;
    let code = small_number(status.expect(der::INTEGER)?.body).unwrap_or(u64::MAX);
    // 0 is granted, 1 granted with modifications.
    if code > 1 {
        return Err(Refusal::Declined {
            status: code,
            text: words(&mut status),
        });
    }
    let token = fields.expect(der::SEQUENCE)?;
    fields.end()?;
    read_token(token.whole)
}

fn words(status: &mut der::Der<'_>) -> String {
    let mut said = String::new();
    if let Ok(Some(list)) = status.optional(der::SEQUENCE) {
        let mut list = der::Der::new(list.body, "the status");
        while let Ok(text) = list.element() {
            said.push_str(": ");
            said.extend(
                String::from_utf8_lossy(text.body)
                    .chars()
                    .filter(|letter| !letter.is_control())
                    .take(200),
            );
        }
    }
    said
}

fn read_token(whole: &[u8]) -> Result<Token<'_>, Refusal> {
    const WHAT: &str = "the time stamp token";
    let malformed = || Refusal::Malformed { what: WHAT };
    let mut content_info = der::Der::new(whole, WHAT).enter(der::SEQUENCE)?;
    if content_info.expect(der::OID)?.body != SIGNED_DATA {
        return Err(malformed());
    }
    let mut data = content_info.enter(der::CONTEXT_0)?.enter(der::SEQUENCE)?;
    content_info.end()?;
    data.expect(der::INTEGER)?;
    data.expect(der::SET)?;
    let mut encapsulated = data.enter(der::SEQUENCE)?;
    if encapsulated.expect(der::OID)?.body != TST_INFO {
        return Err(malformed());
    }
    let content = encapsulated
        .enter(der::CONTEXT_0)?
        .expect(der::OCTET_STRING)?
        .body;
    encapsulated.end()?;
    let mut certificates = Vec::new();
    if let Some(set) = data.optional(der::CONTEXT_0)? {
        let mut set = der::Der::new(set.body, WHAT);
        while !set.is_empty() {
            certificates.push(Certificate::read(set.expect(der::SEQUENCE)?.whole)?);
        }
    }
    data.optional(der::CONTEXT_1)?;
    let mut signers = data.enter(der::SET)?;
    data.end()?;
    let signer = read_signer(signers.enter(der::SEQUENCE)?)?;
    signers.end()?;
    Ok(Token {
        content,
        certificates,
        signer,
        info: read_info(content)?,
    })
}

fn read_signer(mut fields: der::Der<'_>) -> Result<Signer<'_>, Refusal> {
    fields.expect(der::INTEGER)?;
    let id = fields.element()?;
    let digest_oid = fields.enter(der::SEQUENCE)?.expect(der::OID)?.body;
    let attributes = fields.expect(der::CONTEXT_0)?;
    fields.expect(der::SEQUENCE)?;
    let signature = fields.expect(der::OCTET_STRING)?.body;
    fields.optional(der::CONTEXT_1)?;
    fields.end()?;
    Ok(Signer {
        id,
        digest_oid,
        attributes,
        signature,
    })
}

fn read_info(content: &[u8]) -> Result<Info<'_>, Refusal> {
    const WHAT: &str = "the time stamp's content";
    let mut outer = der::Der::new(content, WHAT);
    let mut info = outer.enter(der::SEQUENCE)?;
    outer.end()?;
    info.expect(der::INTEGER)?;
    info.expect(der::OID)?;
    let digest = imprint(&mut info)?;
    let serial = info.expect(der::INTEGER)?.body;
    let at = instant(info.expect(der::GENERALIZED_TIME)?.body)
        .ok_or(Refusal::Malformed { what: WHAT })?;
    let before = match info.optional(der::SEQUENCE)? {
        None => at,
        Some(accuracy) => accuracy_added(at, accuracy.body)?,
    };
    info.optional(der::BOOLEAN)?;
    let nonce = info.optional(der::INTEGER)?.map(|number| number.body);
    Ok(Info {
        digest,
        serial,
        nonce,
        at,
        before,
    })
}

/// `MessageImprint` with SHA-256.
pub(super) fn imprint(fields: &mut der::Der<'_>) -> Result<[u8; 32], Refusal> {
    let mut imprint = fields.enter(der::SEQUENCE)?;
    let algorithm = imprint.expect(der::SEQUENCE)?;
    let oid = der::Der::new(algorithm.body, "the message imprint")
        .expect(der::OID)?
        .body;
    if algorithm.whole != SHA256 && oid != OID_SHA256 {
        return Err(Refusal::Algorithm {
            what: "the message imprint",
        });
    }
    <[u8; 32]>::try_from(imprint.expect(der::OCTET_STRING)?.body).map_err(|_| Refusal::Malformed {
        what: "the message imprint",
    })
}

/// A non-negative INTEGER that fits.
pub(super) fn small_number(body: &[u8]) -> Option<u64> {
    let digits = match body {
        [] => return None,
        [first, ..] if *first >= 0x80 => return None,
        [0, rest @ ..] => rest,
        all => all,
    };
    if digits.len() > 8 {
        return None;
    }
    Some(
        digits
            .iter()
            .fold(0, |sum, &digit| (sum << 8) | u64::from(digit)),
    )
}

/// `YYYYMMDDhhmmss[.f…]Z`.
fn instant(body: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(body).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|letter| letter.is_ascii_digit());
    if whole.len() != 14
        || !digits(whole)
        || !digits(fraction)
        || fraction.len() > 9
        || text.ends_with('.')
    {
        return None;
    }
    let dot = if fraction.is_empty() { "" } else { "." };
    format!(
        "{}-{}-{}T{}:{}:{}{dot}{fraction}Z",
        &whole[..4],
        &whole[4..6],
        &whole[6..8],
        &whole[8..10],
        &whole[10..12],
        &whole[12..14],
    )
    .parse()
    .ok()
}

/// `Accuracy`: seconds, `[0]` milliseconds, `[1]` microseconds.
fn accuracy_added(at: Timestamp, body: &[u8]) -> Result<Timestamp, Refusal> {
    const WHAT: &str = "the time stamp's accuracy";
    let mut fields = der::Der::new(body, WHAT);
    let mut micros: u64 = 0;
    for (tag, unit) in [(der::INTEGER, 1_000_000), (0x80, 1_000), (0x81, 1)] {
        if let Some(number) = fields.optional(tag)? {
            let number = small_number(number.body).ok_or(Refusal::Malformed { what: WHAT })?;
            micros = micros.saturating_add(number.saturating_mul(unit));
        }
    }
    i64::try_from(micros)
        .ok()
        .and_then(|micros| {
            at.checked_add(jiff::SignedDuration::from_micros(micros))
                .ok()
        })
        .ok_or(Refusal::Malformed { what: WHAT })
}

#[cfg(test)]
mod tests;
