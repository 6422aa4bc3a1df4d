//! Reads from rate-limit headers how long a used-up allowance takes to renew.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Every service builds the two names of an allowance alike: where one says `remaining`, the other
/// says `reset`.
const REMAINING: &str = "remaining";
const RESET: &str = "reset";
/// Mistral names the span instead of an instant; the allowance is back after it at the latest.
const SPANS: [(&str, u64); 4] = [
    ("-minute", 60),
    ("-hour", 3_600),
    ("-day", 86_400),
    ("-month", 31 * 86_400),
];
/// Larger numbers are instants since 1970, in seconds or in milliseconds; no reset is 30 years ahead.
const EPOCH_SECONDS: f64 = 1e9;
const EPOCH_MILLISECONDS: f64 = 1e11;

/// The longest wait among used-up allowances; none if every allowance has something left.
pub(crate) fn wait_for_allowance(headers: &[(String, String)]) -> Option<Duration> {
    let used_up = headers
        .iter()
        .filter(|(name, value)| is_limit(name) && name.contains(REMAINING) && value.trim() == "0");
    let waits = used_up.filter_map(|(name, _)| {
        let reset = text(headers, &name.replacen(REMAINING, RESET, 1));
        let told = reset.and_then(|reset| until(reset, text(headers, "date")));
        told.or_else(|| span_of(name))
    });
    waits.max()
}

/// When a refused request may be sent again according to a reset that names no allowance, as
/// `OpenRouter` sends it.
pub(crate) fn wait_until_reset(headers: &[(String, String)]) -> Option<Duration> {
    let reset = text(headers, "x-ratelimit-reset").or_else(|| text(headers, "ratelimit-reset"))?;
    until(reset, text(headers, "date"))
}

fn is_limit(name: &str) -> bool {
    name.contains("ratelimit")
}

fn text<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(kept, _)| kept == name);
    found.map(|(_, value)| value.trim())
}

fn span_of(name: &str) -> Option<Duration> {
    let found = SPANS.iter().find(|(span, _)| name.ends_with(span));
    found.map(|(_, seconds)| Duration::from_secs(*seconds))
}

/// Reads an instant, counted from the answer's own date, or a duration such as `6m0s` or `12ms`.
fn until(reset: &str, date: Option<&str>) -> Option<Duration> {
    if let Ok(instant) = reset.parse::<Timestamp>() {
        return from_date(instant, date);
    }
    if let Ok(number) = reset.parse::<f64>() {
        return if number >= EPOCH_SECONDS {
            from_date(since_1970(number)?, date)
        } else {
            Duration::try_from_secs_f64(number).ok()
        };
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

fn since_1970(number: f64) -> Option<Timestamp> {
    let seconds = if number >= EPOCH_MILLISECONDS {
        number / 1000.0
    } else {
        number
    };
    let span = Duration::try_from_secs_f64(seconds).ok()?;
    Timestamp::UNIX_EPOCH.checked_add(span).ok()
}

/// Both instants come from the server's side, so a wrong clock on this machine does no harm.
fn from_date(instant: Timestamp, date: Option<&str>) -> Option<Duration> {
    let now = DateTimeParser::new().parse_timestamp(date?).ok()?;
    Some(Duration::try_from(now.duration_until(instant)).unwrap_or_default())
}

#[cfg(test)]
mod tests;
