//! Names of entrants, and their public keys as text.

use std::fmt;

use crate::values::words::words;

/// Longest name of an entrant or a key.
const LONGEST: usize = 40;

/// Why a text is no [`EntrantName`] or no [`EntrantKey`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error(
        "{0:?} is not a name of at most {LONGEST} lower-case letters, digits and single hyphens \
         between them"
    )]
    Name(String),
    #[error("the text is not a public key of the form name+hash+base64")]
    Key,
}

/// A name of lower-case letters, digits and hyphens: files and pages are named by it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntrantName(String);

impl EntrantName {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if is_name(text) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError::Name(text.to_owned()))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut parts = text.split('-');
    text.len() <= LONGEST && parts.all(|part| !part.is_empty() && part.chars().all(plain))
}

/// A public key as `name+hash+base64`. Whether its hash fits is checked with its signatures.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntrantKey(String);

/// Characters of a type and a key of 32 bytes in base64.
const KEY_LENGTH: usize = 44;

impl EntrantKey {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let mut parts = text.split('+');
        let (name, hash) = (parts.next(), parts.next());
        let key = name.zip(hash).map(|(name, hash)| {
            let key = text.get(name.len() + hash.len() + 2..).unwrap_or_default();
            (name, hash, key)
        });
        let (name, hash, key) = key.ok_or(NameError::Key)?;
        if !is_name(name) {
            return Err(NameError::Name(name.to_owned()));
        }
        let is_hash = hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        if is_hash && key.len() == KEY_LENGTH && key.bytes().all(is_base64) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError::Key)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the entrant calls the key.
    pub fn name(&self) -> &str {
        self.0.split('+').next().unwrap_or_default()
    }
}

macro_rules! text {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = NameError;
            fn try_from(text: String) -> Result<Self, NameError> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text!(EntrantName);
text!(EntrantKey);

/// What takes part.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum EntrantKind {
    Model,
    Agent,
    Person,
    Fund,
}

words!(EntrantKind {
    Model => "model",
    Agent => "agent",
    Person => "person",
    Fund => "fund",
});

impl EntrantKind {
    pub const ALL: [Self; 4] = [Self::Model, Self::Agent, Self::Person, Self::Fund];
}
