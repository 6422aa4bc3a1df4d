//! `make-briefing`: facts by rule, from files or by a command; what is kept, frozen and verified.

use std::fs;

use capitalbench_archive::public::bundle::read_files;

use crate::fake_tiingo::reply;
use crate::fake_treasury::{FakeTreasury, feed, xml};
use crate::harness::{Test, codes_of};
use crate::operator::{ARGUMENTS, FETCH_CSV, NOW, ROUND, init};

const CUTOFF: &str = "2026-12-06T09:00:00Z";
const MAKE: [&str; 5] = [
    "make-briefing",
    "--round",
    ROUND,
    "--research-cutoff-utc",
    CUTOFF,
];
const FREEZE: [&str; 3] = ["hash-round", "--round", ROUND];
const HISTORIES: &str = "market_data/source_histories.csv";
const RETURNS: &str = "market_data/daily_returns.csv";
const RECIPE: &str = "market_data/briefing_recipe.json";

/// A round of an invented market under v1.2, with its table.
fn tabled() -> Test {
    let test = Test::operator(ROUND);
    let more = ["--synthetic", "--methodology", "portfolio-v1.2"];
    init(&test, &[&ARGUMENTS[..], &more].concat()).code(0);
    let next = format!("next: capitalbench make-briefing --round {ROUND}\n");
    test.run(&[&FETCH_CSV[..], &["--now", NOW]].concat())
        .code(0)
        .says(&next);
    test
}

/// The same with a mechanical briefing.
fn briefed() -> Test {
    let test = tabled();
    test.run(&MAKE).code(0).prints(&format!(
        "LEAGUE-2026-12-07-1W: briefing made by rule, cutoff {CUTOFF}\n\
         next: capitalbench hash-round --round {ROUND}\n"
    ));
    test
}

fn frozen() -> Test {
    let test = briefed();
    test.run(&FREEZE).code(0).says("frozen (12 files)");
    test
}

/// The round as one of a real market, before its table.
fn real() -> Test {
    tabled().replace("manifest.yaml", "publication_stream: synthetic\n", "")
}

/// Codes of these severities.
fn codes(test: &Test, severities: &[&str]) -> Vec<String> {
    let report = test.run(&["verify", ROUND, "--json", "--now", NOW]).json();
    let findings = report["rounds"][0]["findings"].as_array();
    codes_of(findings.expect("findings"), severities)
}

#[test]
fn a_round_is_briefed_by_rule_frozen_and_verified() {
    let test = frozen();
    let briefing = test.read("briefing.md");
    for expected in [
        "# Mechanical briefing\n",
        "from daily closes up to 2026-12-04, ",
        "\n| BILLS | ",
        "\n| SP500 | ",
    ] {
        assert!(briefing.contains(expected), "{briefing}");
    }
    assert!(!briefing.contains("Treasury"), "{briefing}");
    assert!(test.read("model_input.md").contains(briefing.trim()));
    assert_eq!(briefing, test.read("research/final_briefing.md"));
    let returns = test.read(RETURNS);
    assert_eq!(returns.lines().count(), 1 + 60 * 6);
    assert!(returns.contains("2026-12-04,CASH,0.0\n"), "{returns}");
    assert!(!test.read("model_input.md").contains("daily_returns"));
    assert_eq!(codes(&test, &["error", "warning"]), [""; 0]);
    assert_eq!(codes(&test, &["note"]), ["draft"]);
    // Equal inputs give equal bytes.
    let again = frozen();
    for file in [
        "hashes.json",
        "research/research_hashes.json",
        "briefing.md",
    ] {
        assert_eq!(test.read(file), again.read(file), "{file}");
    }
    let sealed = test.run_without_trace(&MAKE);
    sealed.code(2).complains("is frozen");
}

#[test]
fn a_changed_briefing_is_neither_frozen_nor_verified() {
    let changed = |test: Test| {
        let text = test.read("briefing.md") + "\nGold closed higher.\n";
        test.write("briefing.md", &text)
            .write("research/final_briefing.md", &text)
    };
    let test = changed(briefed());
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("the briefing does not follow from its kept sources")
        .complains("hint: make it again with `capitalbench make-briefing --round");
    let errors = ["briefing-unfounded", "research-hash-mismatch"];
    let mut found = codes(&test, &["error"]);
    found.sort();
    assert_eq!(found, errors);
    test.run(&MAKE).code(0);
    test.run(&FREEZE).code(0);
    assert_eq!(codes(&test, &["error"]), [""; 0]);
    let found = codes(&changed(frozen()), &["error"]);
    assert!(
        found.contains(&"input-hash-mismatch".to_owned()),
        "{found:?}"
    );
}

#[test]
fn a_fact_later_than_the_cutoff_is_named() {
    let test = tabled();
    let early = [&MAKE[..4], &["2026-12-04T20:59:59Z"]].concat();
    test.run_without_trace(&early)
        .code(2)
        .complains(
            "BILLS has a row of 2026-12-04, whose close is after the cutoff 2026-12-04T20:59",
        )
        .complains("hint: give a later --research-cutoff-utc");
    test.run(&[&MAKE[..4], &["2026-12-04T21:00:00Z"]].concat())
        .code(0);
    let (from, to) = ("2026-12-04T21:00:00Z", "2026-12-04T20:00:00Z");
    let test = test.replace("research/research_manifest.yaml", from, to);
    let said = test.run(&["verify", ROUND, "--now", NOW]).code(1);
    for option in ["BILLS", "SP500", "FAR_SHARES", "GOLD", "LONG_BONDS"] {
        let fact = format!("{option} has a row of 2026-12-04, whose close is after the cutoff");
        assert!(said.stdout().contains(&fact), "no {fact} in {said}");
    }
    let found = codes(&test, &["error"]);
    assert!(found.contains(&"fact-after-cutoff".to_owned()), "{found:?}");
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("cannot be frozen: BILLS has a row of 2026-12-04");
    let late = [&MAKE[..4], &["2026-12-07T14:25:01Z"]].concat();
    test.run_without_trace(&late)
        .code(2)
        .complains("must not be after the decision deadline");
}

#[test]
fn removed_sources_are_found_and_private_ones_only_noted() {
    let public = frozen().remove(HISTORIES);
    assert_eq!(codes(&public, &["error", "warning"]), [""; 0]);
    assert!(codes(&public, &["note"]).contains(&"sources-not-published".to_owned()));
    for file in [RECIPE, RETURNS] {
        let found = codes(&frozen().remove(file), &["error"]);
        assert_eq!(found, ["input-hash-mismatch"], "{file}");
    }
    let swapped = frozen().replace(HISTORIES, "2026-12-03", "2026-12-02");
    assert!(!codes(&swapped, &["error"]).is_empty());
    // Sources that were changed before the freeze give other returns and another text.
    let test = briefed();
    let histories = test.read(HISTORIES);
    let (before, last) = histories.trim_end().rsplit_once('\n').expect("rows");
    let cells: Vec<&str> = last.split(',').collect();
    let other = [&cells[..4], &["1.0"], &cells[5..]].concat().join(",");
    let test = test.write(HISTORIES, format!("{before}\n{other}\n"));
    let found = codes(&test, &["error"]);
    // A close of one is also a move that nobody believes.
    let expected = [
        "briefing-unfounded",
        "daily-returns-differ",
        "price-rule-broken",
    ];
    assert_eq!(found, expected);
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("daily_returns.csv does not follow from market_data/source_histories.csv");
}

#[test]
fn sixty_daily_returns_of_every_option_are_needed() {
    let test = briefed().remove(RETURNS);
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("portfolio-v1.2 freezes at least 60 daily returns of every option");
    let short = Test::operator(ROUND);
    let gold = fs::read_to_string(short.path("histories/FXGLD.csv")).expect("a history");
    let rows: Vec<&str> = gold.lines().collect();
    let kept = [&rows[..1], &rows[rows.len() - 60..]].concat().join("\n");
    fs::write(short.path("histories/FXGLD.csv"), kept).expect("a history");
    let more = ["--synthetic", "--methodology", "portfolio-v1.2"];
    init(&short, &[&ARGUMENTS[..], &more].concat()).code(0);
    // The table says that a year is missing; the returns that there are were written.
    short.run(&FETCH_CSV).code(1);
    short.run(&MAKE).code(0);
    short
        .run_without_trace(&FREEZE)
        .code(2)
        .complains("daily_returns.csv has no 60 daily returns of GOLD; portfolio-v1.2 freezes them")
        .complains("or take the option out of the universe");
}

#[test]
fn the_treasurys_curve_is_read_kept_and_made_again() {
    let server = FakeTreasury::honest();
    let test = real();
    server.run(&test, &MAKE).code(0);
    assert_eq!(server.questions(), ["202612", "202611", "202610"]);
    let briefing = test.read("briefing.md");
    for expected in [
        "The par yield curve of 2026-12-03, in percent a year",
        "| 3 months | 3.63 | +1 | ",
        "| 10 years | 4.19 | 0 | 0 | 0 |\n",
        "| 30 years | n/a | n/a | n/a | n/a |\n",
    ] {
        assert!(briefing.contains(expected), "{briefing}");
    }
    let kept = test.read("market_data/treasury_month_0.xml");
    assert_eq!(kept, feed("202612", &[1, 2, 3]));
    test.run(&FREEZE).code(0).says("frozen (15 files)");
    assert_eq!(codes(&test, &["error"]), [""; 0]);
    let gone = test.again().remove("market_data/treasury_month_1.xml");
    assert_eq!(codes(&gone, &["error"]), ["input-hash-mismatch"]);
    let other = test.again();
    let other = other.replace("market_data/treasury_month_0.xml", ">4.19<", ">4.20<");
    assert_eq!(codes(&other, &["error"]), ["input-hash-mismatch"]);
    // A public copy is a folder without the private histories.
    let public = test.remove(HISTORIES);
    assert_eq!(codes(&public, &["error"]), [""; 0]);
}

#[test]
fn a_curve_that_cannot_be_read_is_an_error_until_the_last_hour() {
    let server = FakeTreasury::start(|_| reply("404 Not Found", "text/html", "", "moved"));
    let test = real();
    let before = test.tree();
    let early = [&MAKE[..], &["--now", "2026-12-07T13:24:00Z"]].concat();
    server
        .run(&test, &early)
        .code(2)
        .complains("the Treasury's curve could not be fetched: ")
        .complains("hint: try again; with --allow-gaps, and in the last hour before the deadline");
    assert_eq!(before, test.tree());
    let gap = "The Treasury's curve could not be fetched when this briefing was made.";
    let late = [&MAKE[..], &["--now", "2026-12-07T13:26:00Z"]].concat();
    let allowed = [&MAKE[..], &["--allow-gaps"]].concat();
    for arguments in [late, allowed] {
        let test = test.again();
        server
            .run(&test, &arguments)
            .code(0)
            .says("gap the Treasury's curve could not be fetched: ");
        assert!(test.read("briefing.md").contains(gap));
        assert!(!test.file("market_data/treasury_month_0.xml").exists());
        test.run(&FREEZE).code(0);
        assert_eq!(codes(&test, &["error"]), [""; 0]);
    }
    // A gap that is repaired leaves nothing behind, and the other way round.
    let honest = FakeTreasury::honest();
    honest.run(&test, &MAKE).code(0);
    assert!(!test.read("briefing.md").contains(gap));
    server.run(&test, &[&MAKE[..], &["--allow-gaps"]].concat());
    assert!(!test.file("market_data/treasury_month_0.xml").exists());
}

#[test]
fn a_server_that_is_busy_is_asked_again_and_a_later_row_is_refused() {
    let busy = std::sync::atomic::AtomicBool::new(true);
    let server = FakeTreasury::start(move |month| {
        if busy.swap(false, std::sync::atomic::Ordering::SeqCst) {
            return reply("503 Service Unavailable", "text/plain", "", "busy");
        }
        xml(&feed(month, &[1, 2, 7]))
    });
    let test = real();
    server
        .run(&test, &MAKE)
        .code(2)
        .complains("the curve of 2026-12-07 follows from quotes after the cutoff");
    assert_eq!(server.questions().len(), 4);
    assert!(!test.file(RECIPE).exists());
}

#[test]
fn a_bundle_leaves_the_vendors_rows_out_and_a_log_misses_them() {
    let test = briefed();
    let keys = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example",
    ];
    test.run(&keys).code(0);
    test.run(&FREEZE).code(0).says("log: signed");
    assert_eq!(codes(&test, &["error"]), [""; 0]);
    test.run(&["bundle", ROUND, "--output", "one.tar.zst"])
        .code(0);
    let bytes = fs::read(test.path("one.tar.zst")).expect("a bundle");
    let files = read_files(&bytes).expect("a bundle");
    let holds = |name: &str| files.keys().any(|path| path.ends_with(name));
    assert!(holds(RETURNS) && holds(RECIPE) && !holds(HISTORIES));
    let elsewhere = Test::operator("nowhere");
    fs::write(elsewhere.path("one.tar.zst"), bytes).expect("a bundle");
    elsewhere
        .run(&["verify", "one.tar.zst", "--now", NOW])
        .code(0)
        .says("sources-not-published  market_data/source_histories.csv");
    // In the operator's own folder the log misses what it signed.
    let test = test.remove(HISTORIES);
    assert_eq!(codes(&test, &["error"]), ["logged-file-missing"]);
}

#[test]
fn files_and_commands_are_other_ways() {
    let test = briefed();
    let files = [
        "--market-fact-report",
        "facts.md",
        "--audit-report",
        "audit.md",
        "--final-briefing",
        "briefing.md",
    ];
    test.run(&[&MAKE[..], &files].concat())
        .code(0)
        .says("briefing made from files");
    assert!(!test.file(RECIPE).exists());
    test.run(&[&MAKE[..], &["--command", "cat 'briefing.md'"]].concat())
        .code(0)
        .says("briefing made by a command");
    let own = fs::read_to_string(test.path("briefing.md")).expect("a briefing");
    assert_eq!(test.read("briefing.md"), own);
    let audit = test.read("research/briefing_audit_report.md");
    assert!(audit.contains("\n    cat 'briefing.md'\n"), "{audit}");
    test.run(&FREEZE).code(0).says("frozen (11 files)");
    assert_eq!(codes(&test, &["error"]), [""; 0]);

    let test = tabled();
    let secret = [("OPENAI_API_KEY", "secret"), ("TIINGO_API_KEY", "secret")];
    let shown = "sh -c 'env | grep -c secret; echo $CAPITALBENCH_CUTOFF $CAPITALBENCH_ROUND'";
    test.run_with(&secret, &[&MAKE[..], &["--command", shown]].concat())
        .code(0);
    let expected = format!("0\n{CUTOFF} {ROUND}\n");
    assert_eq!(test.read("briefing.md"), expected);
    let before = test.tree();
    for (command, complaint) in [
        (
            "cat bad-briefing.md",
            "line 5: \"should benefit\" judges or maps",
        ),
        ("false", "ended with exit status: 1"),
        ("no-such-program-here", "cannot start"),
        ("printf ''", "is blank"),
    ] {
        let ran = test.run(&[&MAKE[..], &["--command", command]].concat());
        ran.code(2).complains(complaint);
        assert_eq!(before, test.tree(), "{command}");
    }
}

#[test]
fn a_round_without_histories_says_what_to_do() {
    let draft = crate::operator::draft();
    draft
        .run_without_trace(&MAKE)
        .code(2)
        .complains("has no price histories, from which the facts are computed")
        .complains("hint: histories are kept from portfolio-v1.2 and single_pick-v1.2 on");
    let test = Test::operator(ROUND);
    let more = ["--synthetic", "--methodology", "portfolio-v1.2"];
    init(&test, &[&ARGUMENTS[..], &more].concat())
        .code(0)
        .says("next: capitalbench fetch-universe-performance --round");
    test.run_without_trace(&MAKE)
        .code(2)
        .complains("hint: run `capitalbench fetch-universe-performance --round");
}
