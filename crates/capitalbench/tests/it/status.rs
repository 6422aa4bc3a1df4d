//! `status`: every round, where it stands and what comes next.

use crate::harness::{MONTHLY, PENDING, RUN, Test, WEEKLY};
use crate::operator::{ARGUMENTS, NAME, NOW, ROUND, draft, frozen, import, init, researched};

/// State, days left and next command of the only round.
#[track_caller]
fn stands(test: &Test, folder: &str, now: &str) -> (String, i64, String) {
    let ran = test.run_without_trace(&["status", "--rounds-dir", folder, "--now", now, "--json"]);
    let said = ran.code(0).json();
    let round = &said["rounds"][0];
    let word = |name: &str| round[name].as_str().unwrap_or("-").to_owned();
    let days = round["days_left"].as_i64().expect("days left");
    (word("state"), days, word("next"))
}

#[test]
fn a_round_goes_from_draft_to_frozen() {
    let (state, days, next) = stands(&draft(), "rounds", NOW);
    assert_eq!((&*state, days), ("draft", 8));
    assert!(
        next.starts_with("capitalbench import-research --round rounds/LEAGUE"),
        "{next}"
    );
    let (state, _, next) = stands(&researched(), "rounds", NOW);
    assert_eq!(state, "draft");
    let fetch =
        format!("capitalbench fetch-universe-performance --round {ROUND} --as-of-date 2026-12-04");
    assert_eq!(next, fetch);
    let (state, _, next) = stands(&frozen(), "rounds", NOW);
    assert_eq!(
        (&*state, &*next),
        (
            "frozen",
            &*format!(
                "capitalbench run-round --round {ROUND} --models FILE --allow-real-api-calls"
            )
        )
    );
}

#[test]
fn a_round_goes_from_run_to_overdue() {
    let open = || {
        Test::weekly()
            .remove(&format!("{RUN}/results"))
            .remove("automation")
    };
    for (now, state, days) in [
        ("2026-03-02T20:00:00Z", "accepted", 7),
        ("2026-03-02T22:00:00Z", "pending", 6),
        ("2026-03-09T19:59:59Z", "pending", 0),
        ("2026-03-09T20:30:00Z", "due", -1),
        ("2026-03-10T21:00:00Z", "overdue", -2),
    ] {
        let (found, left, next) = stands(&open(), ".", now);
        assert_eq!((&*found, left), (state, days), "{now}");
        let score = ["due", "overdue"].contains(&state);
        assert_eq!(
            next.starts_with("capitalbench score-round"),
            score,
            "{next}"
        );
    }
    let unofficial = open().replace(
        &format!("{RUN}/run_manifest.yaml"),
        "run_type: official",
        "run_type: mock",
    );
    let (state, _, next) = stands(&unofficial, ".", "2026-03-02T20:00:00Z");
    assert_eq!(state, "run");
    // Nobody was asked for the record, and the deadline has passed.
    assert!(next.starts_with("capitalbench void-round "), "{next}");
    let (state, _, next) = stands(&Test::weekly(), ".", "2026-03-20T20:00:00Z");
    assert_eq!((&*state, &*next), ("resolved", "-"));
}

#[test]
fn the_suggested_commands_run_as_they_stand() {
    let test = researched();
    for expected in ["fetch-universe-performance", "hash-round"] {
        let (_, _, next) = stands(&test, "rounds", NOW);
        let words: Vec<&str> = next.split(' ').collect();
        assert_eq!(words[..2], ["capitalbench", expected]);
        let source = ["--source", "csv", "--histories", "histories"];
        let more = if expected == "fetch-universe-performance" {
            &source[..]
        } else {
            &[]
        };
        test.run(&[&words[1..], more].concat()).code(0);
    }
}

#[test]
fn between_the_freeze_and_the_record_the_next_step_is_what_is_due() {
    let test = frozen();
    let after = "2026-12-07T14:25:00Z";
    let (_, _, next) = stands(&test, "rounds", after);
    assert_eq!(
        next,
        format!("capitalbench void-round {ROUND} --reason TEXT")
    );
    let run = [
        "run-round",
        "--round",
        ROUND,
        "--models",
        "models.yaml",
        "--mock",
        "--run-type",
        "official",
        "--run-id",
        "first",
        "--now",
        NOW,
    ];
    let synthetic = frozen_of_an_invented_market();
    let (_, _, next) = stands(&synthetic, "rounds", NOW);
    let asked =
        format!("capitalbench run-round --round {ROUND} --models FILE --mock --run-type official");
    assert_eq!(next, asked);
    synthetic.run(&run).code(0);
    let accept = format!("capitalbench accept-run --round {ROUND} --run-id first");
    let (state, _, next) = stands(&synthetic, "rounds", NOW);
    assert_eq!((&*state, &*next), ("run", &*accept));
    let more = ["--now", "2026-12-06T10:30:00Z", "--no-schedule-resolution"];
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    synthetic.run(&[&words[..], &more].concat()).code(0);
    let (state, _, next) = stands(&synthetic, "rounds", NOW);
    assert_eq!((&*state, &*next), ("accepted", "-"));
}

/// A frozen round whose market is invented.
fn frozen_of_an_invented_market() -> Test {
    let test = Test::operator(ROUND);
    init(&test, &[&ARGUMENTS[..], &["--synthetic"]].concat()).code(0);
    test.run(&import("briefing.md", "2026-12-06T09:00:00Z"))
        .code(0);
    test.run(&[
        "fetch-universe-performance",
        "--round",
        ROUND,
        "--as-of-date",
        "2026-12-04",
        "--source",
        "csv",
        "--histories",
        "histories",
    ])
    .code(0);
    test.run(&["hash-round", "--round", ROUND]).code(0);
    test
}

#[test]
fn a_path_with_a_space_is_quoted() {
    let test = draft();
    std::fs::rename(test.path("rounds"), test.path("my rounds")).expect("a moved folder");
    let (_, _, next) = stands(&test, "my rounds", NOW);
    let expected = format!("capitalbench import-research --round 'my rounds/{NAME}' --market");
    assert!(next.starts_with(&expected), "{next}");
}

#[test]
fn all_rounds_are_listed_for_people_and_machines() {
    let test = Test::all_rounds();
    let now = ["--now", "2026-03-20T00:00:00Z"];
    let status = [&["status", "--rounds-dir", "."][..], &now].concat();
    let said = test
        .run_without_trace(&[&status[..], &["--json"]].concat())
        .code(0)
        .json();
    let rounds = said["rounds"].as_array().expect("rounds");
    let ids: Vec<_> = rounds.iter().map(|round| &round["round_id"]).collect();
    assert_eq!(ids, [MONTHLY, PENDING, WEEKLY]);
    for round in rounds {
        let keys: Vec<&String> = round.as_object().expect("an object").keys().collect();
        let mut expected = [
            "days_left",
            "entry_date",
            "exit_date",
            "next",
            "round_id",
            "state",
            "waits_for",
        ];
        expected.sort_unstable();
        let mut keys = keys;
        keys.sort_unstable();
        assert_eq!(keys, expected);
    }
    assert_eq!(said["unreadable"], serde_json::json!([]));
    let table = test.run(&status).code(0).stdout();
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.starts_with("round "), "{table}");
}

#[test]
fn an_unreadable_round_does_not_hide_the_others() {
    let test = Test::all_rounds().write("manifest.yaml", "round_id: [\n");
    let status = [
        "status",
        "--rounds-dir",
        ".",
        "--now",
        "2026-03-20T00:00:00Z",
    ];
    test.run_without_trace(&status)
        .code(1)
        .says(MONTHLY)
        .says(PENDING)
        .complains("weekly-portfolio-resolved/manifest.yaml: line");
    let said = test
        .run(&[&status[..], &["--json"]].concat())
        .code(1)
        .json();
    assert_eq!(said["rounds"].as_array().map(Vec::len), Some(2));
    assert_eq!(said["unreadable"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_missing_folder_is_named() {
    let test = Test::operator(ROUND);
    let ran = test.run_without_trace(&["status"]).code(2);
    ran.complains("rounds");
}
