//! What an operator who holds the key can still try after the outcome is known.

use std::fs;

use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::public::bundle::{read_files, write_files};
use capitalbench_proof::event::{Event, Fact, Instant};
use capitalbench_proof::merkle::sha256;
use serde_json::Value;

use crate::anchored_round::{accepting, add_closes, answered, at, researched, run, run_with};
use crate::fake_clock::FakeClock;
use crate::harness::{Test, WEEKLY, codes_of};
use crate::operator::{NAME, ROUND};

/// What is told about an operator who holds the key; all of it is provoked here.
pub(crate) const CODES: [&str; 7] = [
    "authority-not-vouched",
    "fixed-file-changed",
    "instant-given",
    "prices-unproved",
    "promise-not-kept",
    "replaced-unexplained",
    "report-replaced",
];

const NOW: &str = "2026-12-17T00:00:00Z";
const FETCH: &str = "fetch-prices --full-universe --source csv --histories histories \
                     --now 2026-12-16T01:00:00Z --round";
const SCORE: &str = "score-round --now 2026-12-16T01:30:00Z --round";

/// An anchored round, stamped and resolved as it should be.
fn resolved() -> (Test, FakeClock) {
    let (test, clock) = answered();
    let url = clock.url();
    let clocks = [("CAPITALBENCH_TSA_URLS", url.as_str())];
    clock.behave(at("2026-12-06T10:31:00Z"));
    let accept = accepting("2026-12-06T10:31:00Z").replace(" --no-schedule-resolution", "");
    run_with(&test, &clocks, &accept).code(0);
    add_closes(&test);
    clock.behave(at("2026-12-16T00:00:00Z"));
    let line = "resolve-due --rounds-dir rounds --source csv --histories histories \
                --now 2026-12-16T00:00:00Z";
    run_with(&test, &clocks, line).code(0);
    (test, clock)
}

/// Codes of the errors that a reader finds who vouches for the authority.
fn errors(test: &Test, clock: &FakeClock) -> Vec<String> {
    let root = clock.root_file();
    let line = format!("verify {ROUND} --json --now {NOW} --tsa-root {root}");
    let said = run(test, &line).json();
    let findings = said["rounds"][0]["findings"].as_array();
    let mut findings: Vec<Value> = findings.expect("findings").clone();
    let log = said["log"]["findings"].as_array().cloned();
    findings.extend(log.unwrap_or_default());
    codes_of(&findings, &["error"])
}

fn level(test: &Test, clock: &FakeClock) -> String {
    let root = clock.root_file();
    let line = format!("verify {ROUND} --json --now {NOW} --tsa-root {root}");
    let said = run(test, &line).json();
    let level = said["rounds"][0]["proof"]["level"].as_str();
    level.unwrap_or("unsigned").to_owned()
}

/// Signs a file as it is now, whatever the program thinks of it.
fn sign_by_hand(test: &Test, path: &str) {
    let log = LogFolder::of_rounds(&test.path("rounds"));
    let key = LogKey::load(&test.path("rounds/.capitalbench/keys/log.key"));
    let key = key.expect("a key file").expect("a key");
    let leaves = log.leaves_of_round(NAME).expect("leaves").into_iter();
    let events = leaves.filter_map(|(_, leaf)| Event::parse(&leaf).ok());
    let inventories = events.filter(|event| matches!(event.fact, Fact::Inventory { .. }));
    let bytes = fs::read(test.path(ROUND).join(path)).expect("a file");
    let event = Event {
        round: NAME.to_owned(),
        at: Instant::parse("2026-12-16T02:00:00Z").expect("an instant"),
        fact: Fact::Inventory {
            number: inventories.count() as u64 + 1,
            bodies: [(path.to_owned(), key.seal(NAME, path, &bytes))].into(),
            gone: Vec::new(),
        },
    };
    log.append(&key, &[event]).expect("a longer log");
}

#[test]
fn an_answer_that_is_rewritten_is_neither_signed_nor_believed() {
    let (test, clock) = resolved();
    assert_eq!(errors(&test, &clock), [""; 0]);
    assert_eq!(level(&test, &clock), "proved");
    for path in [
        "runs/first/attempts/m0__001.answer",
        "runs/first/attempts/m0__001.ended.json",
        "runs/first/submissions/raw/m0.json",
        "research/market_fact_report.md",
    ] {
        let test = test.again();
        let file = test.path(ROUND).join(path);
        let bytes = fs::read(&file).expect("a file");
        fs::write(&file, [&bytes[..], b"\n"].concat()).expect("a rewritten file");
        let before = test.tree();
        let ran = run(&test, &format!("hash-round --round {ROUND}"));
        ran.fails();
        assert_eq!(
            before["rounds/log/checkpoint"],
            test.tree()["rounds/log/checkpoint"]
        );
        sign_by_hand(&test, path);
        let found = errors(&test, &clock);
        assert!(
            found.contains(&"fixed-file-changed".to_owned()),
            "{path}: {found:?}"
        );
    }
}

#[test]
fn prices_and_results_that_are_gone_come_back_only_with_a_reason() {
    let (test, clock) = resolved();
    for gone in ["prices", "runs/first/results"] {
        fs::remove_dir_all(test.path(ROUND).join(gone)).expect("a removed folder");
    }
    let history = test.path("histories/FXGLD.csv");
    let before = fs::read_to_string(&history).expect("a history");
    fs::write(&history, before.replace("100.14,100.14", "190.14,190.14")).expect("a history");
    run(&test, &format!("{FETCH} {ROUND}"))
        .code(2)
        .complains("the log knows final prices of LEAGUE-2026-12-07-1W whose files are gone")
        .complains("--correct REASON");
    run(&test, &format!("{FETCH} {ROUND} --correct split")).code(0);
    run(&test, &format!("{SCORE} {ROUND}"))
        .code(2)
        .complains("--correct");
    run(&test, &format!("{SCORE} {ROUND} --correct split"))
        .code(0)
        .says("the files of the results before it are gone");
    run(&test, &format!("verify {ROUND} --now {NOW}"))
        .says("2 corrections, in place of a result of 2026-12-16T00:00:00Z");
    let found = errors(&test, &clock);
    assert!(
        !found.contains(&"replaced-unexplained".to_owned()),
        "{found:?}"
    );
}

/// Signs files of the round as another event of the log.
fn tell_by_hand(test: &Test, fact: Fact) {
    let log = LogFolder::of_rounds(&test.path("rounds"));
    let key = LogKey::load(&test.path("rounds/.capitalbench/keys/log.key"));
    let event = Event {
        round: NAME.to_owned(),
        at: Instant::parse("2026-12-16T02:00:00Z").expect("an instant"),
        fact,
    };
    let key = key.expect("a key file").expect("a key");
    log.append(&key, &[event]).expect("a longer log");
}

#[test]
fn handmade_prices_are_reported_where_proof_was_promised() {
    let (test, _) = resolved();
    let round = test.path(ROUND);
    for gone in ["provenance.json", "window.csv"] {
        fs::remove_file(round.join("prices").join(gone)).expect("a removed file");
    }
    let sheet = round.join("prices/exit_prices.csv");
    let before = fs::read_to_string(&sheet).expect("a sheet");
    fs::write(&sheet, before.replace("100.14", "101.14")).expect("a sheet");
    let line = format!("{SCORE} {ROUND} --correct hand --accept-unproved-prices hand");
    run(&test, &line).code(0);
    run(&test, &format!("verify {ROUND} --strict --now {NOW}"))
        .code(1)
        .says("prices-unproved");
}

#[test]
fn research_may_change_until_the_last_freeze_before_the_first_call() {
    let test = researched("signed");
    run(&test, "keys init").code(0);
    let freeze = |at: &str| {
        let line = format!("hash-round --round {ROUND} --now {at}");
        run(&test, &line)
    };
    freeze("2026-12-06T10:10:00Z").code(0);
    let facts = test.file("research/market_fact_report.md");
    let edit = || {
        let before = fs::read_to_string(&facts).expect("a report");
        fs::write(&facts, before + "\nOne fact more.\n").expect("a report");
    };
    edit();
    freeze("2026-12-06T10:11:00Z")
        .code(2)
        .complains("was fixed by leaf");
    fs::remove_file(test.file("hashes.json")).expect("an opened round");
    freeze("2026-12-06T10:12:00Z").code(0).says("log: signed");
    edit();
    freeze("2026-12-06T10:13:00Z").code(2);
}

#[test]
fn silently_replaced_results_and_reports_are_reported() {
    let (test, clock) = resolved();
    let other = || [("results/outcomes.json".to_owned(), sha256(b"other"))].into();
    tell_by_hand(
        &test,
        Fact::Score {
            run: "first".to_owned(),
            results: other(),
        },
    );
    let found = errors(&test, &clock);
    assert!(
        found.contains(&"replaced-unexplained".to_owned()),
        "{found:?}"
    );

    let (test, _) = resolved();
    let report = test.path(ROUND).join("runs/first/results/report.md");
    let before = fs::read_to_string(&report).expect("a report");
    fs::write(&report, format!("{before}\nThe best of all.\n")).expect("a kinder report");
    run(&test, &format!("hash-round --round {ROUND}")).code(0);
    run(&test, &format!("verify {ROUND} --strict --now {NOW}"))
        .code(1)
        .says("report-replaced");
}

#[test]
fn a_promise_without_its_log_or_its_stamps_does_not_hold() {
    let (test, clock) = resolved();
    let bundle = format!("bundle {ROUND} --output round.tar.zst");
    run(&test, &bundle).code(0);
    let files = read_files(&fs::read(test.path("round.tar.zst")).expect("a bundle"));
    let mut files = files.expect("files");
    files.retain(|path, _| !path.starts_with("log/"));
    let bare = write_files(&files).expect("a bundle");
    fs::write(test.path("bare.tar.zst"), bare).expect("a written file");
    run(&test, &format!("verify bare.tar.zst --now {NOW}"))
        .code(1)
        .says("promise-not-kept")
        .says("no event of a signed log is about this round");

    let unstamped = test.again();
    let anchors = unstamped.path("rounds/log/anchors");
    let mut sizes: Vec<u64> = fs::read_dir(&anchors)
        .expect("stamps")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    sizes.sort_unstable();
    fs::remove_dir_all(anchors.join(sizes[0].to_string())).expect("a removed stamp");
    assert_eq!(errors(&unstamped, &clock), ["promise-not-kept"]);

    fs::remove_dir_all(test.path("rounds/log")).expect("a removed log");
    assert_eq!(errors(&test, &clock), ["promise-not-kept"]);
}

#[test]
fn a_clock_without_a_trusted_root_proves_nothing() {
    let (test, _) = resolved();
    let verify = format!("verify {ROUND} --now {NOW}");
    run(&test, &verify)
        .code(0)
        .says("STAMPED  by \"Stamper\", an authority you have not vouched for")
        .says("that nobody was asked outside of this log, on a copy of the folder and its key")
        .says("that this is the only log of its name")
        .says("that prices are those of the market; the operator chose the vendor")
        .says("that universe and roster were chosen with no outcome in mind");
    let other = FakeClock::start(at("2026-12-06T10:31:00Z"));
    let root = other.root_file();
    run(&test, &format!("{verify} --tsa-root {root}"))
        .code(1)
        .says("promise-not-kept");
}

#[test]
fn no_run_becomes_the_record_after_the_outcome_or_without_a_reason() {
    let (test, _) = resolved();
    let accept = format!("accept-run --round {ROUND} --run-id first");
    run(&test, &format!("{accept} --supersede"))
        .code(2)
        .complains("--reason <TEXT>");
    fs::remove_file(test.path(ROUND).join("runs/first/acceptance.json")).expect("removed");
    run(&test, &accept)
        .code(1)
        .says("outcome-known")
        .says("no run becomes the record after that");
}

#[test]
fn a_given_instant_is_refused_by_real_rounds_and_noted_by_invented_ones() {
    let real = Test::weekly();
    let before = real.tree();
    let now = "2026-03-11T00:00:00Z";
    for line in [
        format!("hash-round --round {WEEKLY} --now {now}"),
        format!("accept-run --round {WEEKLY} --run-id official-1 --now {now}"),
        format!("score-round --round {WEEKLY} --now {now}"),
        format!("publish-report --round {WEEKLY} --now {now}"),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        real.run_as_typed(&[], &words)
            .code(2)
            .complains("is a real round, and")
            .complains("omit --now");
    }
    let dry = ["score-round", "--round", WEEKLY, "--dry-run", "--now", now];
    real.run_as_typed(&[], &dry).code(0);
    assert_eq!(before, real.tree());

    let invented = researched("signed");
    run(&invented, "keys init").code(0);
    let freeze = [
        "hash-round",
        "--round",
        ROUND,
        "--now",
        "2026-12-06T10:10:00Z",
    ];
    invented.run_as_typed(&[], &freeze).code(0);
    let noted = "{\"command\":\"hash-round\",\"given_utc\":\"2026-12-06T10:10:00Z\"}\n";
    assert_eq!(invented.read("given_instants.jsonl"), noted);
    run(&invented, &format!("verify {ROUND} --now {NOW}"))
        .code(0)
        .says("instant-given");
}
