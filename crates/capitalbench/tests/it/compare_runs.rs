//! `compare-runs`: decisions side by side.

use crate::harness::{MONTHLY, RUN, Test, WEEKLY};

const COMPARE: [&str; 5] = [
    "compare-runs",
    "--round",
    WEEKLY,
    "official-1",
    "official-2",
];

/// A second run in which one model decided otherwise and another is missing.
fn two_runs() -> Test {
    let raw = "runs/official-2/submissions/raw";
    Test::weekly()
        .duplicate(RUN, "runs/official-2")
        .replace(
            "runs/official-2/run_manifest.yaml",
            "run_id: official-1",
            "run_id: official-2",
        )
        .replace(&format!("{raw}/openai-fixture-a.json"), "GOLD", "BILLS")
        .remove(&format!("{raw}/google-fixture-c.json"))
}

#[test]
fn picks_stand_side_by_side() {
    two_runs()
        .run_without_trace(&COMPARE)
        .code(0)
        .prints(concat!(
            "model                official-1                              ",
            "official-2                              overlap\n",
            "anthropic-fixture-b  FAR_SHARES 35, LONG_BONDS 35, BILLS 30  ",
            "FAR_SHARES 35, LONG_BONDS 35, BILLS 30     100%  same\n",
            "google-fixture-c     SP500 100                               ",
            "–                                             –  not comparable\n",
            "openai-fixture-a     SP500 60, GOLD 25, CASH 15              ",
            "SP500 60, BILLS 25, CASH 15                 75%  differs\n",
            "1 same, 1 differ, 1 not comparable\n",
        ));
}

#[test]
fn json_output_says_what_the_text_says() {
    let json = two_runs().run(&[&COMPARE[..], &["--json"]].concat()).json();
    assert_eq!(json["same"], 1);
    assert_eq!(json["differ"], 1);
    assert_eq!(json["not_comparable"], 1);
    let models = json["models"].as_array().unwrap();
    assert_eq!(models[0]["verdict"], "same");
    assert_eq!(models[0]["overlap"], 1.0);
    assert_eq!(models[1]["answers"][1]["state"], "absent");
    assert_eq!(models[2]["verdict"], "differs");
}

#[test]
fn replicates_and_invalid_answers_are_shown() {
    let compare = [
        "compare-runs",
        "--round",
        MONTHLY,
        "official-1",
        "stability-1",
    ];
    Test::round(MONTHLY)
        .run(&compare)
        .code(0)
        .says("openai-fixture-a #5     –           LONG_BONDS 100        –  not comparable\n")
        .says("2 same, 0 differ, 9 not comparable\n");
    let raw = "runs/official-2/submissions/raw/openai-fixture-a.json";
    let test = two_runs().write(raw, "{}");
    test.run(&COMPARE).code(0).says("invalid");
}

#[test]
fn an_unknown_run_is_an_error() {
    Test::weekly()
        .run(&[
            "compare-runs",
            "--round",
            WEEKLY,
            "official-1",
            "official-9",
        ])
        .code(2)
        .complains("did you mean official-1?");
}
