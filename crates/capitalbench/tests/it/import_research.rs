//! `import-research`: every rule with line and phrase, and nothing written when refused.

use std::fs;

use crate::harness::Test;
use crate::operator::{ROUND, draft, frozen, import};

const CUTOFF: &str = "2026-12-06T09:00:00Z";
const RECOMMENDS: &str = "recommends or ranks options";
const JUDGES: &str = "judges or maps facts to markets instead of stating facts";
const RETURNS: &str =
    "repeats mechanical returns; the market table carries them for every option alike";
const QUALITY: &str = "repeats quality evidence; the mechanical tables carry it";
const LINK: &str = "holds a link; models cannot follow it and sources belong in the audit report";
const CITES: &str = "cites sources; they belong in the audit report";

/// A sentence, the phrase it is refused for, and why.
const REFUSED: [(&str, &str, &str); 24] = [
    ("Gold is the best option now.", "best option", RECOMMENDS),
    ("The Best Pick is gold.", "Best Pick", RECOMMENDS),
    (
        "Our final recommendation.",
        "final recommendation",
        RECOMMENDS,
    ),
    ("Gold is ranked #1.", "ranked #1", RECOMMENDS),
    ("One should buy gold.", "should buy", RECOMMENDS),
    ("Gold will outperform.", "will outperform", RECOMMENDS),
    ("Why it matters: rates.", "Why it matters", JUDGES),
    (
        "Affected market areas: gold.",
        "Affected market areas",
        JUDGES,
    ),
    (
        "The affected-market mapping.",
        "affected-market mapping",
        JUDGES,
    ),
    ("Gold should benefit.", "should benefit", JUDGES),
    ("An unattractive bond.", "unattractive", JUDGES),
    ("A scenario  analysis.", "scenario analysis", JUDGES),
    (
        "See Selected Mechanical Return Context.",
        "Selected Mechanical Return Context",
        RETURNS,
    ),
    ("The column return_30d.", "return_30d", RETURNS),
    (
        "The quality evidence score.",
        "quality evidence score",
        QUALITY,
    ),
    ("Its low volatility rank.", "low volatility rank", QUALITY),
    (
        "See https://example.com/a now.",
        "https://example.com/a",
        LINK,
    ),
    ("See www.example.com now.", "www.example.com", LINK),
    ("See [here](a.md) now.", "[here](a.md)", LINK),
    ("[1]: a.md", "[1]: a.md", LINK),
    ("Source: the bank.", "Source:", CITES),
    ("References: two.", "References:", CITES),
    ("The bibliography.", "bibliography", CITES),
    ("A citation.", "citation", CITES),
];

fn write_briefing(test: &Test, briefing: &str) {
    fs::write(test.path("b.md"), briefing).expect("a written file");
}

#[test]
fn every_rule_refuses_with_line_and_phrase_and_leaves_no_trace() {
    let test = draft();
    for (sentence, phrase, why) in REFUSED {
        write_briefing(&test, &format!("# Briefing\n\n- A fact.\n{sentence}\n"));
        let ran = test.run_without_trace(&import("b.md", CUTOFF)).code(1);
        let expected = format!("error b.md:4: {phrase:?} {why}\n");
        ran.says(&expected)
            .says("the briefing was refused; nothing was written");
    }
}

#[test]
fn all_problems_are_told_at_once_and_for_machines_too() {
    let test = draft();
    write_briefing(
        &test,
        "A fact.\nGold should\nbenefit.\nSee www.example.com.\n",
    );
    let arguments = [&import("b.md", CUTOFF)[..], &["--json"]].concat();
    let said = test.run_without_trace(&arguments).code(1).json();
    assert_eq!(said["imported"], false);
    let problems = said["problems"].as_array().expect("problems");
    let places: Vec<_> = problems.iter().map(|p| (&p["line"], &p["level"])).collect();
    assert_eq!(
        places,
        [(&2.into(), &"error".into()), (&4.into(), &"error".into())]
    );
}

#[test]
fn a_blank_or_unreadable_briefing_is_refused() {
    let test = draft();
    for blank in ["", " \n\t\n"] {
        write_briefing(&test, blank);
        let ran = test.run_without_trace(&import("b.md", CUTOFF)).code(1);
        ran.says("b.md:1").says("the briefing is blank");
    }
    fs::write(test.path("b.md"), b"caf\xe9 open").expect("a written file");
    let ran = test.run_without_trace(&import("b.md", CUTOFF)).code(2);
    ran.complains("b.md");
    let ran = test
        .run_without_trace(&import("missing.md", CUTOFF))
        .code(2);
    ran.complains("missing.md");
}

#[test]
fn an_older_label_only_warns_of_links_and_citations() {
    let test = draft().replace("manifest.yaml", "portfolio-v1.1", "portfolio-v1.0");
    for (sentence, phrase, why) in REFUSED {
        write_briefing(&test, &format!("A fact.\n{sentence}\n"));
        let arguments = import("b.md", CUTOFF);
        if [LINK, CITES].contains(&why) {
            let ran = test.run(&arguments).code(0);
            ran.says(&format!("warning b.md:2: {phrase:?} {why}\n"))
                .says("research imported");
        } else if phrase != "return_30d" {
            test.run_without_trace(&arguments).code(1).says(phrase);
        }
    }
}

#[test]
fn a_long_briefing_is_a_warning() {
    let test = draft();
    write_briefing(&test, &"fact ".repeat(8001));
    let ran = test.run(&import("b.md", CUTOFF)).code(0);
    ran.says("warning b.md:1").says("more than 8000 words");
}

#[test]
fn only_the_final_briefing_becomes_the_briefing() {
    let test = draft();
    test.run(&import("briefing.md", CUTOFF))
        .code(0)
        .says("research imported\nnext: capitalbench fetch-universe-performance --round rounds/");
    let given = |file: &str| fs::read_to_string(test.path(file)).expect("a file");
    assert_eq!(test.read("briefing.md"), given("briefing.md"));
    for (stored, source) in [
        ("research/final_briefing.md", "briefing.md"),
        ("research/market_fact_report.md", "facts.md"),
        ("research/briefing_audit_report.md", "audit.md"),
    ] {
        assert_eq!(test.read(stored), given(source), "{stored}");
    }
    let record = test.read("research/research_manifest.yaml");
    assert!(record.contains("research_cutoff_utc: '2026-12-06T09:00:00Z'"));
    assert_eq!(record.matches("model_facing: true").count(), 1);
    // The reports for the audit stay out of what models see.
    let shown = test
        .run(&["show-prompt", "--round", ROUND])
        .code(0)
        .stdout();
    assert!(shown.contains("Consumer prices are due"), "{shown}");
    assert!(!shown.contains("invented"), "{shown}");
    assert!(!shown.contains("was found in the facts"), "{shown}");
    assert_eq!(test.codes(), [""; 0]);
}

#[test]
fn a_second_import_replaces_the_first_until_the_round_is_frozen() {
    let test = draft();
    test.run(&import("briefing.md", CUTOFF)).code(0);
    write_briefing(&test, "Another fact.\n");
    test.run(&import("b.md", CUTOFF)).code(0);
    assert_eq!(test.read("briefing.md"), "Another fact.\n");
    assert_eq!(test.codes(), [""; 0]);
    let test = frozen();
    write_briefing(&test, "A third fact.\n");
    let ran = test.run_without_trace(&import("b.md", CUTOFF)).code(2);
    ran.complains("is frozen: its inputs must not change any more");
}

#[test]
fn a_cutoff_after_the_deadline_is_refused() {
    let test = draft();
    let late = import("briefing.md", "2026-12-07T14:25:01Z");
    let ran = test.run_without_trace(&late).code(2);
    ran.complains(
        "the research cutoff 2026-12-07T14:25:01Z must not be after the decision deadline 2026-12-07T14:25:00Z",
    );
    test.run(&import("briefing.md", "2026-12-07T14:25:00Z"))
        .code(0);
    let ran = test.run_without_trace(&import("briefing.md", "yesterday"));
    ran.code(2).complains("--research-cutoff-utc");
}
