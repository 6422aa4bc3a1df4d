//! `show-prompt`: exactly what a model is sent.

use crate::operator::{FETCH_CSV, ROUND, draft, frozen, researched};

const SHOW: [&str; 3] = ["show-prompt", "--round", ROUND];

#[test]
fn a_frozen_round_shows_the_stored_text() {
    let test = frozen();
    let ran = test.run_without_trace(&SHOW).code(0);
    assert_eq!(
        ran.stdout().trim_end(),
        test.read("model_input.md").trim_end()
    );
    assert!(!ran.stderr().contains("not frozen"), "{ran}");
    assert!(!ran.stdout().contains("about this many tokens"), "{ran}");
    ran.complains("about this many tokens: ");
}

#[test]
fn a_draft_shows_what_would_be_frozen_and_says_so() {
    let test = researched();
    test.run(&FETCH_CSV).code(0);
    let ran = test.run_without_trace(&SHOW).code(0);
    let shown = ran.stdout();
    ran.complains("not frozen: this is what would be sent if the round were frozen now");
    test.run(&["hash-round", "--round", ROUND]).code(0);
    assert_eq!(test.read("model_input.md").trim_end(), shown.trim_end());
    let ran = draft().run_without_trace(&SHOW).code(2);
    ran.complains("briefing.md: is empty; import the research first");
}

#[test]
fn a_text_left_over_in_a_draft_is_not_what_is_sent() {
    let test = researched().write("model_input.md", "left over from another time\n");
    let ran = test.run_without_trace(&SHOW).code(0);
    assert!(!ran.stdout().contains("left over"), "{ran}");
    ran.complains("not frozen");
}

#[test]
fn json_is_one_document_with_estimates() {
    let test = frozen();
    let said = test.run(&[&SHOW[..], &["--json"]].concat()).code(0).json();
    assert_eq!(said["round_id"], "LEAGUE-2026-12-07-1W");
    assert_eq!(said["frozen"], true);
    assert_eq!(said["text"], test.read("model_input.md").as_str());
    let estimates = said["estimated_tokens"].as_object().expect("estimates");
    assert!(estimates.len() > 1, "{estimates:?}");
    let sane =
        |count: &serde_json::Value| count.as_u64().is_some_and(|n| (300..20_000).contains(&n));
    assert!(estimates.values().all(sane), "{estimates:?}");
    let draft = researched();
    let said = draft.run(&[&SHOW[..], &["--json"]].concat()).code(0).json();
    assert_eq!(said["frozen"], false);
}

#[test]
fn a_model_adds_its_lines_and_needs_a_provider() {
    let test = frozen();
    let ran = test.run(&[&SHOW[..], &["--model", "openai-large"]].concat());
    let shown = ran.code(0).stdout();
    assert!(shown.starts_with(test.read("model_input.md").trim_end()));
    let end = "- model_id: openai-large\n- provider: openai\n- mode: closed_capability\n";
    assert!(shown.ends_with(end), "{shown}");
    let unknown = [&SHOW[..], &["--model", "mystery"]].concat();
    test.run(&unknown)
        .code(2)
        .complains("--model mystery: the id does not tell its provider")
        .complains("add --provider NAME");
    let named = [&unknown[..], &["--provider", "local"]].concat();
    test.run(&named).code(0).says("- provider: local\n");
    let alone = [&SHOW[..], &["--provider", "local"]].concat();
    test.run(&alone).code(2).complains("--model");
}
