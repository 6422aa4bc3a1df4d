//! `init-round`: what is created, and what is refused without a trace.

use std::fs;

use crate::harness::{Ran, Test, changes};
use crate::operator::{NAME, NOW, ROUND, draft, init};

const FILES: [&str; 6] = [
    "briefing.md",
    "hashes.json",
    "manifest.yaml",
    "options.yaml",
    "prompt.md",
    "submission_schema.json",
];

/// Runs `init-round` with a file of this text in the place of a good one; nothing may appear.
#[track_caller]
fn refused(file: &str, content: &str, more: &[&str]) -> Ran {
    let test = Test::operator(ROUND);
    fs::write(test.path(file), content).expect("a written file");
    let before = test.tree();
    let arguments = [
        &[
            "--round-id",
            NAME,
            "--horizon",
            "one week",
            "--universe",
            "options.yaml",
        ][..],
        more,
    ];
    let ran = init(&test, &arguments.concat()).code(2);
    assert_eq!(changes(&before, &test.tree()), [""; 0], "{ran}");
    ran
}

/// The operator's universe with one text replaced.
fn universe(old: &str, new: &str) -> String {
    let test = Test::operator(ROUND);
    let good = fs::read_to_string(test.path("options.yaml")).expect("the universe");
    assert!(good.contains(old), "no {old:?}");
    good.replacen(old, new, 1)
}

#[test]
fn dates_come_with_their_reasons() {
    let test = Test::operator(ROUND);
    let thanksgiving = [
        "--round-id",
        "HOLIDAY",
        "--horizon",
        "One  Week",
        "--decision-deadline",
        "2026-11-19T22:00:00Z",
        "--now",
        "2026-11-16T00:00:00Z",
    ];
    let ran = test.run(&[&["init-round"][..], &thanksgiving].concat());
    ran.code(0)
        .says("entry     2026-11-20  the close of 2026-11-20 (2026-11-20T21:00:00Z) is the first close after the deadline 2026-11-19T22:00:00Z")
        .says("exit      2026-11-27")
        .says("universe  v2.1, 70 options")
        .says("roster    not frozen; give --models to freeze one");
    let manifest = fs::read_to_string(test.path("rounds/HOLIDAY/manifest.yaml")).expect("it");
    for line in [
        "entry_date: '2026-11-20'",
        "exit_date: '2026-11-27'",
        "decision_deadline: '2026-11-19T22:00:00Z'",
        "horizon: one week",
        "methodology_version: portfolio-v1.1",
        "universe_version: v2.1",
        "window_rule:",
    ] {
        assert!(manifest.contains(line), "no {line:?} in {manifest}");
    }
}

#[test]
fn a_closed_exit_day_rolls_and_says_so() {
    let test = Test::operator(ROUND);
    // 2026-12-25 is a Friday: one week after the entry the exchange is closed.
    let window = [
        "--horizon",
        "one week",
        "--decision-deadline",
        "2026-12-18T14:00:00Z",
        "--round-id",
    ];
    let previous = [&window[..], &["BACK"]].concat();
    init(&test, &previous).code(0).says("exit      2026-12-24");
    let next = [&window[..], &["AHEAD", "--roll", "next"]].concat();
    init(&test, &next).code(0).says("exit      2026-12-28");
    for round in ["rounds/BACK", "rounds/AHEAD"] {
        test.run(&["verify", round, "--now", NOW]).code(0);
    }
}

#[test]
fn every_shipped_universe_makes_a_round_that_reads_back() {
    for (version, count) in [("v1.5", 40), ("v2.0", 65), ("v2.1", 70)] {
        for format in ["single_pick", "portfolio"] {
            let test = Test::operator(ROUND);
            let arguments = [
                "--round-id",
                "R",
                "--universe-version",
                version,
                "--submission-format",
                format,
                "--json",
            ];
            let made = init(&test, &arguments).code(0).json();
            assert_eq!(made["options"], count, "{version}");
            assert_eq!(made["folder"], "rounds/R");
            let report = test.run(&["verify", "rounds", "--now", NOW]).code(0);
            assert!(report.stdout().contains("0 errors"), "{report}");
            let options = fs::read_to_string(test.path("rounds/R/options.yaml")).expect("options");
            assert_eq!(options.matches("- id: ").count(), count, "{version}");
        }
    }
}

#[test]
fn the_folder_holds_what_it_should_and_nothing_is_left_over() {
    let test = draft();
    let names = |folder: &str| {
        let entries = fs::read_dir(test.path(folder)).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.into_string().expect("text"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(names("rounds"), [NAME]);
    let mut expected = FILES.to_vec();
    expected.extend(["prices", "runs"]);
    expected.sort_unstable();
    assert_eq!(names(ROUND), expected);
    assert_eq!(test.read("briefing.md"), "");
    assert_eq!(test.read("hashes.json"), "{}\n");
    let own = fs::read_to_string(test.path("options.yaml")).expect("the universe");
    assert_eq!(test.read("options.yaml"), own);
}

#[test]
fn only_active_models_are_frozen_into_the_roster() {
    let test = Test::operator(ROUND);
    let model = |id: &str, more: &str| {
        format!("- model_id: {id}\n  provider: mock\n  api_model_name: {id}\n{more}")
    };
    let models = [
        "models:\n".to_owned(),
        model("open", ""),
        model("off", "  enabled: false\n"),
        model(
            "gone",
            "  retired_at_utc: '2026-12-01T00:00:00Z'\n  retirement_reason: replaced\n",
        ),
        model(
            "leaves-later",
            "  retired_at_utc: '2026-12-31T00:00:00Z'\n  retirement_reason: replaced\n",
        ),
        model("not-yet", "  first_eligible_date_utc: '2027-01-01'\n"),
    ];
    fs::write(test.path("models.yaml"), models.concat()).expect("a written file");
    let arguments = [
        "--round-id",
        NAME,
        "--models",
        "models.yaml",
        "--horizon",
        "one week",
    ];
    init(&test, &arguments).code(0).says("roster    2 models");
    let manifest = test.read("manifest.yaml");
    let expected = "expected_model_ids:\n- open\n- leaves-later\nprice_source: tiingo\nwindow_rule";
    assert!(manifest.contains(expected), "{manifest}");
    assert_eq!(test.codes(), [""; 0]);
}

#[test]
fn an_existing_round_is_never_touched() {
    let test = draft();
    let arguments = [
        "init-round",
        "--round-id",
        NAME,
        "--universe",
        "options.yaml",
        "--now",
        NOW,
    ];
    test.run_without_trace(&arguments)
        .code(2)
        .complains("already exists, and a round is never overwritten");
}

#[test]
fn wrong_flags_are_answered_with_the_right_ones() {
    let test = Test::operator(ROUND);
    for (flags, message) in [
        (
            &["--universe-version", "v9"][..],
            "the shipped universes are v1.5, v2.0, v2.1",
        ),
        (
            &["--horizon", "one day"],
            "use \"one week\" or \"one month\"",
        ),
        (
            &["--entry-rule", "soon"],
            "[possible values: first_close_after_deadline, same_day_close, last_close_before_deadline]",
        ),
        (&["--roll", "up"], "[possible values: previous, next]"),
        (
            &["--submission-format", "essay"],
            "[possible values: single_pick, portfolio]",
        ),
        (
            &["--decision-deadline", "2026-12-05T14:25:00Z"],
            "--decision-deadline 2026-12-05T14:25:00Z has passed",
        ),
        (&["--decision-deadline", "tomorrow"], "--decision-deadline"),
        (&["--universe", "missing.yaml"], "missing.yaml"),
        (&["--models", "missing.yaml"], "missing.yaml"),
    ] {
        let all = [&["init-round", "--round-id", "R", "--now", NOW], flags].concat();
        test.run_without_trace(&all).code(2).complains(message);
    }
}

#[test]
fn an_id_that_names_the_other_track_is_refused() {
    let test = Test::operator(ROUND);
    for (id, horizon) in [("R-1W", "one month"), ("R-1M", "one week")] {
        let arguments = [
            "init-round",
            "--round-id",
            id,
            "--horizon",
            horizon,
            "--now",
            NOW,
        ];
        let ran = test.run_without_trace(&arguments).code(2);
        ran.complains(&format!("does not fit the horizon {horizon}"));
    }
}

#[test]
fn a_round_id_must_be_a_folder_name() {
    let test = Test::operator(ROUND);
    for id in [
        "..", ".", "a/b", "../up", "/tmp/x", "a\\b", "", "  ", "a\nb",
    ] {
        let ran = test.run_without_trace(&["init-round", "--round-id", id, "--now", NOW]);
        ran.code(2).complains("--round-id");
    }
    let long = "x".repeat(400);
    let ran = test.run_without_trace(&["init-round", "--round-id", &long, "--now", NOW]);
    ran.code(2).complains("--round-id");
}

#[test]
fn a_broken_universe_is_refused_by_file_and_option() {
    let gold = "The price of gold bars.";
    for (old, new, message) in [
        (gold, "One. Two. Three. Four.", "GOLD"),
        (gold, "It will outperform.", "will outperform"),
        ("- id: BILLS", "- id: GOLD", "option id GOLD appears twice"),
        (
            "risk_bucket: high",
            "risk_bucket: wild",
            "options.3.risk_bucket: must be cash, low, medium, high or very_high, not \"wild\"",
        ),
        (
            "  is_benchmark: true\n",
            "  is_benchmark: treu\n",
            "options",
        ),
        ("options:", "option:", "option"),
        ("symbol: FXBIL", "symbol: null", "BILLS"),
        ("- id: CASH", "  - id: CASH", "line"),
    ] {
        let text = universe(old, new);
        let ran = refused("options.yaml", &text, &[]).complains("options.yaml: ");
        ran.complains(message);
    }
    let none = universe("  is_benchmark: true\n", "").replace("SP500", "BIG");
    refused("options.yaml", &none, &[])
        .complains("options.yaml: no option is the reference: set `is_benchmark: true` on one");
    refused("options.yaml", "", &[]).complains("options.yaml");
}

#[test]
fn a_broken_models_file_is_refused_by_file_and_field() {
    let model = "models:\n- model_id: a\n  provider: mock\n  api_model_name: a\n";
    let also = |more: &str| format!("{model}{more}");
    for (text, message) in [
        (also("  colour: red\n"), "unknown field `colour`"),
        (
            also("- model_id: a\n  provider: b\n  api_model_name: c\n"),
            "models.1.model_id: a appears twice",
        ),
        (
            also("  retired_at_utc: '2026-12-01T00:00:00Z'\n"),
            "models.0.retirement_reason: is required",
        ),
        (
            also("  first_eligible_date_utc: soon\n"),
            "models.0.first_eligible_date_utc",
        ),
        (
            model.replace("provider: mock", "provider: ' '"),
            "models.0.provider: must not be blank",
        ),
        (
            model.replace("model_id: a", "model_id: ' '"),
            "models.0.model_id",
        ),
        (also("  enabled: false\n"), "has no model that is active at"),
        ("models: []\n".to_owned(), "has no model that is active at"),
        (String::new(), "missing field `models`"),
    ] {
        let ran = refused("models.yaml", &text, &["--models", "models.yaml"]);
        ran.complains("models.yaml").complains(message);
    }
}

/// A models file of one model with these lines.
fn one_model(lines: &str) -> String {
    format!("models:\n- model_id: a\n  {lines}\n")
}

/// Lines of a model that could not be asked, and what is said about them.
const NOT_ASKABLE: &[(&str, &str)] = &[
    (
        "provider: opnai\n  api_model_name: x",
        "a: the provider opnai is not known; did you mean openai?",
    ),
    (
        "provider: somewhere\n  api_model_name: x",
        "any other address with OpenAI's chat format is openai_compatible",
    ),
    (
        "provider: openai_compatible\n  api_model_name: x",
        "a: base_url is required for the provider openai_compatible",
    ),
    (
        "provider: azure_openai\n  api_model_name: x",
        "it looks like https://RESOURCE.openai.azure.com/openai/v1",
    ),
    (
        "provider: openai\n  api_model_name: x\n  base_url: api.openai.com",
        "a: the base URL must look like https://host or https://host/path",
    ),
    (
        "provider: openai\n  api_model_name: gpt-5-pro\n  reasoning: low",
        "a: gpt-5-pro does not take the reasoning effort low; it takes: high",
    ),
    (
        "provider: openai\n  api_model_name: o3-deep-research",
        "a: o3-deep-research searches or uses tools by itself",
    ),
    (
        "provider: openrouter\n  api_model_name: x/y",
        "a: OpenRouter needs a routing pin: name the only host that may answer",
    ),
    (
        "provider: groq\n  api_model_name: x\n  routing: [groq]",
        "a: routing is only for openrouter",
    ),
    (
        "provider: fireworks\n  api_model_name: x\n  max_output_tokens: 6000",
        "a: fireworks answers at most 4096 tokens without streaming",
    ),
    (
        "provider: anthropic\n  api_model_name: claude-opus-5\n  schema_mode: json",
        "a: anthropic has no JSON mode",
    ),
    (
        "provider: openai\n  api_model_name: x\n  temprature: 0",
        "models.0: unknown field `temprature`; did you mean `temperature`?",
    ),
    (
        "provider: openai\n  api_model_name: x\n  extra_headers: {a b: c}",
        "models.0.extra_headers: \"a b\": is not a name that a header can have",
    ),
    (
        "provider: openai\n  api_model_name: x\n  extra_headers: {x-api-key: c}",
        "models.0.extra_headers: x-api-key: carries a key",
    ),
    (
        "provider: openai\n  api_model_name: x\n  continues: a",
        "models.0.continues: a cannot continue its own record",
    ),
];

#[test]
fn a_model_that_could_not_be_asked_is_refused_when_the_round_is_created() {
    for (lines, message) in NOT_ASKABLE {
        let models = ["--models", "models.yaml"];
        let ran = refused("models.yaml", &one_model(lines), &models);
        ran.complains(message);
    }
}

#[test]
fn an_edited_date_does_not_follow_from_the_rule_any_more() {
    for (old, new) in [
        ("entry_date: '2026-12-07'", "entry_date: '2026-12-08'"),
        ("exit_date: '2026-12-14'", "exit_date: '2026-12-15'"),
        ("14:25:00Z", "22:25:00Z"),
    ] {
        let test = draft().replace("manifest.yaml", old, new);
        assert_eq!(test.codes(), ["window-differs"], "{new}");
        let audit = test.run(&["audit-round", "--round", ROUND, "--now", NOW]);
        audit.code(1).says("window-differs  manifest.yaml");
    }
}

#[test]
fn a_plan_that_is_too_small_for_the_universe_is_told_at_once() {
    let test = Test::operator("none");
    let open = |id: &str, more: &[&str]| {
        let usual = [
            "init-round",
            "--round-id",
            id,
            "--decision-deadline",
            "2026-12-07T14:25:00Z",
            "--now",
            "2026-12-06T10:00:00Z",
        ];
        [&usual[..], more]
            .concat()
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let run = |variables: &[(&str, &str)], id: &str, more: &[&str]| {
        let words = open(id, more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        test.run_with(variables, &words).code(0)
    };
    let short = "the plan of tiingo allows 50 of 69 symbols at once; all of them take 1 h";
    run(&[], "A", &[]).complains(short);
    let told = run(&[], "B", &["--json"]).json();
    assert!(told["cautions"].to_string().contains(short), "{told}");
    let paid = run(&[("TIINGO_PLAN", "10000/100000/-")], "C", &[]);
    assert!(!paid.stderr().contains("the plan of"), "{paid}");
    let free = "the plan of alphavantage allows 25 of 69 symbols at once; all of them take 48 h";
    run(&[], "D", &["--price-source", "alphavantage"]).complains(free);
}
