//! [`Lines`]: the text of a signed note as `word value` lines in a fixed order.

use std::fmt;

/// Longest value of a line.
const LONGEST: usize = 400;

/// Why a text has not the form that it must have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    #[error("the first line must be {0:?}")]
    Format(&'static str),
    #[error("a line `{0} …` is missing, or stands elsewhere")]
    Missing(&'static str),
    #[error("{word}: {problem}")]
    Value { word: &'static str, problem: String },
    #[error("the line {0:?} is not expected here")]
    Unexpected(String),
    #[error("the text is not written as this program writes it: {0}")]
    Other(String),
}

impl FormError {
    pub(super) fn value(word: &'static str, problem: impl fmt::Display) -> Self {
        Self::Value {
            word,
            problem: problem.to_string(),
        }
    }
}

/// Lines that are read one after the other.
pub(super) struct Lines<'a> {
    rest: std::iter::Peekable<std::str::Split<'a, char>>,
}

impl<'a> Lines<'a> {
    /// The lines after the first one, which names the format.
    pub(super) fn of(text: &'a str, format: &'static str) -> Result<Self, FormError> {
        let body = text.strip_suffix('\n').ok_or(FormError::Format(format))?;
        let mut rest = body.split('\n').peekable();
        match rest.next() {
            Some(line) if line == format => Ok(Self { rest }),
            _ => Err(FormError::Format(format)),
        }
    }

    /// The value of the next line, which must begin with this word.
    pub(super) fn take(&mut self, word: &'static str) -> Result<&'a str, FormError> {
        self.optional(word)?.ok_or(FormError::Missing(word))
    }

    /// The same where the line may be left out.
    pub(super) fn optional(&mut self, word: &'static str) -> Result<Option<&'a str>, FormError> {
        let value = |line: &&'a str| line.strip_prefix(word)?.strip_prefix(' ');
        let Some(found) = self.rest.peek().and_then(value) else {
            return Ok(None);
        };
        self.rest.next();
        plain(found)
            .map_err(|problem| FormError::Value { word, problem })
            .map(|()| Some(found))
    }

    /// The same where the line may be there several times.
    pub(super) fn all(&mut self, word: &'static str) -> Result<Vec<&'a str>, FormError> {
        let mut found = Vec::new();
        while let Some(value) = self.optional(word)? {
            found.push(value);
        }
        Ok(found)
    }

    pub(super) fn end(mut self) -> Result<(), FormError> {
        let left = self.rest.next();
        left.map_or(Ok(()), |line| {
            Err(FormError::Unexpected(line.chars().take(80).collect()))
        })
    }
}

/// Whether a value fits on a line as it is.
pub(super) fn plain(value: &str) -> Result<(), String> {
    if value.is_empty() || value.trim() != value {
        return Err("must not be empty or begin or end with a blank".to_owned());
    }
    if value.chars().any(char::is_control) {
        return Err("must be one line without control characters".to_owned());
    }
    if value.len() > LONGEST {
        return Err(format!("must have at most {LONGEST} bytes"));
    }
    Ok(())
}
