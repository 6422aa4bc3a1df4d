use super::*;

#[test]
fn the_shortest_rate_of_a_notice_decides_how_long_to_wait() {
    for (text, limit) in [
        (
            "Thank you for using Alpha Vantage! Please consider spreading out your free API requests \
             more sparingly (1 request per second). You may subscribe to any of the premium plans to \
             lift the free key rate limit (25 requests per day), raise the per-second burst limit, \
             and instantly unlock all premium endpoints",
            Limit::PerSecond,
        ),
        (
            "Thank you for using Alpha Vantage! Our standard API call frequency is 5 calls per \
             minute and 500 calls per day.",
            Limit::PerMinute,
        ),
        (
            "We have detected your API key as ABC and our standard API rate limit is 25 requests \
             per day. Please subscribe to any of the premium plans to instantly remove all daily \
             rate limits.",
            Limit::Daily,
        ),
    ] {
        for member in [Member::Error, Member::Information] {
            assert_eq!(meaning(member, text), Meaning::Limited(limit), "{text}");
        }
    }
}

#[test]
fn a_refused_key_is_not_an_unknown_symbol() {
    let text = "the parameter apikey is invalid or missing. Please claim your free API key.";
    for text in [text, "Invalid apikey", "Invalid API key.", "APIKEY"] {
        for member in [Member::Error, Member::Information] {
            assert_eq!(meaning(member, text), Meaning::KeyRefused, "{text}");
        }
    }
}

#[test]
fn without_rate_and_key_the_member_decides() {
    let call = "Invalid API call. Please retry or visit the documentation \
                (https://www.alphavantage.co/documentation/) for TIME_SERIES_DAILY_ADJUSTED.";
    assert_eq!(meaning(Member::Error, call), Meaning::UnknownSymbol);
    let premium = "Thank you for using Alpha Vantage! This is a premium endpoint. You may subscribe \
                   to any of the premium plans to instantly unlock all premium endpoints";
    assert_eq!(meaning(Member::Information, premium), Meaning::Other);
    // Words that only look like a rate.
    for text in [
        "per day",
        "requests per day",
        "many requests per second",
        "1 per day",
    ] {
        assert_eq!(meaning(Member::Information, text), Meaning::Other, "{text}");
    }
}
