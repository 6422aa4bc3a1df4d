//! `explain`: a record in sentences.

use crate::harness::{Test, fixtures};

const AS_OF: [&str; 4] = ["--rounds-dir", ".", "--as-of", "2026-06-30"];

fn explain<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["explain"];
    all.extend(rest);
    all.extend(AS_OF);
    all
}

#[test]
fn explain_says_that_one_round_is_only_one_round() {
    let test = Test::all_rounds();
    let ran = test.run_without_trace(&explain(&["anthropic-fixture-b", "--track", "weekly"]));
    let said = ran.code(0).stdout();
    for part in [
        "Fixture B, weekly: 1 round, worth 1.0 effective windows",
        "Not separable from the Five hundred large companies or from any other model.",
        "Luck is not tested: the test needs two rounds that froze 60 daily returns",
        "1 round worth 1.0 effective windows say nothing about its mean gain",
        "Highest return among models",
        "the evidence allows ranks 1 to ",
        "No two models can be told apart on that evidence.",
        "Too early to say.",
        "method inference-v2, null null-v2",
    ] {
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(part), "{part}: {said}");
    }
    assert!(
        said.lines().all(|line| line.chars().count() <= 100),
        "{said}"
    );
    for word in [" won", "beats", "best model"] {
        assert!(!said.contains(word), "{word}: {said}");
    }
}

#[test]
fn machines_get_the_numbers_and_the_method() {
    let test = Test::all_rounds();
    let ran = test.run_without_trace(&explain(&["openai-fixture-a", "--json"]));
    let said = ran.code(0).json();
    assert_eq!(said["model_id"], "openai-fixture-a");
    assert_eq!(said["method"]["null_draws"], 10_000);
    let weekly = &said["tracks"][0];
    assert_eq!(
        (&weekly["track"], &weekly["rounds"]),
        (&"weekly".into(), &1.into())
    );
    assert!(
        weekly["figures"]["luck"]["mean_percentile"].is_f64(),
        "{said}"
    );
    assert!(weekly["figures"]["mean_alpha"].is_null());
    assert!(weekly["sections"]["against_luck"][0].is_string());
    assert_eq!(said["tracks"][1]["track"], "monthly");
}

#[test]
fn a_wrong_name_gets_the_names_it_could_be() {
    let test = Test::all_rounds();
    for (name, meant) in [
        ("fixture-b", "did you mean anthropic-fixture-b?"),
        ("openai-fixtur-a", "did you mean openai-fixture-a?"),
        ("somebody", "models: anthropic-fixture-b, "),
    ] {
        let ran = test.run_without_trace(&explain(&[name]));
        let said = ran.code(2).stderr();
        assert!(
            said.contains(&format!("no public round has a model named {name:?}")),
            "{said}"
        );
        assert!(said.contains(meant), "{said}");
    }
}

#[test]
fn before_the_first_decision_there_is_nothing_to_explain() {
    let rounds = fixtures().join("rounds");
    let rounds = rounds.to_str().expect("a path");
    let test = Test::weekly();
    let early = [
        "explain",
        "openai-fixture-a",
        "--rounds-dir",
        rounds,
        "--as-of",
        "2020-01-01",
    ];
    let ran = test.run_without_trace(&early);
    assert!(
        ran.code(2)
            .stderr()
            .contains("no round of this folder has public decisions")
    );
    let track = ["explain", "x", "--track", "daily"];
    assert!(
        test.run_without_trace(&track)
            .code(2)
            .stderr()
            .contains("[possible values: weekly, monthly]")
    );
}
