//! [`MarketFile`]: a market as a person writes it, one line for every unusual day.

use jiff::civil::{Date, Weekday};
use serde::{Deserialize, Serialize};

use super::MINUTES_PER_DAY;
use crate::values::time::parse_day;

/// A market file. Times are those of its clocks; `24:30` is half past midnight on the next day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MarketFile {
    /// Its ISO 10383 code, or `24/7`.
    pub market: String,
    pub name: String,
    /// Where its clocks hang.
    pub city: String,
    /// A name of the tz database, such as `Europe/Berlin`.
    pub zone: String,
    /// Three letters, such as `EUR`.
    pub currency: String,
    /// How often it has a price that a round may use: `daily`, one close per session.
    pub granularity: String,
    /// The time at which a vendor's rows of a day are final.
    pub rows_final: String,
    /// The first day that the lists below cover.
    pub known_from: String,
    /// The last one: no round is planned beyond it.
    pub known_to: String,
    /// Days of the week without a session.
    pub weekend: Vec<String>,
    /// `2015-01-01 09:00-15:00 lunch 11:30-12:30`: the usual hours from a day on, oldest first.
    pub hours: Vec<String>,
    /// `2026-12-25 Christmas Day` or `2026-10-01..2026-10-07 National Day`.
    #[serde(default)]
    pub closed: Vec<String>,
    /// `2026-12-30 14:00 the last session of the year`.
    #[serde(default)]
    pub early_closes: Vec<String>,
    /// `2025-10-21 13:45-14:45 Diwali Muhurat`: a session on a day that would have none.
    #[serde(default)]
    pub special_sessions: Vec<String>,
}

/// What is wrong with a market file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct MarketError {
    /// The key of the file.
    pub field: &'static str,
    /// What is wrong with it, and an example of what would be right.
    pub problem: String,
}

impl MarketError {
    pub(super) fn field(field: &'static str, problem: impl Into<String>) -> Self {
        let problem = problem.into();
        Self { field, problem }
    }
}

/// Hours of a session in minutes after midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hours {
    pub opens: i64,
    pub closes: i64,
    pub lunch: Option<(i64, i64)>,
}

impl MarketFile {
    /// The file as YAML lines, for a manifest that keeps it.
    pub fn yaml_lines(&self, text: impl Fn(&str) -> String) -> Vec<String> {
        let singles = [
            ("market", &self.market),
            ("name", &self.name),
            ("city", &self.city),
            ("zone", &self.zone),
            ("currency", &self.currency),
            ("granularity", &self.granularity),
            ("rows_final", &self.rows_final),
            ("known_from", &self.known_from),
            ("known_to", &self.known_to),
        ];
        let lists = [
            ("weekend", &self.weekend),
            ("hours", &self.hours),
            ("closed", &self.closed),
            ("early_closes", &self.early_closes),
            ("special_sessions", &self.special_sessions),
        ];
        let singles = singles.map(|(key, value)| format!("{key}: {}", text(value)));
        let mut lines = Vec::from(singles);
        for (key, values) in lists {
            if values.is_empty() {
                lines.push(format!("{key}: []"));
                continue;
            }
            lines.push(format!("{key}:"));
            lines.extend(values.iter().map(|value| format!("- {}", text(value))));
        }
        lines
    }
}

/// `09:30` in minutes; up to 48 hours, so that a time of the next day can be named.
pub(super) fn minutes(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    let number = |part: &str| {
        let two = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        two.then(|| part.parse::<i64>().ok())?
    };
    let (hour, minute) = (number(hour)?, number(minute)?);
    let total = hour * 60 + minute;
    (minute < 60 && total < 2 * MINUTES_PER_DAY).then_some(total)
}

/// `09:30-16:00`; a session ends by midnight.
pub(super) fn span(text: &str) -> Option<(i64, i64)> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (minutes(from)?, minutes(to)?);
    (from < to && to <= MINUTES_PER_DAY).then_some((from, to))
}

/// `2015-01-01 09:00-15:00 lunch 11:30-12:30`, the break left out where there is none.
pub(super) fn dated_hours(text: &str) -> Option<(Date, Hours)> {
    let words: Vec<&str> = text.split(' ').collect();
    let (day, hours, lunch) = match words[..] {
        [day, hours] => (day, hours, None),
        [day, hours, "lunch", lunch] => (day, hours, Some(span(lunch)?)),
        _ => return None,
    };
    let (opens, closes) = span(hours)?;
    if lunch.is_some_and(|(from, to)| from <= opens || to >= closes) {
        return None;
    }
    let hours = Hours {
        opens,
        closes,
        lunch,
    };
    Some((parse_day(day)?, hours))
}

/// A reason for people: some text on one line.
pub(super) fn reason(text: &str) -> Option<&str> {
    let fits = !text.trim().is_empty() && text.len() <= 120 && !text.contains(char::is_control);
    fits.then_some(text)
}

/// `2026-12-25 Christmas Day`, or the first and last of several days.
pub(super) fn dated_reason(text: &str) -> Option<(Date, Date, &str)> {
    let (days, why) = text.split_once(' ')?;
    let (first, last) = match days.split_once("..") {
        Some((first, last)) => (parse_day(first)?, parse_day(last)?),
        None => (parse_day(days)?, parse_day(days)?),
    };
    (first <= last).then_some(())?;
    Some((first, last, reason(why)?))
}

/// `2026-12-30 14:00 the last session of the year`: day, time and reason, the time read by `read`.
pub(super) fn timed_reason<T>(
    text: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<(Date, T, &str)> {
    let (day, rest) = text.split_once(' ')?;
    let (time, why) = rest.split_once(' ')?;
    Some((parse_day(day)?, read(time)?, reason(why)?))
}

/// The days of a week by their names.
pub(super) const WEEK: [(Weekday, &str); 7] = [
    (Weekday::Monday, "Monday"),
    (Weekday::Tuesday, "Tuesday"),
    (Weekday::Wednesday, "Wednesday"),
    (Weekday::Thursday, "Thursday"),
    (Weekday::Friday, "Friday"),
    (Weekday::Saturday, "Saturday"),
    (Weekday::Sunday, "Sunday"),
];
