//! [`Licence`]: what readers may do with the published data.

use std::fmt;

/// A licence by its SPDX identifier or by the address of its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Licence {
    /// Such as `CC-BY-4.0`.
    Spdx(String),
    /// Where its text stands.
    Address(String),
}

impl Licence {
    /// Reads an identifier or an address; none for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |c: char| c.is_ascii_graphic() && !"\"'<>\\".contains(c);
        if text.is_empty() || text.len() > 200 || !text.chars().all(is_plain) {
            return None;
        }
        if ["https://", "http://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            return Some(Self::Address(text.to_owned()));
        }
        let is_identifier = |c: char| c.is_ascii_alphanumeric() || "-.+".contains(c);
        let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        (begins && text.chars().all(is_identifier)).then(|| Self::Spdx(text.to_owned()))
    }

    /// Where its text stands; that of an identifier is in the list of SPDX.
    pub fn address(&self) -> String {
        match self {
            Self::Spdx(id) => format!("https://spdx.org/licenses/{id}.html"),
            Self::Address(address) => address.clone(),
        }
    }
}

impl fmt::Display for Licence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spdx(text) | Self::Address(text) => out.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests;
