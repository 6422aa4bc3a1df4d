//! Names of things: rounds, runs, models and options, and the digest of some bytes.
//!
//! An id exists only after it was checked, so a folder name made from one cannot leave its folder.

use std::fmt;

use sha2::Digest as _;

/// Longest id in bytes that is accepted; longer names do not fit a file name with its suffix.
pub const MAX_ID_LENGTH: usize = 200;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Only white space, or nothing.
    #[error("the {kind} is blank")]
    Blank {
        /// What the id names.
        kind: &'static str,
    },
    /// Longer than [`MAX_ID_LENGTH`].
    #[error("the {kind} has {length} bytes; at most {MAX_ID_LENGTH} are allowed")]
    TooLong {
        /// What the id names.
        kind: &'static str,
        /// Length in bytes.
        length: usize,
    },
    /// Would not stay one plain name inside its folder.
    #[error(
        "the {kind} {text:?} cannot be a folder name: no slash, backslash, control character, `.` or `..`"
    )]
    NotAName {
        /// What the id names.
        kind: &'static str,
        text: String,
    },
}

fn checked<'a>(kind: &'static str, text: &'a str) -> Result<&'a str, IdError> {
    let text = text.trim();
    let length = text.len();
    if text.is_empty() {
        Err(IdError::Blank { kind })
    } else if length > MAX_ID_LENGTH {
        Err(IdError::TooLong { kind, length })
    } else {
        Ok(text)
    }
}

fn checked_name<'a>(kind: &'static str, text: &'a str) -> Result<&'a str, IdError> {
    let name = checked(kind, text)?;
    let leaves = name == "." || name == "..";
    if leaves
        || name
            .chars()
            .any(|c| c == '/' || c == '\\' || c.is_control())
    {
        let text = name.to_owned();
        return Err(IdError::NotAName { kind, text });
    }
    Ok(name)
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $check:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = IdError;
            /// Keeps the text where it is: caches hold many ids.
            fn try_from(text: String) -> Result<Self, IdError> {
                if $check($kind, &text)?.len() == text.len() {
                    Ok(Self(text))
                } else {
                    Self::parse(&text)
                }
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl $name {
            /// Checks and trims the text.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                $check($kind, text).map(|text| Self(text.to_owned()))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// Names a round and its folder.
    RoundId,
    "round id",
    checked_name
);
id!(
    /// Names a run and its folder inside a round.
    RunId,
    "run id",
    checked_name
);
id!(
    /// Names a contestant.
    ModelId,
    "model id",
    checked
);
id!(
    /// Names one option of a universe.
    OptionId,
    "option id",
    checked
);

impl ModelId {
    /// The id as a file stem: everything but letters, digits, `-`, `_` and `.` becomes `_`.
    pub fn file_stem(&self) -> String {
        self.0
            .chars()
            .map(|c| {
                if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                    c
                } else {
                    '_'
                }
            })
            .collect()
    }
}

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// A digest of bytes that come piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Digesting(sha2::Sha256);

impl Digesting {
    /// Adds bytes after those before.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all of them.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest as bytes.
    pub const fn bytes(&self) -> [u8; 32] {
        self.0
    }

    /// A digest that was kept as bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads 64 lower-case hexadecimal digits, and nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64
            || !digits
                .iter()
                .all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'f'))
        {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, start) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(text.get(start..start + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// Lower-case hexadecimal text.
    pub fn to_hex(self) -> String {
        use fmt::Write as _;
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests;
