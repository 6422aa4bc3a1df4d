//! The log that commands write by themselves once a folder of rounds has a key.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::check::check;
use serde_json::Value;

use crate::due_rounds::{DUE, due_rounds, market, name, start};
use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};
use crate::faulty_layer::FaultyLayer;
use crate::harness::{RUN, Ran, Test, WEEKLY, changes};
use crate::market::serve;

const INIT: [&str; 5] = ["keys", "init", "--rounds-dir", ".", "--name"];

/// The names of the events of a round, in the order of the log, as the leaves say them.
fn leaves(rounds: &Path, round: &str) -> Vec<Value> {
    let log = LogFolder::of_rounds(rounds);
    let leaves = log.leaves_of_round(round).expect("a log").into_iter();
    let parse = |(_, leaf): (u64, Vec<u8>)| serde_json::from_slice(&leaf).expect("a leaf");
    leaves.map(parse).collect()
}

fn names(rounds: &Path, round: &str) -> Vec<String> {
    let text = |leaf: &Value| leaf["event"].as_str().expect("a name").to_owned();
    leaves(rounds, round).iter().map(text).collect()
}

#[track_caller]
fn holds(rounds: &Path) {
    let found = check(&LogFolder::of_rounds(rounds), &mut |_, _| {}).expect("a log");
    assert_eq!(found.problems, []);
    assert!(found.checkpoint.is_some());
}

#[test]
fn a_key_is_made_once_and_never_shown() {
    let test = Test::weekly();
    test.run_without_trace(&["keys", "show", "--rounds-dir", "."])
        .code(2)
        .complains("is unsigned: it has no log")
        .complains("hint: make a key with `capitalbench keys init`");
    let made = test.run(&[&INIT[..], &["log.example/a", "--json"]].concat());
    let made = made.code(0).json();
    let vkey = made["vkey"].as_str().expect("a key");
    assert!(vkey.starts_with("log.example/a+"), "{vkey}");
    let file = test.path(made["private_key_file"].as_str().expect("a file"));
    let private = fs::read_to_string(&file).expect("the private key");
    let rights = fs::metadata(&file).expect("a file").permissions();
    assert_eq!(rights.mode() & 0o777, 0o600);
    assert!(private.starts_with("PRIVATE+KEY+log.example/a+"));
    assert!(!made.to_string().contains(private.trim()));
    test.run_without_trace(&["keys", "show", "--rounds-dir", "."])
        .code(0)
        .prints(&format!("{vkey}\n"));
    test.run_without_trace(&[&INIT[..], &["log.example/b"]].concat())
        .code(2)
        .complains("the log already has the key of log.example/a");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("another mode");
    test.run(&["hash-round", "--round", WEEKLY])
        .code(2)
        .complains("others may read this private key");
}

#[test]
fn a_key_may_lie_elsewhere_and_its_absence_is_told() {
    let test = Test::weekly();
    let place = [("CAPITALBENCH_LOG_KEY", "safe/own.key")];
    test.run_with(&place, &[&INIT[..], &["log.example"]].concat())
        .code(0);
    assert!(test.path("safe/own.key").is_file());
    assert!(!test.path(".capitalbench/keys").exists());
    let freeze = ["hash-round", "--round", WEEKLY];
    test.run(&freeze)
        .code(0)
        .says("log: not signed, the key of log.example is not here; set CAPITALBENCH_LOG_KEY");
    test.run_with(&place, &freeze).code(0).says("log: signed, ");
    holds(test.folder());

    // The key of one folder of rounds begins no second log in another.
    let key = test.path("safe/own.key").display().to_string();
    let place = [("CAPITALBENCH_LOG_KEY", key.as_str())];
    let other = Test::weekly();
    other
        .run_with(&place, &freeze)
        .code(0)
        .says("log: unsigned; sign what happens with `capitalbench keys init`");
    assert!(!other.path("log").exists());
}

const SCORE: [&str; 7] = [
    "score-round",
    "--accept-unproved-prices",
    "invented for tests",
    "--round",
    WEEKLY,
    "--now",
    "2026-03-11T00:00:00Z",
];

/// The weekly round as it was when its models had answered.
fn answered() -> Test {
    let manifest = format!("{RUN}/run_manifest.yaml");
    Test::weekly()
        .replace(&manifest, "operator_selected_official: true\n", "")
        .replace(&manifest, "accepted_at_utc: '2026-03-02T18:00:00Z'\n", "")
        .remove("prices")
        .remove(&format!("{RUN}/results"))
}

#[test]
fn a_round_is_signed_step_by_step_and_nothing_twice() {
    let test = answered();
    test.run(&[&INIT[..], &["log.example"]].concat()).code(0);
    let freeze = [
        "hash-round",
        "--round",
        WEEKLY,
        "--now",
        "2026-03-01T12:00:00Z",
    ];
    test.run(&freeze)
        .code(0)
        .says("log: signed, 3 events added, 3 in all");
    assert_eq!(
        names(test.folder(), WEEKLY),
        ["round.freeze", "methodology", "round.files"]
    );
    let before = test.tree();
    test.run(&freeze)
        .code(0)
        .says("log: signed, 0 events added, 3 in all");
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
    let accept = "accept-run --run-id official-1 --now 2026-03-02T18:30:00Z --json --round";
    let mut accept: Vec<&str> = accept.split(' ').collect();
    accept.push(WEEKLY);
    let said = test.run(&accept).code(0).json();
    assert_eq!(said["log"]["added"], 5);
    let all = leaves(test.folder(), WEEKLY);
    assert_eq!(all[0]["at"], "2026-03-01T12:00:00Z");
    assert_eq!(all[3]["event"], "run.accepted");
    assert_eq!(all[6]["event"], "pick.accepted");
    let texts = all.iter().map(ToString::to_string).collect::<String>();
    assert!(!texts.contains("allocation"), "a pick stays sealed");
    let fixture = crate::harness::fixtures().join("rounds").join(WEEKLY);
    crate::harness::copy_tree(&fixture.join("prices"), &test.file("prices"));
    test.run(&SCORE)
        .code(0)
        .says("log: signed, 2 events added, 13 in all");
    test.run(&["publish-report", "--round", WEEKLY]).code(0);
    let test = test.replace("prices/exit_prices.csv", "82.9,82.9", "83.9,83.9");
    test.run(&[&SCORE[..], &["--correct", "the vendor corrected gold"]].concat())
        .code(0);
    let mut told = names(test.folder(), WEEKLY);
    told.retain(|name| name != "round.files");
    let told = &told[6..];
    let expected = [
        "prices.entry",
        "prices.exit",
        "score",
        "claim",
        "prices.exit",
        "correction",
        "score",
    ];
    assert_eq!(told, expected);
    let leaves = leaves(test.folder(), WEEKLY);
    let correction = leaves.iter().find(|leaf| leaf["event"] == "correction");
    let correction = correction.expect("a correction");
    assert_eq!(correction["reason"], "the vendor corrected gold");
    holds(test.folder());
}

#[test]
fn prices_score_and_report_of_unattended_work_are_signed() {
    let test = due_rounds(3);
    test.run(&["keys", "init", "--rounds-dir", "rounds"])
        .code(0);
    let server = serve(market());
    let both = ["one", "two"].map(|worker| start(&test, &server, worker, DUE));
    for child in both {
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success());
    }
    let rounds = test.path("rounds");
    for number in 0..3 {
        let mut told = names(&rounds, &name(number));
        told.retain(|name| name != "round.files");
        let last: Vec<&str> = told.iter().rev().take(4).map(String::as_str).collect();
        assert_eq!(last, ["claim", "score", "prices.exit", "prices.entry"]);
    }
    holds(&rounds);
}

#[test]
fn every_attempt_is_in_the_log_before_it_is_made_even_when_killed() {
    let server = FakeModels::start(Answer::decision);
    let models: Vec<(Wire, &str, &str)> = ["a", "b", "c", "d"]
        .into_iter()
        .map(|name| (Wire::OpenAi, name, ""))
        .collect();
    let round = AskedRound::new(&server, &models);
    let rounds = round.test().path("rounds");
    round.test().run(&["keys", "init"]).code(0);
    let more = "--run-type retrospective --max-retries 20 --max-concurrent 2 --json";
    let course = || {
        let begun = rounds.join("OVER-HTTP-1W/runs/r1/slots.json").is_file();
        format!("{more}{}", if begun { " --resume" } else { "" })
    };
    let layer = FaultyLayer::build();
    for file_call in ["50", "75", "100", "125"] {
        let output = round
            .command("r1", &course())
            .env("LD_PRELOAD", layer.path())
            .env("KILL_AT", file_call)
            .output();
        let ran = Ran::new("killed", output.expect("the program starts"));
        assert!(ran.was_killed(), "{ran}");
        server.come_to_rest();
    }
    round.ask("r1", &course()).code(0);
    holds(&rounds);
    let leaves = leaves(&rounds, "OVER-HTTP-1W");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (place, leaf) in leaves.iter().enumerate() {
        let text = |name: &str| leaf[name].to_string();
        let key = ["event", "model", "attempt", "number"].map(text).join(" ");
        assert_eq!(seen.insert(key.clone(), place), None, "{key} twice");
    }
    let slots = leaves
        .iter()
        .position(|leaf| leaf["event"] == "roster.slots");
    let first = leaves
        .iter()
        .position(|leaf| leaf["event"] == "attempt.begin");
    assert!(slots < first, "{slots:?} {first:?}");
    let count = |event: &str| leaves.iter().filter(|leaf| leaf["event"] == event).count();
    assert!(count("attempt.begin") >= server.calls().len());
    for leaf in leaves.iter().filter(|leaf| leaf["event"] == "attempt.end") {
        let first_half = format!(
            "\"attempt.begin\" {} {} null",
            leaf["model"], leaf["attempt"]
        );
        assert!(seen.contains_key(&first_half), "{first_half}");
    }
    assert!(count("attempt.end") >= models.len());
}
