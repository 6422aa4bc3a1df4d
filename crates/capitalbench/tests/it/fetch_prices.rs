//! `fetch-prices`: what is stored, and every way in which prices are not to be trusted.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::due_rounds::market;
use crate::fake_tiingo::{FakeTiingo, reply};
use crate::harness::{MONTHLY, Ran, Test, WEEKLY, fixtures};
use crate::market::{Market, market_of, serve};

const NOW: &str = "2026-03-10T00:15:00Z";
const SCORE: [&str; 3] = ["score-round", "--round", WEEKLY];
const RESULTS: &str = "runs/official-1/results";

pub(crate) fn unpriced() -> Test {
    Test::weekly().remove("prices").remove(RESULTS)
}

pub(crate) fn fetch(test: &Test, server: &FakeTiingo, more: &[&str]) -> Ran {
    let base = ["fetch-prices", "--round", WEEKLY, "--now", NOW];
    server.run(test, &[&base[..], more].concat())
}

fn fetch_all(test: &Test, market: Market) -> Ran {
    fetch(test, &serve(market), &["--full-universe"])
}

#[test]
fn both_sides_come_from_one_answer_and_score_as_before() {
    let test = unpriced();
    let server = serve(market());
    fetch(&test, &server, &["--full-universe"]).code(0);
    let symbols = market().len();
    assert_eq!(server.questions().len(), symbols);
    assert!(server.questions()[0].contains("startDate=2026-03-02&endDate=2026-03-09"));
    let window = test.read("prices/window.csv");
    assert_eq!(window.lines().count(), 1 + 6 * symbols);
    let record = test.read("prices/provenance.json");
    for part in [
        "body_sha256",
        "\"purpose\": \"final\"",
        "/tiingo/daily/FXGLD/prices?startDate",
    ] {
        assert!(record.contains(part), "{record}");
    }
    test.run(&SCORE).code(0);
    let original = fixtures().join("rounds").join(WEEKLY);
    let leaderboard = format!("{RESULTS}/leaderboard.csv");
    let published = std::fs::read_to_string(original.join(&leaderboard)).unwrap();
    assert_eq!(test.read(&leaderboard), published);
    let before = test.tree();
    test.run(&SCORE).code(0);
    assert_eq!(before, test.tree());
    assert_eq!(test.codes(), [""; 0]);
    fetch(&test, &server, &["--full-universe"])
        .code(2)
        .complains("--overwrite-prices");
    fetch(&test, &server, &["--full-universe", "--overwrite-prices"])
        .code(2)
        .complains("--correct <REASON>");
    let again = [
        "--full-universe",
        "--overwrite-prices",
        "--correct",
        "late row",
    ];
    fetch(&test, &server, &again)
        .code(0)
        .says("the prices before them are in prices/replaced/0001");
    assert!(test.file("prices/replaced/0001/provenance.json").exists());
}

#[test]
fn selected_prices_give_no_oracle_and_say_why() {
    let test = Test::round(MONTHLY).remove("prices").remove(RESULTS);
    let all = market_of(&fixtures().join("rounds").join(MONTHLY));
    let server = serve(all.clone());
    let selected = [
        "fetch-prices",
        "--round",
        MONTHLY,
        "--run-id",
        "official-1",
        "--now",
        "2026-12-01T00:00:00Z",
    ];
    // Only two rows a symbol are served, so every session between them is missed.
    server.run(&test, &selected).code(1);
    assert!(server.questions().len() < all.len());
    let score = ["score-round", "--round", MONTHLY, "--run-id", "official-1"];
    test.run(&score).code(0);
    let outcomes: serde_json::Value =
        serde_json::from_str(&test.read(&format!("{RESULTS}/outcomes.json"))).unwrap();
    let reason = "some option has no price, so the best one is not known";
    assert_eq!(outcomes["round"]["oracle_return"]["unavailable"], reason);
    let first = &outcomes["submissions"][0];
    assert_eq!(first["score"]["unavailable"], reason);
    assert_eq!(first["regret"]["unavailable"], reason);
    assert_eq!(first["rank"]["value"], 1);
    assert!(first["alpha"]["value"].is_f64());
}

/// Turns the exit close into what it is after a dividend or a split, with a right adjustment.
fn with_event(symbol: &str, dividend: f64, split: f64) -> Market {
    let mut market = market();
    let rows = market.get_mut(symbol).expect("the symbol");
    let exit = rows.len() - 1;
    for row in &mut rows[..exit] {
        row.adjusted = row.adjusted * (row.close - dividend) / row.close / split;
    }
    rows[exit].close /= split;
    rows[exit].adjusted /= split;
    rows[exit].dividend = dividend;
    rows[exit].split = split;
    market
}

#[test]
fn dividends_and_splits_inside_the_window_are_followed() {
    for (dividend, split) in [(0.4, 1.0), (0.0, 2.0)] {
        let test = unpriced();
        let market = with_event("FXGLD", dividend, split);
        let rows = &market["FXGLD"];
        let expected = rows[5].adjusted / rows[0].adjusted - 1.0;
        fetch_all(&test, market.clone()).code(0);
        test.run(&SCORE).code(0);
        let returns = test.read(&format!("{RESULTS}/returns.csv"));
        let row = returns
            .lines()
            .find(|line| line.starts_with("GOLD,"))
            .unwrap();
        let value: f64 = row.split(',').nth(7).unwrap().parse().unwrap();
        assert!((value - expected).abs() < 1e-15, "{value} {expected}");
    }
}

#[test]
fn a_missed_ex_date_is_flagged_when_fetched_and_refused_when_scored() {
    let mut market = market();
    market.get_mut("FXGLD").unwrap()[3].dividend = 0.4;
    let test = unpriced();
    fetch_all(&test, market)
        .code(1)
        .complains("the adjusted close of GOLD departs by")
        .complains("2026-03-05: the source probably missed an ex-date");
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("the source probably missed an ex-date");
    assert!(test.codes().contains(&"price-rule-broken".to_owned()));
    let prefix = "model_roster_version: portfolio-v2-roster-";
    let older = test
        .replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .replace("manifest.yaml", "model_roster_version: roster-", prefix)
        .freeze_again();
    assert!(older.codes().contains(&"adjustment-differs".to_owned()));
}

#[test]
fn a_fund_of_bills_that_loses_has_missed_a_distribution() {
    let mut market = market();
    let rows = market.get_mut("FXBIL").unwrap();
    let exit = rows.len() - 1;
    rows[exit].close = rows[0].close * 0.998;
    rows[exit].adjusted = rows[0].adjusted * 0.998;
    rows[exit].dividend = 0.0;
    let test = unpriced();
    let doubt = "a distribution is probably missing from its adjusted close";
    fetch_all(&test, market).code(1).complains(doubt);
    test.run_without_trace(&SCORE).code(2).complains(doubt);
}

/// A stale exit row: the last one is of the day before.
#[test]
fn another_day_is_never_taken() {
    let mut market = market();
    market.get_mut("FXGLD").unwrap().pop();
    let test = unpriced();
    fetch_all(&test, market)
        .code(2)
        .complains("GOLD: FXGLD has no row on 2026-03-09; its nearest rows are of 2026-03-06");
    assert!(!test.file("prices").exists());
}

#[test]
fn a_delisted_symbol_is_named_and_a_gap_is_flagged() {
    let mut gone = market();
    gone.remove("FXGLD");
    let test = unpriced();
    let server = serve(gone);
    fetch(&test, &server, &["--full-universe"])
        .code(2)
        .complains("GOLD: tiingo does not know the symbol FXGLD");
    assert!(!test.file("prices").exists());
    let mut gap = market();
    gap.get_mut("FXGLD").unwrap().remove(2);
    fetch_all(&test, gap)
        .code(1)
        .complains("FXGLD has no row on 2026-03-04");
}

#[test]
fn a_holiday_has_no_close() {
    let test = unpriced()
        .replace(
            "manifest.yaml",
            "exit_date: '2026-03-09'",
            "exit_date: '2026-04-03'",
        )
        .freeze_again();
    let server = serve(market());
    let base = [
        "fetch-prices",
        "--round",
        WEEKLY,
        "--full-universe",
        "--now",
    ];
    server
        .run(&test, &[&base[..], &["2026-05-01T00:00:00Z"]].concat())
        .code(2)
        .complains("the exit day 2026-04-03 has no session (Good Friday)")
        .complains("2026-04-02 and 2026-04-06");
    assert_eq!(server.questions().len(), 0);
}

#[test]
fn rows_are_not_fetched_before_they_are_final() {
    let test = unpriced();
    let server = serve(market());
    let base = [
        "fetch-prices",
        "--round",
        WEEKLY,
        "--full-universe",
        "--now",
    ];
    server
        .run(&test, &[&base[..], &["2026-03-10T00:14:59Z"]].concat())
        .code(2)
        .complains("the exit rows of 2026-03-09 are not final before 2026-03-10T00:15:00Z");
    let moved = ["--full-universe", "--exit-date", "2026-03-06"];
    fetch(&test, &server, &moved)
        .code(2)
        .complains("says 2026-03-09");
    let dry = ["--full-universe", "--dry-run"];
    let before = test.tree();
    fetch(&test, &server, &dry).code(0).says("FXGLD");
    assert_eq!(before, test.tree());
    assert_eq!(server.questions().len(), 0);
}

/// The unrefreshed basis: an entry sheet from before a distribution meets a later exit sheet.
#[test]
fn an_entry_snapshot_is_informational_and_never_scored() {
    let test = unpriced();
    let base = [
        "fetch-prices",
        "--round",
        WEEKLY,
        "--full-universe",
        "--now",
    ];
    let mut early = market();
    for rows in early.values_mut() {
        rows.truncate(1);
    }
    let entry = [&base[..], &["2026-03-03T02:00:00Z", "--side", "entry"]].concat();
    serve(early)
        .run(&test, &entry)
        .code(0)
        .says("informational");
    assert!(
        test.read("prices/provenance.json")
            .contains("\"informational\"")
    );
    assert!(!test.file("prices/exit_prices.csv").exists());
    let old_entry = test.read("prices/entry_prices.csv");
    let exit = std::fs::read(
        fixtures()
            .join("rounds")
            .join(WEEKLY)
            .join("prices/exit_prices.csv"),
    );
    let test = test.write("prices/exit_prices.csv", exit.unwrap());
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("fetch both sides together");
    let prefix = "model_roster_version: portfolio-v2-roster-";
    let older = Test::round_at(&test.file(""), WEEKLY)
        .replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0")
        .replace("manifest.yaml", "model_roster_version: roster-", prefix)
        .freeze_again();
    older
        .run_without_trace(&SCORE)
        .code(2)
        .complains("fetch both sides together");
    let test = test.remove("prices/exit_prices.csv");
    fetch_all(&test, with_event("FXGLD", 0.4, 1.0)).code(0);
    assert_eq!(
        test.read("prices/replaced/0001/entry_prices.csv"),
        old_entry
    );
    assert_ne!(test.read("prices/entry_prices.csv"), old_entry);
    let test = test.write("prices/entry_prices.csv", &old_entry);
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("prices/entry_prices.csv: changed after it was fetched");
    assert!(test.codes().contains(&"price-record-differs".to_owned()));
}

#[test]
fn mixed_vendors_and_edited_windows_are_refused() {
    let test = unpriced();
    fetch_all(&test, market()).code(0);
    let window = test.read("prices/window.csv");
    let test = test.replace(
        "prices/exit_prices.csv",
        "tiingo_eod",
        "yahoo_chart_adjclose",
    );
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("entry and exit from two sources (tiingo_eod and yahoo_chart_adjclose)");
    let test = test.replace(
        "prices/exit_prices.csv",
        "yahoo_chart_adjclose",
        "tiingo_eod",
    );
    let line = window.lines().last().unwrap().to_owned();
    let test = test.replace("prices/window.csv", &format!("{line}\n"), "");
    assert!(test.codes().contains(&"price-record-differs".to_owned()));
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("prices/window.csv");
}

/// Histories on disk, of the fetched market, with one exit close changed.
pub(crate) fn histories(test: &Test, exit_close: &str) {
    for (symbol, rows) in market() {
        let mut table = "date,close,adj_close,dividend\n".to_owned();
        for row in &rows {
            let changed = symbol == "FXGLD" && row.day == "2026-03-09";
            let close = if changed {
                exit_close.to_owned()
            } else {
                row.close.to_string()
            };
            let adjusted = if changed && !close.is_empty() {
                close.clone()
            } else {
                row.adjusted.to_string()
            };
            let cells = [&row.day, &close, &adjusted, &row.dividend.to_string()];
            table.push_str(&cells.map(String::as_str).join(","));
            table.push('\n');
        }
        let file = test.path("closes").join(format!("{symbol}.csv"));
        std::fs::create_dir_all(file.parent().expect("a working test")).expect("a working test");
        std::fs::write(file, table).expect("a working test");
    }
}

#[test]
fn blank_closes_are_refused() {
    let test = unpriced();
    histories(&test, "");
    let base = [
        "fetch-prices",
        "--round",
        WEEKLY,
        "--full-universe",
        "--now",
        NOW,
    ];
    let csv = [&base[..], &["--source", "csv", "--histories", "closes"]].concat();
    test.run(&csv)
        .code(2)
        .complains("FXGLD has no raw close on 2026-03-09");
    histories(&test, "82.9");
    test.run(&csv).code(0);
    test.run(&SCORE).code(0);
    assert!(!test.path(".capitalbench").exists());
}

#[test]
fn disagreeing_sources_are_scored_only_with_a_reason() {
    let test = unpriced();
    histories(&test, "83.9");
    let more = [
        "--full-universe",
        "--cross-check",
        "csv",
        "--cross-check-histories",
        "closes",
    ];
    fetch(&test, &serve(market()), &more)
        .code(1)
        .complains("GOLD in the cross-check: +");
    assert!(
        test.read("prices/cross_check.json")
            .contains("\"beyond_tolerance\": [\n    \"GOLD\"")
    );
    test.run_without_trace(&SCORE)
        .code(2)
        .complains("csv and the prices differ by more than 10 bp for GOLD")
        .complains("--accept-cross-check REASON");
    let accept = [
        &SCORE[..],
        &["--accept-cross-check", "the other one is late"],
    ]
    .concat();
    // A word whose command failed is not there for the next one.
    let parsed = "runs/official-1/submissions/parsed/openai-fixture-a.json";
    let broken = test.again().replace(parsed, "\"model_id\"", "\"model\"");
    broken.run_without_trace(&accept).code(2);
    broken
        .replace(parsed, "\"model\"", "\"model_id\"")
        .run_without_trace(&SCORE)
        .code(2)
        .complains("--accept-cross-check REASON");
    test.run(&accept).code(0);
    let outcomes = test.read(&format!("{RESULTS}/outcomes.json"));
    assert!(outcomes.contains("\"accepted_cross_check\": \"the other one is late\""));
    let before = test.tree();
    test.run(&SCORE).code(0);
    assert_eq!(before, test.tree());
    let word = test.file("prices/cross_check_acceptance.json");
    let kept = std::fs::read(&word).expect("an acceptance");
    std::fs::remove_file(&word).expect("no acceptance");
    let found = test.codes();
    assert!(found.contains(&"price-rule-broken".to_owned()), "{found:?}");
    std::fs::write(&word, kept).expect("the acceptance");
    let wide = [
        "--tolerance-bps",
        "500",
        "--overwrite-prices",
        "--correct",
        "x",
    ];
    let wide = [&more[..], &wide].concat();
    fetch(&test, &serve(market()), &wide).code(0);
    assert!(!test.file("prices/cross_check_acceptance.json").exists());
}

#[test]
fn a_limit_of_the_server_is_waited_for_when_asked_to() {
    let limited = || {
        let body = r#"{"detail":"Error: You have run over your hourly request allocation."}"#;
        reply(
            "429 Too Many Requests",
            "application/json",
            "Retry-After: 1\r\n",
            body,
        )
    };
    let test = unpriced();
    let first = AtomicBool::new(true);
    let market = serve(market());
    let url = market.url();
    let once = FakeTiingo::start(move |symbol| {
        if symbol == "FXGLD" && first.swap(false, Ordering::SeqCst) {
            return Some(limited());
        }
        let path = format!("/tiingo/daily/{symbol}/prices?startDate=2026-03-02&endDate=2026-03-09");
        Some(get(&url, &path))
    });
    fetch(&test, &once, &["--full-universe"])
        .code(1)
        .says("run it again at 2026-03-10T00:15:");
    // The clock goes on while it waits.
    let base = ["fetch-prices", "--round", WEEKLY, "--now", NOW];
    let wait = [&base[..], &["--full-universe", "--wait"]].concat();
    once.run_with(&test, &[("CLOCK_STILL", "0")], &wait).code(0);
}

#[test]
fn a_server_that_always_says_retry_now_is_left_alone() {
    let server = FakeTiingo::start(|_| {
        let status = "429 Too Many Requests";
        Some(reply(status, "text/plain", "Retry-After: 0\r\n", "no"))
    });
    let test = unpriced();
    let base = ["fetch-prices", "--round", WEEKLY, "--now", NOW];
    let all = [&base[..], &["--full-universe"]].concat();
    server
        .run_with_plan(&test, "-/-/-", &all)
        .code(1)
        .says("run it again at 2026-03-10T00:15:01");
    assert_eq!(server.questions().len(), 1);
}

/// The whole answer of a server to one question.
fn get(url: &str, path: &str) -> String {
    use std::io::{Read as _, Write as _};
    let address = url.strip_prefix("http://").expect("a working test");
    let mut stream = std::net::TcpStream::connect(address).expect("a working test");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("a working test");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("a working test");
    text
}
