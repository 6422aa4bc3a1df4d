//! Alpha Vantage as a source: its plan is a setting, and its notices mean what they say.

use crate::fake_tiingo::{FakeTiingo, KEY, json};
use crate::harness::{Ran, Test};
use crate::operator::{FETCH_CSV, ROUND, researched};

/// Two sessions, which is enough for a row of the table.
const SERIES: &str = r#"{"Time Series (Daily)":{
 "2026-12-04":{"4. close":"101.0","5. adjusted close":"101.0","6. volume":"1","7. dividend amount":"0.0","8. split coefficient":"1.0"},
 "2026-12-03":{"4. close":"100.0","5. adjusted close":"100.0","6. volume":"1","7. dividend amount":"0.0","8. split coefficient":"1.0"}}}"#;
const PACE: &str = r#"{"Information":"Please consider spreading out your free API requests more sparingly (1 request per second). You may subscribe to lift the free key rate limit (25 requests per day)."}"#;

fn table(test: &Test, server: &FakeTiingo, plan: &str) -> Ran {
    let url = server.url();
    let variables = [
        ("ALPHAVANTAGE_API_KEY", KEY),
        ("ALPHAVANTAGE_BASE_URL", url.as_str()),
        ("ALPHAVANTAGE_PLAN", plan),
    ];
    let fetch = [&FETCH_CSV[..5], &["--source", "alphavantage"]].concat();
    test.run_with(&variables, &fetch)
}

#[test]
fn a_paid_plan_is_not_held_to_the_questions_of_a_free_one() {
    let test = Test::operator(ROUND);
    let whole = [
        "--round-id",
        "LEAGUE-2026-12-07-1W",
        "--horizon",
        "one week",
    ];
    crate::operator::init(&test, &whole).code(0);
    let import = crate::operator::import("briefing.md", "2026-12-06T09:00:00Z");
    test.run(&import).code(0);
    let server = FakeTiingo::start(|_| Some(json(SERIES)));
    let ran = table(&test, &server, "600");
    // Two days are too few for every figure, but every symbol was asked for.
    assert!(server.questions().len() > 60, "{ran}");
    assert!(!ran.stderr().contains("used up"), "{ran}");
}

#[test]
fn the_notice_about_the_pace_is_waited_for() {
    let test = researched();
    let first = std::sync::atomic::AtomicBool::new(true);
    let server = FakeTiingo::start(move |_| {
        let early = first.swap(false, std::sync::atomic::Ordering::SeqCst);
        Some(json(if early { PACE } else { SERIES }))
    });
    let ran = table(&test, &server, "600");
    let options = 5;
    assert_eq!(server.questions().len(), options + 1, "{ran}");
    assert!(!ran.stderr().contains("used up"), "{ran}");
}

#[test]
fn a_refused_key_ends_the_fetch_and_is_named_as_such() {
    let test = researched();
    let server = FakeTiingo::start(|_| {
        let said = "the parameter apikey is invalid or missing. Please claim your free API key.";
        Some(json(&format!(r#"{{"Error Message":"{said}"}}"#)))
    });
    table(&test, &server, "free")
        .code(2)
        .complains("alphavantage refused the API key");
    assert_eq!(server.questions().len(), 1, "one refused key is enough");
}

#[test]
fn a_plan_that_cannot_be_read_is_refused_before_anything_is_asked() {
    let test = researched();
    let server = FakeTiingo::start(|_| Some(json(SERIES)));
    for plan in ["premium", "0", "75/min"] {
        table(&test, &server, plan)
            .code(2)
            .complains(&format!("ALPHAVANTAGE_PLAN: {plan:?} is not a plan"))
            .complains("write free, or the questions a minute of a paid plan, such as 75");
    }
    assert!(server.questions().is_empty());
}
