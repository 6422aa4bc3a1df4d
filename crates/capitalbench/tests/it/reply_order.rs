//! The labels of v1.2: decision before reasons before confidence.

use crate::harness::{Ran, Test, copy_tree};
use crate::operator::{ARGUMENTS, NAME, ROUND, init};
use crate::signed_round::demo_inputs;

pub(crate) const PLAYED: &str = "rounds/TRIAL-1W";

/// The steps of a round, from nothing to the record.
pub(crate) const STEPS: [&str; 6] = [
    "init-round --round-id TRIAL-1W --horizon one+week --universe-version v1.5 \
     --models models.yaml --synthetic --decision-deadline 2026-09-14T13:25:00Z \
     --now 2026-09-14T11:00:00Z --submission-format {format} --methodology {format}-v1.2",
    "import-research --round rounds/TRIAL-1W --market-fact-report research/facts.md \
     --audit-report research/audit.md --final-briefing research/briefing.md \
     --research-cutoff-utc 2026-09-14T11:10:00Z",
    "fetch-universe-performance --round rounds/TRIAL-1W --as-of-date 2026-09-11 \
     --source csv --histories histories",
    "hash-round --round rounds/TRIAL-1W --now 2026-09-14T11:30:00Z",
    "run-round --round rounds/TRIAL-1W --models models.yaml --mock --run-type official \
     --run-id official --seed 3 --retry-pause 0 --quiet --now 2026-09-14T12:00:00Z",
    "accept-run --round rounds/TRIAL-1W --run-id official --now 2026-09-14T12:30:00Z",
];
const PRICES: &str = "fetch-prices --round rounds/TRIAL-1W --source csv --histories histories \
                      --full-universe --now 2026-09-22T00:15:00Z";
const SCORE: &str = "score-round --round rounds/TRIAL-1W --now 2026-09-22T00:20:00Z";
const AFTER: &str = "2026-09-25T12:00:00Z";

pub(crate) fn say(test: &Test, words: &str) -> Ran {
    let typed: Vec<String> = words
        .split_whitespace()
        .map(|word| word.replace('+', " "))
        .collect();
    let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
    test.run(&typed)
}

/// A round under v1.2 after the first steps.
pub(crate) fn played(format: &str, steps: usize) -> Test {
    let test = Test::operator(PLAYED);
    copy_tree(&demo_inputs(), test.folder());
    for step in &STEPS[..steps] {
        say(&test, &step.replace("{format}", format)).code(0);
    }
    test
}

/// Where each word stands in a text; every one must be there.
fn places(text: &str, words: &[&str]) -> Vec<usize> {
    let place = |word: &&str| {
        text.find(*word)
            .unwrap_or_else(|| panic!("no {word} in {text}"))
    };
    words.iter().map(place).collect()
}

#[test]
fn an_official_round_of_v1_2_goes_from_its_creation_to_a_verified_score() {
    for (format, fields) in [
        (
            "portfolio",
            &[
                "\"mode\": {",
                "\"portfolio\": {",
                "\"option_id\": {",
                "\"allocation_pct\": {",
                "\"rationale\": {",
                "\"portfolio_rationale\": {",
                "\"rationale_summary\": {",
                "\"key_risks\": {",
                "\"confidence\": {",
            ][..],
        ),
        (
            "single_pick",
            &[
                "\"mode\": {",
                "\"selected_option_id\": {",
                "\"rationale_summary\": {",
                "\"key_risks\": {",
                "\"confidence\": {",
            ][..],
        ),
    ] {
        let test = played(format, STEPS.len());
        let label = format!("methodology_version: {format}-v1.2");
        assert!(test.read("manifest.yaml").contains(&label));
        assert!(
            test.read("manifest.yaml")
                .contains("model_roster_version: roster-")
        );
        assert!(places(&test.read("submission_schema.json"), fields).is_sorted());
        let input = test.read("model_input.md");
        let shown = [
            "\"key_risks\": [",
            "\"confidence\": 0.0\n}",
            "- `key_risks`",
            "- `confidence`",
        ];
        assert!(places(&input, &shown).is_sorted(), "{input}");
        say(&test, PRICES).code(0);
        say(&test, SCORE).code(0);
        test.run(&["verify", PLAYED, "--now", AFTER])
            .code(0)
            .says("0 errors");
        let board = ["leaderboard", "--rounds-dir", "rounds", "--as-of", AFTER];
        test.run(&board).code(0);
    }
}

#[test]
fn verify_notices_a_form_that_the_label_does_not_prescribe() {
    let codes = |test: Test| {
        say(&test, STEPS[3]).code(0);
        let report = test
            .run(&["verify", PLAYED, "--json", "--now", AFTER])
            .json();
        let findings = report["rounds"][0]["findings"]
            .as_array()
            .expect("findings")
            .clone();
        let errors = findings
            .into_iter()
            .filter(|finding| finding["severity"] == "error");
        errors
            .map(|finding| format!("{} {}", finding["code"], finding["where"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes(played("portfolio", 3)), [""; 0]);
    // The same schema in the order of the alphabet, frozen before anybody was asked.
    let draft = played("portfolio", 3);
    let schema = draft.read("submission_schema.json");
    let value: serde_json::Value = serde_json::from_str(&schema).expect("JSON");
    let mut sorted = value.clone();
    sorted["properties"]
        .as_object_mut()
        .expect("fields")
        .sort_keys();
    assert_eq!(sorted, value);
    let text = serde_json::to_string_pretty(&sorted).expect("text") + "\n";
    assert_eq!(
        codes(draft.write("submission_schema.json", text)),
        ["reply-form-differs submission_schema.json"]
    );
    let other = played("portfolio", 3).replace("prompt.md", "You answer once.", "You answer.");
    assert_eq!(codes(other), ["reply-form-differs prompt.md"]);
}

#[test]
fn an_unknown_label_or_one_of_another_format_is_named_with_the_known_ones() {
    for label in [
        "portfolio-v1.3",
        "portfolio-v1.0",
        "single_pick-v1.2",
        "v1.2",
        "",
    ] {
        let test = Test::operator(ROUND);
        init(
            &test,
            &[&ARGUMENTS[..], &["--synthetic", "--methodology", label]].concat(),
        )
        .code(2)
        .complains("a new portfolio round has portfolio-v1.1 or portfolio-v1.2");
        assert!(!test.path(ROUND).exists());
    }
}

#[test]
fn rounds_without_a_chosen_label_keep_the_bytes_of_v1_1() {
    let test = Test::operator(ROUND);
    init(&test, &ARGUMENTS).code(0);
    assert!(test.read("manifest.yaml").contains("portfolio-v1.1"));
    let schema = test.read("submission_schema.json");
    let digest = capitalbench_core::values::ids::Digest::of(schema.as_bytes());
    assert_eq!(
        digest.to_hex(),
        "115bc7fa0d7b6f32095560fc1d3fe51a600ff96da9f1babbed2a46f399373b92"
    );
    let chosen = Test::operator(ROUND);
    init(
        &chosen,
        &[&ARGUMENTS[..], &["--methodology", "portfolio-v1.1"]].concat(),
    )
    .code(0);
    for file in ["manifest.yaml", "prompt.md", "submission_schema.json"] {
        assert_eq!(test.read(file), chosen.read(file), "{file} of {NAME}");
    }
}
