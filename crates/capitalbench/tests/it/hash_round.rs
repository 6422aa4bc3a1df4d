//! `hash-round`: freezing, confirming and refusing.

use crate::harness::{Test, WEEKLY};

const FREEZE: [&str; 3] = ["hash-round", "--round", WEEKLY];
const CHECK: [&str; 4] = ["hash-round", "--round", WEEKLY, "--check"];

const UNSIGNED: &str = "log: unsigned; sign what happens with `capitalbench keys init`\n";

#[test]
fn freezing_writes_the_digests_once() {
    let frozen = Test::weekly().read("hashes.json");
    for test in [
        Test::weekly().remove("hashes.json"),
        Test::weekly().write("hashes.json", "{}\n"),
    ] {
        test.run(&FREEZE).code(0).prints(&format!(
            "weekly-portfolio-resolved: frozen (5 files)\n{UNSIGNED}"
        ));
        assert_eq!(test.read("hashes.json"), frozen);
        test.run_without_trace(&FREEZE).code(0).prints(&format!(
            "weekly-portfolio-resolved: unchanged (5 files)\n{UNSIGNED}"
        ));
    }
}

#[test]
fn optional_inputs_are_frozen_when_they_are_there() {
    let test = Test::weekly().write("submission_schema.json", "{}\n");
    let test = test.freeze_again();
    assert!(test.read("hashes.json").contains("submission_schema.json"));
    test.remove("submission_schema.json")
        .run(&CHECK)
        .code(1)
        .prints("error  submission_schema.json was hashed, but is missing\n");
}

#[test]
fn a_frozen_round_is_never_frozen_again_with_other_bytes() {
    let test = Test::weekly().replace("briefing.md", "Gold", "Silver");
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("is frozen and 1 of its inputs changed: briefing.md its bytes changed");
    test.run_without_trace(&CHECK)
        .code(1)
        .prints("error  briefing.md its bytes changed after it was hashed\n");
}

#[test]
fn checking_compares_and_writes_nothing() {
    let test = Test::weekly();
    test.run_without_trace(&CHECK)
        .code(0)
        .prints("weekly-portfolio-resolved: 5 files hold\n");
    let draft = Test::weekly().remove("hashes.json");
    draft
        .run_without_trace(&CHECK)
        .code(2)
        .complains("weekly-portfolio-resolved is not frozen")
        .complains("hint: freeze it with `capitalbench hash-round --round");
}

#[test]
fn json_output_says_what_the_text_says() {
    let test = Test::weekly();
    let json = test.run(&[&FREEZE[..], &["--json"]].concat()).json();
    let expected = serde_json::json!({
        "round_id": WEEKLY,
        "state": "unchanged",
        "files": 5,
        "log": {"state": "unsigned"},
    });
    assert_eq!(json, expected);
    let test = test.replace("briefing.md", "Gold", "Silver");
    let json = test.run(&[&CHECK[..], &["--json"]].concat()).code(1).json();
    assert_eq!(json["state"], "does-not-hold");
    assert_eq!(json["problems"][0]["file"], "briefing.md");
}

#[test]
fn only_a_legal_round_can_be_frozen() {
    for (file, text, message) in [
        ("manifest.yaml", "", "manifest.yaml: line 1: missing field"),
        ("options.yaml", "options: []\n", "options.yaml: "),
    ] {
        let test = Test::weekly().remove("hashes.json").write(file, text);
        test.run_without_trace(&FREEZE).code(2).complains(message);
    }
    let test = Test::weekly().remove("hashes.json").remove("prompt.md");
    test.run_without_trace(&FREEZE)
        .code(2)
        .complains("prompt.md does not exist");
}

#[test]
fn a_prompt_that_promises_a_market_table_needs_one() {
    let test = crate::operator::researched();
    let freeze = ["hash-round", "--round", crate::operator::ROUND];
    test.run_without_trace(&freeze)
        .code(2)
        .complains("cannot be frozen: the prompt promises a market table, and market_data/")
        .complains("hint: make the table with `capitalbench fetch-universe-performance --round");
    // A prompt of the operator's own that does not speak of one needs none.
    let own = test.write("prompt.md", "Choose a portfolio for one week.\n");
    own.run(&freeze).code(0).says("frozen (6 files)");
    // What was frozen before this rule still verifies.
    own.run(&[
        "verify",
        crate::operator::ROUND,
        "--now",
        crate::operator::NOW,
    ])
    .code(0);
}
