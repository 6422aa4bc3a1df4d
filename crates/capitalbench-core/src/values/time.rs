//! Instants and days as the archive writes them.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;

/// An instant together with the text it was written as.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stamp {
    text: String,
    at: Timestamp,
}

impl Stamp {
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

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A day written `YYYY-MM-DD`, and nothing else.
pub fn parse_day(text: &str) -> Option<Date> {
    let [y3, y2, y1, y0, b'-', m1, m0, b'-', d1, d0] = *text.trim().as_bytes() else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |value, digit| {
            let digit = digit.is_ascii_digit().then(|| i16::from(digit - b'0'))?;
            Some(value * 10 + digit)
        })
    };
    let month = i8::try_from(number(&[m1, m0])?).ok()?;
    let day = i8::try_from(number(&[d1, d0])?).ok()?;
    Date::new(number(&[y3, y2, y1, y0])?, month, day).ok()
}

/// Calendar days from one day to another; negative when `to` is earlier.
pub fn days_between(from: Date, to: Date) -> i32 {
    from.until(to).map_or(0, |span| span.get_days())
}

/// The regular close of the New York session on this day: 16:00 local time.
///
/// Early closes are not known here, so this is the latest moment the session may have ended.
pub(crate) fn regular_close(day: Date) -> Option<Timestamp> {
    let hour = if daylight_saving(day) { 20 } else { 21 };
    let close = day.at(hour, 0, 0, 0);
    jiff::tz::TimeZone::UTC.to_timestamp(close).ok()
}

/// United States rule since 2007: from the second Sunday of March to the first Sunday of November.
fn daylight_saving(day: Date) -> bool {
    let nth_sunday = |month: i8, nth: i8| {
        Date::new(day.year(), month, 1)
            .and_then(|first| first.nth_weekday_of_month(nth, jiff::civil::Weekday::Sunday))
    };
    match (nth_sunday(3, 2), nth_sunday(11, 1)) {
        (Ok(start), Ok(end)) => start <= day && day < end,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
