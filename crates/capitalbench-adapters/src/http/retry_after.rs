//! Reads how long a server asks to wait.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// The `Retry-After` header: seconds, or an instant counted from the answer's own `Date`.
///
/// Both instants come from the server's clock, so a wrong clock on this machine does no harm.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    wait(text(RETRY_AFTER)?, text(DATE))
}

/// The same from stored headers with lower-case names; `retry-after-ms` is finer, so it wins.
pub(crate) fn wait_asked_for(headers: &[(String, String)]) -> Option<Duration> {
    let text = |name: &str| {
        let found = headers.iter().find(|(kept, _)| kept == name);
        found.map(|(_, value)| value.as_str())
    };
    let precise = text("retry-after-ms")
        .and_then(|wanted| wanted.trim().parse::<f64>().ok())
        .and_then(|milliseconds| Duration::try_from_secs_f64(milliseconds / 1000.0).ok());
    precise.or_else(|| wait(text("retry-after")?, text("date")))
}

fn wait(wanted: &str, date: Option<&str>) -> Option<Duration> {
    let wanted = wanted.trim();
    if let Ok(seconds) = wanted.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = moment(wanted)?;
    let wait = moment(date?)?.duration_until(until);
    Some(Duration::try_from(wait).unwrap_or_default())
}

fn moment(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text.trim()).ok()
}

#[cfg(test)]
mod tests;
