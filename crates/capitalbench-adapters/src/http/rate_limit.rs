//! Reads from rate-limit headers how long a used-up allowance takes to renew.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Prefix of the headers, and the forms of the remaining and the reset header around an allowance.
const FORMS: [(&str, &str, &str); 2] = [
    ("x-ratelimit-", "remaining-{}", "reset-{}"),
    ("anthropic-ratelimit-", "{}-remaining", "{}-reset"),
];
const ALLOWANCES: [&str; 4] = ["requests", "tokens", "input-tokens", "output-tokens"];

/// The longest wait among used-up allowances; none if every allowance has something left.
pub(crate) fn wait_for_allowance(headers: &[(String, String)]) -> Option<Duration> {
    let text = |name: &str| {
        let found = headers.iter().find(|(kept, _)| kept == name);
        found.map(|(_, value)| value.trim())
    };
    let mut longest = None;
    for (prefix, remaining, reset) in FORMS {
        for allowance in ALLOWANCES {
            let header = |form: &str| text(&format!("{prefix}{}", form.replace("{}", allowance)));
            if header(remaining) != Some("0") {
                continue;
            }
            let wait = header(reset).and_then(|reset| until(reset, text("date")));
            longest = longest.max(wait);
        }
    }
    longest
}

/// Reads an instant, counted from the answer's own date, or a duration such as `6m0s` or `12ms`.
fn until(reset: &str, date: Option<&str>) -> Option<Duration> {
    if let Ok(instant) = reset.parse::<Timestamp>() {
        let now = DateTimeParser::new().parse_timestamp(date?).ok()?;
        return Some(Duration::try_from(now.duration_until(instant)).unwrap_or_default());
    }
    if let Ok(seconds) = reset.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut left = reset;
    let mut seconds = 0.0;
    while !left.is_empty() {
        let end = left.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = left.split_at(end);
        let unit_end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let scale = match unit {
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        seconds += number.parse::<f64>().ok()? * scale;
        left = next;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests;
