//! The values of the league file: how each is written and read.

use std::path::Path;

use capitalbench_core::asking::cost::Cost;
use capitalbench_core::league::settings::{Cadence, UniverseChoice};
use capitalbench_core::market::universes::versions;
use capitalbench_core::values::similar::closest;
use jiff::SignedDuration;
use jiff::civil::Weekday;
use serde_json::Value;

use crate::disk::error::Fault;
use crate::format::text::scalar::yaml_text;

/// The word for a limit or a folder that there is not.
pub(super) const NONE: &str = "none";
/// The only cadence of monthly rounds.
pub const FIRST_SESSION: &str = "first session";
/// The days on which the exchange opens.
pub(super) const WEEKDAYS: [(&str, Weekday); 5] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
];

pub(super) fn weekday(field: &str, text: &str) -> Result<Cadence, Fault> {
    let known = WEEKDAYS.iter().find(|(word, _)| *word == text.trim());
    let wrong = || Fault::field(field, "must be a day from monday to friday");
    known
        .map(|(_, day)| Cadence::Weekly(*day))
        .ok_or_else(wrong)
}

/// The word of a cadence.
pub fn cadence_text(cadence: Cadence) -> &'static str {
    let day = |day: Weekday| WEEKDAYS.iter().find(|(_, known)| *known == day);
    match cadence {
        Cadence::FirstSession => FIRST_SESSION,
        Cadence::Weekly(weekday) => day(weekday).map_or("monday", |(word, _)| word),
    }
}

/// A length of time such as `90m` or `1h 30m`.
pub(super) fn duration(field: &str, text: &str) -> Result<SignedDuration, Fault> {
    let wrong = || Fault::field(field, "must be a length of time such as 5m, 90m or 2h");
    let length: SignedDuration = text.trim().parse().map_err(|_| wrong())?;
    let is_whole = length.subsec_nanos() == 0 && !length.is_negative();
    is_whole.then_some(length).ok_or_else(wrong)
}

pub(super) fn duration_text(length: SignedDuration) -> String {
    let seconds = length.as_secs();
    match (seconds % 60, seconds / 60) {
        (0, minutes) => format!("{minutes}m"),
        _ => format!("{seconds}s"),
    }
}

/// A sum in US dollars, or `none`.
pub(super) fn money(field: &str, value: &Value) -> Result<Option<Cost>, Fault> {
    if value == NONE {
        return Ok(None);
    }
    let sum = value.as_f64().and_then(Cost::from_usd);
    let wrong = || Fault::field(field, "must be a sum in US dollars such as 5, or none");
    sum.map(Some).ok_or_else(wrong)
}

pub(super) fn money_text(sum: Option<Cost>) -> String {
    sum.map_or_else(|| NONE.to_owned(), |sum| sum.usd().to_string())
}

/// A share such as `50%`, in hundredths of a percent.
pub(super) fn basis_points(field: &str, text: &str) -> Result<u32, Fault> {
    let wrong = || Fault::field(field, "must be a share such as 50%");
    let number = text.trim().strip_suffix('%').ok_or_else(wrong)?.trim_end();
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    if whole.is_empty()
        || whole.len() > 5
        || part.len() > 2
        || !is_digits(whole)
        || !is_digits(part)
    {
        return Err(wrong());
    }
    format!("{whole}{part:0<2}").parse().map_err(|_| wrong())
}

pub(super) fn percent_text(basis_points: u32) -> String {
    let (whole, part) = (basis_points / 100, basis_points % 100);
    match part {
        0 => format!("{whole}%"),
        part => format!("{whole}.{part:02}%"),
    }
}

/// A shipped version, or the name of a YAML file.
pub(super) fn universe(text: &str) -> Result<UniverseChoice, Fault> {
    let text = text.trim();
    if versions().contains(&text) {
        return Ok(UniverseChoice::Shipped(text.to_owned()));
    }
    let ending = Path::new(text).extension();
    if ending.is_some_and(|ending| ending == "yaml" || ending == "yml") {
        return Ok(UniverseChoice::File(text.to_owned()));
    }
    let known = versions();
    let near = closest(text, known).map(|near| format!("; did you mean {near}?"));
    let problem = format!(
        "must be one of the shipped universes {} or a file whose name ends in .yaml{}",
        known.join(", "),
        near.unwrap_or_default()
    );
    Err(Fault::field("universe", problem))
}

/// A word out of a list; another one is refused with the nearest.
pub(super) fn one_of<T: Copy>(field: &str, text: &str, known: &[(&str, T)]) -> Result<T, Fault> {
    let found = known.iter().find(|(word, _)| *word == text.trim());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = known.iter().map(|(word, _)| *word).collect();
        let near = closest(text.trim(), words.iter().copied());
        let near = near.map(|near| format!("; did you mean {near}?"));
        let list = words.join(", ");
        Fault::field(
            field,
            format!("must be one of {list}{}", near.unwrap_or_default()),
        )
    })
}

/// A text on one line that is not blank.
pub(super) fn line(field: &str, text: &str) -> Result<String, Fault> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err(Fault::field(field, "must be one line of text"));
    }
    Ok(text.to_owned())
}

/// A scalar that reads back as exactly this text.
pub(super) fn text_of(text: &str) -> String {
    let plain = yaml_text(text);
    let is_whole = plain == text || plain == format!("'{}'", text.replace('\'', "''"));
    if is_whole {
        return plain;
    }
    Value::from(text).to_string()
}
