//! A real round, its own closes served again: fetched, scored, and equal to what others computed.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::golden::archive;
use crate::harness::Test;
use crate::market::{Market, Row, market_of, serve};

/// A week with sixteen distributions, all of its prices from one vendor.
const ROUND: &str = "CB-2026-06-09-1W";
const RUN: &str = "runs/official-20260609";
const FETCH: [&str; 6] = [
    "fetch-prices",
    "--round",
    ROUND,
    "--full-universe",
    "--json",
    "--now",
];

/// The round without prices and results, and its market; none where the archive is not there.
fn unpriced() -> Option<(Test, PathBuf, Market)> {
    let original = archive()?.join("rounds").join(ROUND);
    let mut market = market_of(&original);
    for rows in market.values_mut() {
        let between = ["10", "11", "12", "15"].map(|day| Row {
            day: format!("2026-06-{day}"),
            ..rows[0].clone()
        });
        rows.splice(1..1, between);
    }
    let test = Test::round_at(&original, ROUND).remove("prices");
    let test = test.remove(&format!("{RUN}/results"));
    Some((test, original, market))
}

#[test]
fn a_real_round_is_fetched_and_scored_to_the_last_byte() {
    let Some((test, original, market)) = unpriced() else {
        return;
    };
    let distributions = market
        .values()
        .filter(|rows| rows[5].dividend > 0.0)
        .count();
    assert_eq!(distributions, 16);
    let best = market
        .values()
        .map(|rows| rows[5].adjusted / rows[0].adjusted - 1.0)
        .fold(0.0, f64::max);
    let server = serve(market);
    let fetch = [&FETCH[..], &["2026-06-17T00:15:00Z"]].concat();
    let said = server.run_with_plan(&test, "-/-/-", &fetch).json();
    assert_eq!(
        (&said["options"], &said["requests"]),
        (&69.into(), &69.into())
    );
    assert_eq!(server.questions().len(), 69);
    let score = [
        "score-round",
        "--round",
        ROUND,
        "--now",
        "2026-06-17T00:20:00Z",
    ];
    test.run(&score).code(0);
    for file in [
        "prices/entry_prices.csv".to_owned(),
        "prices/exit_prices.csv".to_owned(),
        format!("{RUN}/results/returns.csv"),
        format!("{RUN}/results/leaderboard.csv"),
        format!("{RUN}/results/allocations.csv"),
    ] {
        let published = fs::read_to_string(original.join(&file)).unwrap();
        assert!(test.read(&file) == published, "{file} differs");
    }
    outcomes_follow(&test, best);
    let codes = test.codes();
    for code in [
        "price-record-differs",
        "adjustment-differs",
        "result-differs",
    ] {
        assert!(!codes.contains(&code.to_owned()), "{codes:?}");
    }
}

/// The outcomes against a calculation of their own.
fn outcomes_follow(test: &Test, best: f64) {
    let outcomes: Value = serde_json::from_str(&test.read(&format!("{RUN}/results/outcomes.json")))
        .expect("a figure");
    let oracle = outcomes["round"]["oracle_return"]["value"]
        .as_f64()
        .expect("a figure");
    assert!((oracle - best).abs() < 1e-15, "{oracle} {best}");
    let submissions = outcomes["submissions"].as_array().expect("a figure");
    assert!(submissions.len() >= 4);
    for own in submissions {
        let value = own["return"]["value"].as_f64().expect("a figure");
        let parts = own["contributions"].as_array().expect("a figure");
        let sum: f64 = parts
            .iter()
            .map(|p| p["contribution"].as_f64().expect("a figure"))
            .sum();
        let score = own["score"]["value"].as_f64().expect("a figure");
        assert!((sum - value).abs() < 1e-12);
        assert!((score - 100.0 * value / best).abs() < 1e-9);
    }
}

#[test]
fn a_limit_after_thirty_symbols_is_waited_for_and_no_symbol_is_asked_twice() {
    let Some((test, original, market)) = unpriced() else {
        return;
    };
    let server = serve(market);
    let at = |now: &'static str| {
        let fetch = [&FETCH[..], &[now]].concat();
        server.run_with_plan(&test, "30/-/-", &fetch)
    };
    let stopped = at("2026-06-17T01:00:00Z").code(1).json();
    assert_eq!(stopped["status"], "stopped");
    assert_eq!(
        (&stopped["answered"], &stopped["of"]),
        (&30.into(), &69.into())
    );
    assert!(!test.file("prices").exists());
    let again = at("2026-06-17T01:10:00Z").code(1).json();
    assert_eq!(again["answered"], 30);
    let resume = again["resume_at_utc"].as_str().unwrap();
    assert!(resume.starts_with("2026-06-17T02:00:"), "{resume}");
    assert_eq!(server.questions().len(), 30);
    at("2026-06-17T02:30:00Z").code(1);
    at("2026-06-17T04:00:00Z").code(0);
    let mut asked = server.questions();
    asked.sort();
    asked.dedup();
    assert_eq!((asked.len(), server.questions().len()), (69, 69));
    let file = "prices/exit_prices.csv";
    let published = fs::read_to_string(original.join(file)).unwrap();
    assert!(test.read(file) == published);
}
