//! How long until a used-up allowance is renewed, as the rate-limit headers tell.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// What stands before and after the name of an allowance, in its remaining and in its reset header.
const FORMS: [(&str, &str, &str); 2] = [
    ("x-ratelimit-", "remaining-{}", "reset-{}"),
    ("anthropic-ratelimit-", "{}-remaining", "{}-reset"),
];
/// What is allowed so many times a minute or a day.
const ALLOWANCES: [&str; 4] = ["requests", "tokens", "input-tokens", "output-tokens"];

/// The longest wait among the allowances of which nothing remains; none while something does.
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

/// An instant counted from the answer's own date, or a duration such as `6m0s` or `12ms`.
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
mod tests {
    use super::*;

    fn wait(headers: &[(&str, &str)]) -> Option<f64> {
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        wait_for_allowance(&headers).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn only_a_used_up_allowance_is_waited_for() {
        let left = "x-ratelimit-remaining-requests";
        let reset = "x-ratelimit-reset-requests";
        assert_eq!(wait(&[(left, "1"), (reset, "6m0s")]), None);
        assert_eq!(wait(&[(left, "0"), (reset, "6m0s")]), Some(360.0));
        assert_eq!(wait(&[(left, "0"), (reset, "12ms")]), Some(0.012));
        assert_eq!(wait(&[(left, "0"), (reset, "1.5")]), Some(1.5));
        assert_eq!(wait(&[(left, "0"), (reset, "soon")]), None);
        assert_eq!(wait(&[(left, "0")]), None);
        let both = [
            (left, "0"),
            (reset, "2s"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "1h1m1s"),
        ];
        assert_eq!(wait(&both), Some(3661.0));
    }

    #[test]
    fn an_instant_is_counted_from_the_answers_own_date() {
        let left = ("anthropic-ratelimit-output-tokens-remaining", "0");
        let reset = (
            "anthropic-ratelimit-output-tokens-reset",
            "2026-11-15T12:01:30Z",
        );
        let date = ("date", "Sun, 15 Nov 2026 12:00:00 GMT");
        assert_eq!(wait(&[left, reset, date]), Some(90.0));
        assert_eq!(wait(&[left, reset]), None);
        let past = ("date", "Sun, 15 Nov 2026 13:00:00 GMT");
        assert_eq!(wait(&[left, reset, past]), Some(0.0));
    }
}
