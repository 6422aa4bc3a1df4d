//! What a sentence of Alpha Vantage means that comes in the place of prices.
//!
//! The service has no codes and answers with a status of success, so three things decide, in this
//! order, and the rest of the prose is not looked at:
//!
//! 1. a rate, such as `25 requests per day`: the sentence is about a limit. Sentences about the pace
//!    name the rate of the day as well, as a reason to buy, so the shortest period counts. Should the
//!    day be used up all the same, the plan's own count stops the fetch;
//! 2. the name of the parameter, `apikey`, in the member for errors or without a rate: the key;
//! 3. the member: an `Error Message` is about the question, anything else about the account.

use crate::price_source::Limit;

/// The member of the answer that holds the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Member {
    /// `Error Message`.
    Error,
    /// `Information`, or `Note` in older answers.
    Information,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    UnknownSymbol,
    KeyRefused,
    Limited(Limit),
    /// About the account, such as an endpoint that the plan does not include.
    Other,
}

pub(super) fn meaning(member: Member, text: &str) -> Meaning {
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match (shortest_rate(&words), member) {
        (Some(limit), _) => Meaning::Limited(limit),
        (None, _) if names_key(&words) => Meaning::KeyRefused,
        (None, Member::Error) => Meaning::UnknownSymbol,
        (None, Member::Information) => Meaning::Other,
    }
}

/// The shortest period of the rates `N requests per PERIOD`, or `N calls per PERIOD`.
fn shortest_rate(words: &[&str]) -> Option<Limit> {
    let period = |rate: &[&str]| match rate {
        [count, unit, "per", period] if is_count(count) && is_question(unit) => match *period {
            "second" => Some(Limit::PerSecond),
            "minute" => Some(Limit::PerMinute),
            "hour" => Some(Limit::Hourly),
            "day" => Some(Limit::Daily),
            _ => None,
        },
        _ => None,
    };
    let found: Vec<Limit> = words.windows(4).filter_map(period).collect();
    [
        Limit::PerSecond,
        Limit::PerMinute,
        Limit::Hourly,
        Limit::Daily,
    ]
    .into_iter()
    .find(|limit| found.contains(limit))
}

fn is_count(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_question(word: &str) -> bool {
    matches!(word, "request" | "requests" | "call" | "calls")
}

/// The parameter's own name, also written as two words.
fn names_key(words: &[&str]) -> bool {
    words.contains(&"apikey") || words.windows(2).any(|pair| pair == ["api", "key"])
}

#[cfg(test)]
mod tests;
