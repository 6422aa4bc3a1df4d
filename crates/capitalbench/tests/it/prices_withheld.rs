//! A round that publishes returns only: no close is found in anything public, and everything that is
//! computed from prices is computed all the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use capitalbench_archive::format::prices::vendor_sheet;
use capitalbench_archive::prices::daily_closes::DailySnapshots;
use capitalbench_archive::prices::request_state::{KeptAnswer, RequestState};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_testing::database_server::Server;
use jiff::civil::date;
use serde_json::{Value, json};

use crate::harness::{Ran, Test, codes_of, fixtures};
use crate::page_script::{look, node};
use crate::sentinels::{Published, Reader, Vendor, add, below, dump};

/// Codes that only such rounds, or readers of prices, provoke.
pub(crate) const CODES: [&str; 6] = [
    "closes-not-published",
    "index-differs",
    "not-as-published",
    "return-restated",
    "returns-fetched-again",
    "returns-not-fetched",
];

const NAME: &str = "HELD-2026-09-14-1W";
const ROUND: &str = "held/HELD-2026-09-14-1W";
const RUN: &str = "runs/official";
const VENDOR: &str = "prices/vendor/window.csv";
const HISTORIES: &str = "market_data/source_histories.csv";
const PROMISE: &str = "publish:\n  prices: returns\n  rule: index-6-v1\n";
const PENDING: &str = "2026-09-17T12:00:00Z";
const NOW: &str = "2026-09-25T12:00:00Z";

/// The steps to the record.
const BEGINNING: [&str; 8] = [
    "keys init --rounds-dir held --name log.example",
    "init-round --round-id HELD-2026-09-14-1W --horizon one+week --universe options.yaml \
     --models models.yaml --rounds-dir held --synthetic --methodology portfolio-v1.2 \
     --price-source tiingo --publish-prices returns --decision-deadline 2026-09-14T13:25:00Z \
     --now 2026-09-14T11:00:00Z",
    "fetch-universe-performance --round held/HELD-2026-09-14-1W --as-of-date 2026-09-11 \
     --now 2026-09-14T11:05:00Z",
    "make-briefing --round held/HELD-2026-09-14-1W --research-cutoff-utc 2026-09-14T11:10:00Z \
     --now 2026-09-14T11:20:00Z",
    "hash-round --round held/HELD-2026-09-14-1W --now 2026-09-14T11:30:00Z",
    "run-round --round held/HELD-2026-09-14-1W --models models.yaml --mock --run-type official \
     --run-id official --seed 3 --retry-pause 0 --quiet --now 2026-09-14T12:00:00Z",
    "accept-run --round held/HELD-2026-09-14-1W --run-id official --now 2026-09-14T12:30:00Z",
    "update-interim-performance --rounds-dir held --track all --snapshot-date 2026-09-14 \
     --now 2026-09-15T02:00:00Z",
];
const TRACKED: &str = "update-interim-performance --rounds-dir held --track all \
     --snapshot-date 2026-09-16 --now 2026-09-17T02:00:00Z";
const RESOLVED: &str = "resolve-due --rounds-dir held --source tiingo --now 2026-09-22T02:00:00Z";
/// After the vendor restated a close.
const CORRECTED: [&str; 2] = [
    "fetch-prices --round held/HELD-2026-09-14-1W --source tiingo --full-universe --overwrite-prices \
     --correct the+vendor+restated+gold --cross-check csv --cross-check-histories second \
     --tolerance-bps 20 --now 2026-09-23T02:00:00Z",
    "score-round --round held/HELD-2026-09-14-1W --correct the+vendor+restated+gold \
     --now 2026-09-23T03:00:00Z",
];

/// A round with the vendor of its prices.
struct Held {
    test: Test,
    vendor: Vendor,
}

impl Held {
    fn begun() -> Self {
        Self::publishing("returns")
    }

    fn publishing(what: &str) -> Self {
        let test = Test::operator(ROUND);
        fs::create_dir(test.path("held")).expect("a folder");
        let held = Self {
            test,
            vendor: Vendor::start(),
        };
        for step in BEGINNING {
            held.step(&step.replace("-prices returns", &format!("-prices {what}")));
        }
        held.step(TRACKED);
        held
    }

    fn step(&self, words: &str) {
        self.say(words).code(0);
    }

    fn say(&self, words: &str) -> Ran {
        let typed: Vec<String> = words
            .split_whitespace()
            .map(|word| word.replace('+', " "))
            .collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        self.vendor.server.run(&self.test, &typed)
    }

    fn file(&self, path: &str) -> PathBuf {
        self.test.file(path)
    }

    /// Bundle, site and export as of an instant, in a folder of their own.
    fn published(&self, at: &str, stage: &str) -> Published {
        let place = |what: &str| format!("{stage}/{what}");
        let test = &self.test;
        let bundle = place("one.tar.zst");
        fs::create_dir(test.path(stage)).expect("a folder");
        let run = |arguments: &[&str]| drop(test.run(arguments).code(0));
        run(&["bundle", ROUND, "--output", &bundle]);
        let dir = ["--rounds-dir", "held", "--as-of", at];
        let site = place("site");
        run(&[&["build-site"], &dir[..], &["--output", &site]].concat());
        let export = |more: &[&str]| run(&[&["export"], &dir[..], more].concat());
        let [out, hub, logs, beside] = ["export", "hub", "logs", "beside"].map(place);
        export(&["--output", &out]);
        export(&["--hub", &hub]);
        export(&["--inspect", &logs, "--output", &beside]);
        below(&test.path(stage))
    }

    /// Everything in a database that was filled from the rounds; nothing where there is none.
    fn database(&self) -> Published {
        let Some(server) = Server::start() else {
            return Published::new();
        };
        let url = server.url();
        let with = [("DATABASE_URL", url.as_str())];
        let synced = ["sync-web", "--rounds-dir", "held", "--include-cumulative"];
        self.test.run_with(&with, &["db", "migrate"]).code(0);
        self.test.run_with(&with, &synced).code(0).says("synced: ");
        dump(&url)
    }

    /// The private texts that somebody could guess.
    fn private(&self) -> Vec<String> {
        let mut found = Vec::new();
        for file in [VENDOR, HISTORIES] {
            found.extend(fs::read_to_string(self.file(file)));
        }
        found
    }

    fn verified(&self, path: &str, more: &[&str]) -> Ran {
        let arguments = [&["verify", path, "--json", "--now", NOW], more].concat();
        self.vendor.server.run(&self.test, &arguments)
    }
}

fn findings(ran: &Ran) -> Vec<Value> {
    let report = ran.json();
    let findings = report["rounds"][0]["findings"].as_array();
    findings.expect("findings").clone()
}

fn detail(ran: &Ran, code: &str) -> String {
    let findings = findings(ran);
    let own = findings.iter().find(|finding| finding["code"] == code);
    let own = own.unwrap_or_else(|| panic!("no {code}: {ran}"));
    own["detail"].as_str().expect("a sentence").to_owned()
}

/// A round that is resolved, corrected once; made once for all tests.
fn resolved() -> (Test, Vendor) {
    static MADE: OnceLock<Mutex<Test>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let held = Held::begun();
        held.step(RESOLVED);
        Mutex::new(held.test)
    });
    let test = made.lock().expect("nobody panicked").again();
    (test, Vendor::start())
}

fn again() -> Held {
    let (test, vendor) = resolved();
    Held { test, vendor }
}

#[test]
fn no_close_is_found_in_anything_that_is_published() {
    let held = Held::begun();
    let reader = |held: &Held| {
        let served = held.vendor.served.lock().expect("nobody panicked");
        Reader::new(&served, &held.private())
    };
    let pending = held.published(PENDING, "pending");
    assert_eq!(reader(&held).finds(&pending), [""; 0]);
    held.step(RESOLVED);
    held.vendor.restate();
    held.vendor.write_second(&held.test.path("second"));
    for step in CORRECTED {
        held.step(step);
    }
    let compared = fs::read_to_string(held.file("prices/cross_check.json"));
    assert!(compared.expect("a comparison").contains("other_return"));
    let mut published = held.published(NOW, "resolved");
    for file in [
        "prices/exit_prices.csv",
        "prices/replaced/0002/exit_prices.csv",
    ] {
        assert!(
            published.contains_key(&format!("one.tar.zst!{NAME}/{file}")),
            "{file}"
        );
    }
    let text = |path: &str| fs::read_to_string(held.file(path)).expect("a file");
    add(&mut published, "briefing", text("briefing.md").into_bytes());
    published.extend(held.database());
    let reader = reader(&held);
    assert_eq!(reader.finds(&published), [""; 0]);
    // The same reader finds the closes in what stays private.
    for file in [VENDOR, HISTORIES, "prices/replaced/0002/vendor/window.csv"] {
        let text = text(file);
        let part: Vec<&str> = text.lines().take(20).collect();
        let private = Published::from([(file.to_owned(), part.join("\n").into_bytes())]);
        assert!(!reader.finds(&private).is_empty(), "{file}");
        assert!(published.keys().all(|path| !path.ends_with(file)), "{file}");
    }
    assert!(text("briefing.md").contains("| option | 1 session |"));
    assert!(!text("market_data/universe_trailing_returns.csv").contains("as_of_adj_close"));
    assert!(text("prices/weekly_prices.csv").starts_with(
        "round_id,target_date,price_date,option_id,symbol,index,price_source,published\n"
    ));
}

/// The same reader finds the closes of a round that publishes them wherever prices stand, so that finding
/// none means something.
#[test]
fn closes_that_are_published_are_found_everywhere() {
    let held = Held::publishing("full");
    held.step(RESOLVED);
    let mut published = held.published(NOW, "resolved");
    published.extend(held.database());
    let served = held.vendor.served.lock().expect("nobody panicked");
    let reader = Reader::new(&served, &[]);
    let has_database = published.contains_key("dump");
    let places = [
        "prices/window.csv",
        "prices/exit_prices.csv",
        "prices/weekly_prices.csv",
        "market_data/universe_trailing_returns.json",
        "market_data/daily_returns.csv",
        "prices/index.html",
        "export/prices.csv",
        "export/publication.json",
        "hub/prices.parquet",
    ];
    let of_database = ["dump", "archive"];
    let of_database = of_database.iter().filter(|_| has_database);
    for place in places.iter().chain(of_database) {
        let is_there = |(path, _): &(&String, &Vec<u8>)| {
            path.ends_with(place) || path.starts_with(&format!("{place} "))
        };
        let own = published.iter().filter(is_there);
        let own: Published = own
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect();
        assert!(!reader.finds(&own).is_empty(), "{place}: {:?}", own.keys());
    }
    let briefing = fs::read_to_string(held.file("briefing.md")).expect("a briefing");
    assert!(briefing.contains("| option | close | 1 session |"));
}

/// The scores of the record by model, as the result has them.
fn scores(test: &Test) -> Vec<(String, Value)> {
    let outcomes = fs::read_to_string(test.file(&format!("{RUN}/results/outcomes.json")));
    let outcomes: Value = serde_json::from_str(&outcomes.expect("a result")).expect("JSON");
    let rows = outcomes["submissions"].as_array().expect("rows").iter();
    let score = |row: &Value| {
        (
            row["model_id"].as_str().expect("an id").to_owned(),
            row["score"].clone(),
        )
    };
    rows.map(score).collect()
}

#[test]
fn the_folder_the_bundle_the_page_and_the_vendor_say_the_same() {
    let held = again();
    assert!(
        scores(&held.test)
            .iter()
            .any(|(_, score)| score["value"].is_number())
    );
    let own = held.verified(ROUND, &[]).code(0);
    assert_eq!(
        codes_of(&findings(&own), &["error", "warning"]),
        [""; 0],
        "{own}"
    );
    // The operator has the closes, so nobody has to take a word.
    assert!(!own.stdout().contains("closes-not-published"));
    held.test
        .run(&["bundle", ROUND, "--output", "one.tar.zst"])
        .code(0);
    let told = "returns are the operator's word: closes are not published";
    let packed = held.verified("one.tar.zst", &[]).code(0);
    assert_eq!(detail(&packed, "closes-not-published"), told);
    held.test
        .run(&["verify", "one.tar.zst", "--now", NOW])
        .code(0)
        .says(told);
    for path in [ROUND, "held", "one.tar.zst"] {
        let again = held.verified(path, &["--prices-from", "tiingo"]).code(0);
        let told = detail(&again, "returns-fetched-again");
        assert!(
            told.starts_with("returns fetched again from tiingo at "),
            "{told}"
        );
        assert!(told.ends_with(": 5 of 5 equal"), "{told}");
        assert!(!again.stdout().contains("closes-not-published"), "{again}");
    }
    held.test
        .run(&["build-site", "--rounds-dir", "held", "--as-of", NOW])
        .code(0);
    let page = fs::read_to_string(
        held.test
            .path(&format!("site/rounds/{NAME}/prices/index.html")),
    );
    let page = page.expect("a page");
    assert!(
        page.contains("publishes returns only") && !page.contains(">Start<"),
        "{page}"
    );
    if !node() {
        return;
    }
    let found = look(&held.test, &json!({"now": NOW}), &[NAME]).remove(0);
    assert_eq!(found["counts"]["differs"], 0, "{found}");
    assert!(found["lines"].to_string().contains(told), "{found}");
}

#[test]
fn a_restated_close_is_named_by_its_option() {
    let held = again();
    held.vendor.restate();
    held.test
        .run(&["bundle", ROUND, "--output", "one.tar.zst"])
        .code(0);
    let again = held
        .verified("one.tar.zst", &["--prices-from", "tiingo"])
        .code(1);
    let told = detail(&again, "returns-fetched-again");
    assert!(told.ends_with(": 4 of 5 equal"), "{told}");
    let told = detail(&again, "return-restated");
    assert!(
        told.starts_with("GOLD returned +0.00") && told.contains("until 2026-09-21"),
        "{told}"
    );
    assert!(told.ends_with("by tiingo: restated or wrong"), "{told}");
    // A round that publishes closes is compared in the same way.
    let full = Test::weekly();
    let vendor = Vendor::start();
    let arguments = ["verify", full_round(), "--json", "--prices-from", "tiingo"];
    let ran = vendor.server.run(&full, &arguments).code(1);
    assert!(detail(&ran, "return-restated").contains("restated or wrong"));
}

/// Whoever makes a folder can put answers of a vendor into it, and a `.env` that points there.
#[test]
fn answers_that_came_along_with_the_rounds_are_not_the_vendors() {
    let held = again();
    let sheet = fs::read(held.file(VENDOR)).expect("closes");
    let closes = vendor_sheet::parse_salted(&sheet).expect("a sheet");
    held.vendor.restate();
    for folder in ["held/.capitalbench", "planted"] {
        let state = RequestState::new(&held.test.path(folder), "tiingo");
        for window in &closes {
            let answer = KeptAnswer {
                address: "https://vendor.example".to_owned(),
                fetched_at: NOW.parse().expect("an instant"),
                body: Digest::of(b""),
                requests: 1,
                sessions: window.sessions.clone(),
            };
            let fetch = format!("again_{NAME}");
            let kept = state.keep(&fetch, &window.symbol, &answer);
            kept.expect("a kept answer");
        }
    }
    let planted = held.test.path("planted").display().to_string();
    let variables = format!("CAPITALBENCH_STATE_DIR={planted}\n");
    fs::write(held.test.path(".env"), variables).expect("a file");
    for path in [ROUND, "held"] {
        let again = held.verified(path, &["--prices-from", "tiingo"]).code(1);
        let told = detail(&again, "returns-fetched-again");
        assert!(told.ends_with(": 4 of 5 equal"), "{told}");
    }
}

#[test]
fn a_delisting_that_the_vendor_does_not_confirm_is_named() {
    let held = Held::begun();
    held.vendor.hide(&[date(2026, 9, 18), date(2026, 9, 21)]);
    held.step(
        "record-listing --round held/HELD-2026-09-14-1W --option GOLD --delisted --on 2026-09-17 \
         --reason the+fund+was+closed --now 2026-09-20T12:00:00Z",
    );
    held.step(RESOLVED);
    held.vendor.hide(&[]);
    let again = held.verified(ROUND, &["--prices-from", "tiingo"]).code(1);
    let told = detail(&again, "return-restated");
    assert_eq!(
        told,
        "GOLD is recorded as delisted after 2026-09-17, but the source has a close of 2026-09-21"
    );
}

#[test]
fn a_day_that_the_vendor_has_no_row_of_leaves_the_return_the_operators_word() {
    let held = again();
    held.test
        .run(&["bundle", ROUND, "--output", "one.tar.zst"])
        .code(0);
    held.vendor.hide(&[date(2026, 9, 17)]);
    let again = held.verified("one.tar.zst", &["--prices-from", "tiingo"]);
    assert_eq!(
        detail(&again, "returns-not-fetched"),
        "GOLD: the source has no row on 2026-09-17, which the round publishes"
    );
    assert!(detail(&again, "returns-fetched-again").ends_with(": 4 of 5 equal"));
    assert!(detail(&again, "closes-not-published").contains("the operator's word"));
}

fn full_round() -> &'static str {
    crate::harness::WEEKLY
}

#[test]
fn a_symbol_that_the_vendor_does_not_know_any_more_is_a_warning() {
    let held = again();
    let server = crate::fake_tiingo::FakeTiingo::start(|_| {
        Some(crate::fake_tiingo::json(
            r#"{"detail":"Error: Ticker not found"}"#,
        ))
    });
    let arguments = [
        "verify",
        ROUND,
        "--json",
        "--now",
        NOW,
        "--prices-from",
        "tiingo",
    ];
    let ran = server.run(&held.test, &arguments).code(0);
    assert!(detail(&ran, "returns-fetched-again").ends_with(": 0 of 5 equal"));
    assert!(detail(&ran, "returns-not-fetched").starts_with("BILLS: "));
}

#[test]
fn an_edited_index_and_edited_closes_are_named() {
    let edit = |file: &str, change: &dyn Fn(&str) -> String| {
        let held = again();
        let text = fs::read_to_string(held.file(file)).expect("a file");
        fs::write(held.file(file), change(&text)).expect("a written file");
        let found = codes_of(&findings(&held.verified(ROUND, &[]).code(1)), &["error"]);
        (held, found)
    };
    let gold = |text: &str| {
        let line = text
            .lines()
            .rfind(|line| line.starts_with("GOLD,"))
            .expect("a row");
        let (rest, cell) = line.rsplit_once(',').expect("cells");
        text.replace(line, &format!("{rest},{}9", cell.trim_end_matches('9')))
    };
    let (_, found) = edit("prices/window.csv", &gold);
    assert!(found.contains(&"index-differs".to_owned()), "{found:?}");
    assert!(
        found.contains(&"price-record-differs".to_owned()),
        "{found:?}"
    );
    let (_, found) = edit(VENDOR, &|text| text.replacen(".1", ".2", 1));
    assert!(
        found.contains(&"price-record-differs".to_owned()),
        "{found:?}"
    );
    let closes = |text: &str| text.replacen(",index,", ",adj_close,", 1);
    let (held, found) = edit("prices/exit_prices.csv", &closes);
    assert!(found.contains(&"not-as-published".to_owned()), "{found:?}");
    let refused = held.say(CORRECTED[1]);
    refused
        .code(2)
        .complains("holds closes; the manifest publishes returns only");
}

/// Every way in which a close can stand in an answer that is no list of rows.
#[test]
fn no_answer_of_the_vendor_is_quoted() {
    let held = Held::begun();
    let next = "HELD-2026-09-21-1W";
    let opened = BEGINNING[1].replace(NAME, next);
    held.step(&opened.replace("2026-09-14T", "2026-09-21T"));
    for (day, quoted) in (22..).zip(["94484015,24", "94484015", "94484015.24 %"]) {
        let body = format!(r#"[{{"date":"2026-09-16T00:00:00.000Z","close":"{quoted}"}}]"#);
        held.vendor.say(&body);
        let steps = [
            format!(
                "fetch-universe-performance --round held/{next} --as-of-date 2026-09-18 \
                 --overwrite-performance --now 2026-09-21T11:05:00Z"
            ),
            format!(
                "validate-universe --round {ROUND} --source tiingo --start-date 2026-09-14 \
                 --end-date 2026-09-16 --now 2026-09-17T12:00:00Z"
            ),
            "update-interim-performance --rounds-dir held --track all --snapshot-date 2026-09-17 \
             --now 2026-09-18T02:00:00Z"
                .to_owned(),
            RESOLVED.replace("2026-09-22T", &format!("2026-09-{day}T")),
        ];
        for step in &steps {
            let ran = held.say(step);
            let said = ran.stdout() + &ran.stderr();
            assert!(said.contains("daily rows"), "{ran}");
            assert!(!said.contains("94484015"), "{ran}");
        }
        for file in [
            "automation/resolution_job.yaml",
            "universe_validation_report.json",
            "universe_validation_report.md",
        ] {
            let text = fs::read_to_string(held.file(file)).expect("a file");
            assert!(
                text.contains("not its list of daily rows"),
                "{file}: {text}"
            );
            assert!(!text.contains("94484015"), "{file}: {text}");
        }
        let table = held.test.path(&format!(
            "held/{next}/market_data/universe_trailing_returns.json"
        ));
        let table = fs::read_to_string(table).expect("a table");
        assert!(
            table.contains("daily rows") && !table.contains("94484015"),
            "{table}"
        );
    }
}

/// A round without the record of a fetch, accepted as it is.
fn without_record() -> Held {
    let held = again();
    for file in ["provenance.json", "window.csv", "vendor/window.csv"] {
        fs::remove_file(held.file(&format!("prices/{file}"))).expect("a file");
    }
    held
}

fn edit(held: &Held, file: &str, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(held.file(file)).expect("a file");
    let changed = change(&text);
    assert_ne!(text, changed, "{file}");
    fs::write(held.file(file), changed).expect("a written file");
}

fn details(ran: &Ran, code: &str) -> Vec<String> {
    let findings = findings(ran);
    let own = findings.iter().filter(|finding| finding["code"] == code);
    own.map(|finding| finding["detail"].as_str().expect("a sentence").to_owned())
        .collect()
}

#[test]
fn returns_without_the_record_of_a_fetch_are_the_operators_word() {
    let held = without_record();
    let ran = held.verified(ROUND, &[]);
    let told = detail(&ran, "closes-not-published");
    assert!(told.contains("the operator's word"), "{told}");
}

#[test]
fn an_index_that_the_rule_never_gives_is_named() {
    let held = without_record();
    edit(&held, "prices/entry_prices.csv", |text| {
        text.replace("GOLD,FXGLD,2026-09-14,1.0,", "GOLD,FXGLD,2026-09-14,1.25,")
    });
    edit(&held, "prices/exit_prices.csv", |text| {
        let row = text.lines().find(|line| line.starts_with("GOLD,"));
        let row = row.expect("a row");
        let cell = row.split(',').nth(3).expect("an index");
        text.replace(row, &row.replace(cell, "1.0123456"))
    });
    let ran = held.verified(ROUND, &[]).code(1);
    assert_eq!(
        details(&ran, "not-as-published"),
        [
            "prices/entry_prices.csv: GOLD stands at 1.25, but on the entry day every option stands at 1",
            "prices/exit_prices.csv: GOLD stands at 1.0123456, but an index is a number of at most six \
             decimals",
        ]
    );
}

#[test]
fn an_index_without_a_close_behind_it_is_named() {
    let held = again();
    let sheet = fs::read(held.file(VENDOR)).expect("closes");
    edit(&held, VENDOR, |text| {
        let rows = text.lines().filter(|line| !line.starts_with("GOLD,"));
        rows.flat_map(|row| [row, "\n"]).collect()
    });
    let now = fs::read(held.file(VENDOR)).expect("closes");
    let digest = |bytes: &[u8]| Digest::of(bytes).to_hex();
    edit(&held, "prices/provenance.json", |text| {
        text.replace(&digest(&sheet), &digest(&now))
    });
    let ran = held.verified(ROUND, &[]).code(1);
    assert_eq!(
        details(&ran, "index-differs"),
        ["GOLD stands at 1 on 2026-09-14; the closes as fetched give nothing"]
    );
}

/// A sheet with closes that lies among the public files is found, and stops everything that publishes.
#[test]
fn closes_among_the_public_files_are_not_published() {
    for file in [
        "prices/replaced/0009/exit_prices.csv",
        "prices/exit_prices.csv",
        "prices/notes.csv",
    ] {
        let held = again();
        let path = held.file(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let closes = "option_id,symbol,date,close,adj_close,source\n\
                      GOLD,FXGLD,2026-09-21,448.401524,448.401524,tiingo_eod\n";
        fs::write(&path, closes).expect("a file");
        let told = format!("{file}: holds closes; the manifest publishes returns only");
        let ran = held.verified(ROUND, &[]).code(1);
        assert_eq!(details(&ran, "not-as-published"), [told.as_str()]);
        let dir = ["--rounds-dir", "held", "--as-of", NOW];
        for publishing in [
            [&["bundle", ROUND, "--output", "one.tar.zst"][..], &[]],
            [&["build-site", "--output", "site"], &dir],
            [&["export", "--output", "export"], &dir],
        ] {
            let ran = held.test.run(&publishing.concat());
            ran.code(2)
                .complains(&told)
                .complains("nothing was published");
        }
    }
}

/// Quotients of the closes that all rounds share would have all their digits.
#[test]
fn closes_of_daily_tracking_build_no_series_of_a_round_that_keeps_them() {
    let held = without_record();
    let closes = || {
        let known = DailySnapshots::load(&held.test.path("held")).expect("snapshots");
        let folder = RoundFolder::open(&held.file("")).expect("a round");
        let inputs = RoundInputs::load(folder, &Universes::default()).expect("a round");
        let gold = OptionId::parse("GOLD").expect("an id");
        known
            .of_round(&inputs, &BTreeSet::from([&gold]))
            .expect("closes")
    };
    assert!(closes().is_empty());
    edit(&held, "manifest.yaml", |text| text.replace(PROMISE, ""));
    assert!(!closes().is_empty());
}

#[test]
fn a_round_whose_promise_was_edited_is_not_tracked() {
    let held = Held::begun();
    let before = fs::read_to_string(held.file("prices/weekly_prices.csv")).expect("a file");
    edit(&held, "manifest.yaml", |text| text.replace(PROMISE, ""));
    held.say(
        &TRACKED
            .replace("-09-17T", "-09-18T")
            .replace("-09-16", "-09-17"),
    )
    .code(1)
    .complains("inputs changed: manifest.yaml");
    let after = fs::read_to_string(held.file("prices/weekly_prices.csv")).expect("a file");
    assert_eq!(before, after);
}

#[test]
fn histories_without_a_salt_are_refused() {
    let test = Test::operator(ROUND);
    fs::create_dir(test.path("held")).expect("a folder");
    let held = Held {
        test,
        vendor: Vendor::start(),
    };
    for step in &BEGINNING[..4] {
        held.step(step);
    }
    edit(&held, HISTORIES, |text| {
        let (_, rows) = text.split_once('\n').expect("a salt");
        rows.to_owned()
    });
    held.say(BEGINNING[4])
        .code(2)
        .complains("must begin with its salt");
}

/// A folder that `init-round` made has no `.gitignore`, so the workflow itself leaves private files out.
#[test]
fn the_scheduled_resolver_commits_no_private_file() {
    let workflow = fixtures().join("../deploy/resolve-due.yml");
    let workflow = fs::read_to_string(workflow).expect("a workflow");
    let (_, added) = workflow.split_once("git add -- ").expect("a command");
    let (added, _) = added.split_once("git diff").expect("the next command");
    for private in [
        ":!rounds/.capitalbench",
        ":(exclude,glob)rounds/**/prices/**/vendor/**",
        ":(exclude,glob)rounds/**/market_data/source_histories.csv",
    ] {
        assert!(added.contains(&format!("'{private}'")), "{added}");
    }
}

#[test]
fn rounds_of_earlier_rules_publish_their_closes() {
    let test = Test::operator(ROUND);
    let given = [
        "--round-id",
        "OLD-1",
        "--universe",
        "options.yaml",
        "--publish-prices",
        "returns",
    ];
    let now = ["--horizon", "one week", "--now", "2026-09-14T11:00:00Z"];
    test.run(&[&["init-round"], &given[..], &now[..]].concat())
        .code(2)
        .complains("rounds of portfolio-v1.1 publish their closes")
        .complains("use --methodology portfolio-v1.2");
}
