//! The few fields of a certificate that path building does not look at for us.

use super::{Refusal, der};

const EXTENDED_KEY_USAGE: [u8; 3] = [0x55, 0x1d, 0x25];
pub(super) const TIME_STAMPING: [u8; 8] = [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x08];
const COMMON_NAME: [u8; 3] = [0x55, 0x04, 0x03];
const ORGANIZATION: [u8; 3] = [0x55, 0x04, 0x0a];
const SUBJECT_KEY_ID: [u8; 3] = [0x55, 0x1d, 0x0e];

/// What tells one certificate from another, and what it may be used for.
pub(super) struct Certificate<'a> {
    pub(super) whole: &'a [u8],
    pub(super) serial: &'a [u8],
    pub(super) issuer: &'a [u8],
    subject: &'a [u8],
    extensions: Vec<Extension<'a>>,
}

struct Extension<'a> {
    oid: &'a [u8],
    critical: bool,
    value: &'a [u8],
}

const WHAT: &str = "a certificate of the token";

impl<'a> Certificate<'a> {
    pub(super) fn read(whole: &'a [u8]) -> Result<Self, Refusal> {
        let mut outer = der::Der::new(whole, WHAT);
        let mut certificate = outer.enter(der::SEQUENCE)?;
        let mut fields = certificate.enter(der::SEQUENCE)?;
        fields.optional(der::CONTEXT_0)?;
        let serial = fields.expect(der::INTEGER)?.body;
        fields.expect(der::SEQUENCE)?;
        let issuer = fields.expect(der::SEQUENCE)?.whole;
        fields.expect(der::SEQUENCE)?;
        let subject = fields.expect(der::SEQUENCE)?.body;
        fields.expect(der::SEQUENCE)?;
        let mut extensions = Vec::new();
        while !fields.is_empty() {
            let element = fields.element()?;
            if element.tag == der::CONTEXT_3 {
                let mut list = der::Der::new(element.body, WHAT).enter(der::SEQUENCE)?;
                while !list.is_empty() {
                    let mut entry = list.enter(der::SEQUENCE)?;
                    extensions.push(Extension {
                        oid: entry.expect(der::OID)?.body,
                        critical: entry
                            .optional(der::BOOLEAN)?
                            .is_some_and(|flag| flag.body == [0xff]),
                        value: entry.expect(der::OCTET_STRING)?.body,
                    });
                }
            }
        }
        Ok(Certificate {
            whole,
            serial,
            issuer,
            subject,
            extensions,
        })
    }

    /// RFC 3161, 2.3: the only purpose, and marked critical.
    pub(super) fn is_for_time_stamping_alone(&self) -> bool {
        self.extensions.iter().any(|extension| {
            extension.oid == EXTENDED_KEY_USAGE
                && extension.critical
                && der::Der::new(extension.value, WHAT)
                    .enter(der::SEQUENCE)
                    .and_then(|mut purposes| {
                        let only = purposes.expect(der::OID)?.body == TIME_STAMPING;
                        Ok(only && purposes.is_empty())
                    })
                    .unwrap_or(false)
        })
    }

    pub(super) fn has_key_id(&self, id: &[u8]) -> bool {
        self.extensions.iter().any(|extension| {
            extension.oid == SUBJECT_KEY_ID
                && der::Der::new(extension.value, WHAT)
                    .expect(der::OCTET_STRING)
                    .is_ok_and(|key| key.body == id)
        })
    }

    /// Common name, else organisation, for people.
    pub(super) fn name(&self) -> String {
        self.attribute(&COMMON_NAME)
            .or_else(|| self.attribute(&ORGANIZATION))
            .unwrap_or_else(|| "an authority without a name".to_owned())
    }

    fn attribute(&self, oid: &[u8]) -> Option<String> {
        let mut name = der::Der::new(self.subject, WHAT);
        let mut found = None;
        while !name.is_empty() {
            let mut set = name.enter(der::SET).ok()?;
            while !set.is_empty() {
                let mut pair = set.enter(der::SEQUENCE).ok()?;
                let is_wanted = pair.expect(der::OID).ok()?.body == oid;
                let text = pair.element().ok()?.body;
                if is_wanted {
                    found = Some(
                        String::from_utf8_lossy(text)
                            .chars()
                            .filter(|letter| !letter.is_control())
                            .collect(),
                    );
                }
            }
        }
        found
    }
}
