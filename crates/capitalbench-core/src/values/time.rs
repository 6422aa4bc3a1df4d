//! Instants and days as the archive writes them.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;

/// An instant together with the text it was written as.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct WrittenInstant {
    text: String,
    at: Timestamp,
}

impl WrittenInstant {
    /// Accepts `2026-05-10T20:32:48Z` and `2026-05-10T20:32:48.646064+00:00`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let at: Timestamp = text.parse().ok()?;
        Some(Self {
            text: text.to_owned(),
            at,
        })
    }

    /// An instant in its shortest text.
    pub fn of(at: Timestamp) -> Self {
        Self {
            text: at.to_string(),
            at,
        }
    }

    /// The instant.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for WrittenInstant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A day written `YYYY-MM-DD`, and nothing else.
pub fn parse_day(text: &str) -> Option<Date> {
    let text = text.trim();
    let fits = |(place, letter): (usize, u8)| match place {
        4 | 7 => letter == b'-',
        _ => letter.is_ascii_digit(),
    };
    let written = text.len() == 10 && text.bytes().enumerate().all(fits);
    text.parse().ok().filter(|_| written)
}

/// Calendar days from one day to another; negative when `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

#[cfg(test)]
mod tests;
