//! A reader of DER: definite, shortest lengths only, never beyond the bytes it was given.

use super::Refusal;

pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTET_STRING: u8 = 0x04;
pub(super) const OID: u8 = 0x06;
pub(super) const GENERALIZED_TIME: u8 = 0x18;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;
pub(super) const BOOLEAN: u8 = 0x01;
/// `[0]`, constructed.
pub(super) const CONTEXT_0: u8 = 0xa0;
/// `[1]`, constructed.
pub(super) const CONTEXT_1: u8 = 0xa1;
/// `[3]`, constructed.
pub(super) const CONTEXT_3: u8 = 0xa3;

/// One element: its tag, what it holds, and the whole of it.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    pub(super) tag: u8,
    pub(super) body: &'a [u8],
    pub(super) whole: &'a [u8],
}

/// What is left to read.
#[derive(Clone, Copy)]
pub(super) struct Der<'a> {
    rest: &'a [u8],
    /// Named in refusals.
    what: &'static str,
}

impl<'a> Der<'a> {
    pub(super) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Der { rest: bytes, what }
    }

    fn broken(&self) -> Refusal {
        Refusal::Malformed { what: self.what }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn element(&mut self) -> Result<Element<'a>, Refusal> {
        let (&tag, after_tag) = self.rest.split_first().ok_or_else(|| self.broken())?;
        let (&first, after_first) = after_tag.split_first().ok_or_else(|| self.broken())?;
        // Tags of more than one byte do not occur in what we read.
        if tag & 0x1f == 0x1f {
            return Err(self.broken());
        }
        let (length, body_on) = if first < 0x80 {
            (usize::from(first), after_first)
        } else {
            let width = usize::from(first & 0x7f);
            if width == 0 || width > 4 || after_first.len() < width || after_first[0] == 0 {
                return Err(self.broken());
            }
            let (digits, on) = after_first.split_at(width);
            let length = digits
                .iter()
                .fold(0_usize, |sum, &digit| (sum << 8) | usize::from(digit));
            if length < 0x80 {
                return Err(self.broken());
            }
            (length, on)
        };
        if body_on.len() < length {
            return Err(self.broken());
        }
        let head = self.rest.len() - body_on.len();
        let whole = &self.rest[..head + length];
        self.rest = &body_on[length..];
        Ok(Element {
            tag,
            body: &whole[head..],
            whole,
        })
    }

    pub(super) fn expect(&mut self, tag: u8) -> Result<Element<'a>, Refusal> {
        let element = self.element()?;
        if element.tag == tag {
            Ok(element)
        } else {
            Err(self.broken())
        }
    }

    /// The content of the next element, which must have this tag, as a reader.
    pub(super) fn enter(&mut self, tag: u8) -> Result<Der<'a>, Refusal> {
        let what = self.what;
        Ok(Der::new(self.expect(tag)?.body, what))
    }

    pub(super) fn optional(&mut self, tag: u8) -> Result<Option<Element<'a>>, Refusal> {
        if self.rest.first() == Some(&tag) {
            self.element().map(Some)
        } else {
            Ok(None)
        }
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Result<(), Refusal> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(self.broken())
        }
    }
}

/// One element around `parts`.
pub(super) fn wrap(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = vec![tag];
    if let Ok(short @ 0..0x80) = u8::try_from(length) {
        bytes.push(short);
    } else {
        let digits = length.to_be_bytes();
        let significant: Vec<u8> = digits.into_iter().skip_while(|&digit| digit == 0).collect();
        bytes.push(0x80 | u8::try_from(significant.len()).unwrap_or(8));
        bytes.extend(significant);
    }
    for part in parts {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// An unsigned number as an INTEGER.
pub(super) fn integer(number: u64) -> Vec<u8> {
    let digits = number.to_be_bytes();
    let mut body: Vec<u8> = digits.into_iter().skip_while(|&digit| digit == 0).collect();
    if body.first().is_none_or(|&digit| digit >= 0x80) {
        body.insert(0, 0);
    }
    wrap(INTEGER, &[&body])
}

#[cfg(test)]
mod tests;
