//! Twin lanes: the frozen question asked again with one thing changed, beside the record and never in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use capitalbench_core::asking::option_order::listed;
use serde_json::Value;

use crate::harness::{Ran, Test, command, copy_tree};
use crate::reply_order::{PLAYED, STEPS, say};
use crate::signed_round::demo_inputs;

const AFTER: &str = "2026-09-25T12:00:00Z";
const LANES: [&str; 5] = ["base", "order", "masked", "no_briefing", "no_table"];
/// Four entrants with a habit each, and one without any that concerns the text.
const MODELS: &str = "\
models:
- {model_id: by-place, provider: mock, api_model_name: by-place, metadata: {mock: {goes_by: place}}}
- {model_id: by-name, provider: mock, api_model_name: by-name, metadata: {mock: {goes_by: name}}}
- {model_id: by-table, provider: mock, api_model_name: by-table, metadata: {mock: {goes_by: table}}}
- {model_id: by-itself, provider: mock, api_model_name: by-itself, metadata: {mock: {goes_by: itself}}}
";

/// A round that plans every lane, after some of its steps.
fn played(steps: usize) -> Test {
    let test = Test::operator(PLAYED);
    copy_tree(&demo_inputs(), test.folder());
    fs::write(test.path("models.yaml"), MODELS).expect("a written file");
    for step in &STEPS[..steps] {
        let step = step.replace("{format}", "portfolio").replace(
            "init-round ",
            "init-round --lanes order,masked,no_briefing,no_table ",
        );
        say(&test, &step).code(0);
    }
    test
}

fn ask(test: &Test, lane: &str) -> Ran {
    say(
        test,
        &format!(
            "run-round --round {PLAYED} --models models.yaml --mock --run-type lane_{lane} --run-id \
             lane-{lane} --seed 3 --retry-pause 0 --quiet --now 2026-09-14T13:00:00Z"
        ),
    )
}

fn errors(test: &Test) -> Vec<String> {
    let report = test
        .run(&["verify", PLAYED, "--json", "--now", AFTER])
        .json();
    let findings = report["rounds"][0]["findings"]
        .as_array()
        .expect("findings");
    let own = findings.iter().filter(|own| {
        own["severity"] == "error"
            || own["code"]
                .as_str()
                .is_some_and(|code| code.starts_with("lane"))
    });
    own.map(|own| format!("{} {}", own["code"], own["where"]).replace('"', ""))
        .collect()
}

/// The options of a lane's first answer of a model.
fn held(test: &Test, lane: &str, model: &str) -> BTreeSet<String> {
    let file = format!("runs/lane-{lane}/submissions/parsed/{model}__replicate_001.json");
    let file = if test.file(&file).is_file() {
        file
    } else {
        format!("runs/lane-{lane}/submissions/parsed/{model}.json")
    };
    let parsed: Value = serde_json::from_str(&test.read(&file)).expect("JSON");
    let holdings = parsed["portfolio"].as_array().expect("holdings").iter();
    holdings
        .map(|own| own["option_id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn lanes_are_asked_after_the_record_verified_and_kept_out_of_it() {
    let test = played(5);
    ask(&test, "order")
        .code(2)
        .complains("has no record yet, and twin lanes are asked after it");
    say(&test, STEPS[5]).code(0);
    let record = test.read("runs/official/acceptance.json");
    for lane in LANES {
        ask(&test, lane).code(0);
    }
    assert_eq!(errors(&test), [""; 0]);
    assert_eq!(test.read("runs/official/acceptance.json"), record);

    // Masked answers name masks only, and cash keeps its name.
    let official = listed(&test.read("model_input.md")).len();
    for model in ["by-place", "by-name", "by-table", "by-itself"] {
        let masked = held(&test, "masked", model);
        assert!(
            masked
                .iter()
                .all(|id| id.starts_with("OPTION_") || id == "CASH")
        );
        assert_eq!(held(&test, "base", model).len(), masked.len());
    }
    assert!(official > 20);
    // Who goes by place moves with the order, and who goes by the table moves without it.
    assert_ne!(
        held(&test, "order", "by-place"),
        held(&test, "base", "by-place")
    );
    assert_eq!(
        held(&test, "order", "by-table"),
        held(&test, "base", "by-table")
    );
    assert_ne!(
        held(&test, "no_table", "by-table"),
        held(&test, "base", "by-table")
    );
    assert_eq!(
        held(&test, "no_briefing", "by-name"),
        held(&test, "base", "by-name")
    );

    // Boards and the record know four models and one answer of each.
    let board = ["leaderboard", "--rounds-dir", "rounds", "--as-of", AFTER];
    test.run(&board)
        .code(1)
        .says("Models: by-itself, by-name, by-place, by-table.");
    let before = sensitivity(&test, "2026-09-14T12:45:00Z");
    assert!(
        before["cells"].is_null(),
        "lanes came after the record: {before}"
    );
    let after = sensitivity(&test, AFTER);
    assert_eq!(after["cells"], 4, "{after}");
}

/// The row of all models about another order, in the exported document of an instant.
fn sensitivity(test: &Test, as_of: &str) -> Value {
    let output = test.path(&format!("export-{}", as_of.replace(':', "")));
    let output = output.to_str().expect("text");
    test.run(&[
        "export",
        "--rounds-dir",
        "rounds",
        "--output",
        output,
        "--as-of",
        as_of,
    ])
    .code(0);
    let text = fs::read_to_string(format!("{output}/publication.json")).expect("a document");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let boards = document["boards"].as_array().expect("boards");
    let weekly = boards
        .iter()
        .find(|own| own["track"] == "weekly")
        .expect("a track");
    let rows = weekly["sensitivity"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let all = rows
        .into_iter()
        .find(|own| own["model_id"] == "*" && own["moved_by"] == "order");
    all.unwrap_or(Value::Null)
}

#[test]
fn a_lane_that_was_not_planned_or_asked_twice_is_refused_or_named() {
    let test = played(6);
    ask(&test, "order").code(0);
    say(
        &test,
        &format!(
            "run-round --round {PLAYED} --models models.yaml --mock --run-type lane_order --run-id \
             again --seed 4 --retry-pause 0 --quiet --now 2026-09-14T13:05:00Z"
        ),
    )
    .code(0);
    assert_eq!(
        errors(&test),
        ["lane-unplanned runs/lane-order/run_manifest.yaml"]
    );
    let late = say(
        &test,
        &format!(
            "run-round --round {PLAYED} --models models.yaml --mock --run-type lane_masked --run-id \
             late --retry-pause 0 --quiet --now 2026-09-14T20:00:00Z"
        ),
    );
    late.code(2)
        .complains("the entry close has passed; no twin lane can begin");

    let bare = Test::operator(PLAYED);
    copy_tree(&demo_inputs(), bare.folder());
    for step in STEPS {
        say(&bare, &step.replace("{format}", "portfolio")).code(0);
    }
    ask(&bare, "order").code(2).complains("plans no lane order");
    let other = "init-round --round-id OTHER-1W --horizon one+week --universe-version v1.5 --models \
                 models.yaml --synthetic --decision-deadline 2026-09-14T13:25:00Z \
                 --now 2026-09-14T11:00:00Z --methodology portfolio-v1.1 --lanes order";
    say(&bare, other)
        .code(2)
        .complains("portfolio-v1.1 asks every model once");
}

#[test]
fn a_lane_with_another_text_is_named() {
    let test = played(6);
    ask(&test, "no_table").code(0);
    let slots = test.read("runs/lane-no_table/slots.json");
    let planned: Value = serde_json::from_str(&slots).expect("JSON");
    let digest = planned["model_input_sha256"].as_str().expect("a digest");
    let test = test.replace("runs/lane-no_table/slots.json", digest, &"0".repeat(64));
    assert!(errors(&test).contains(&"lane-input-differs runs/lane-no_table/slots.json".to_owned()));
}

#[test]
fn texts_of_lanes_differ_in_one_thing() {
    let test = played(6);
    let text = |lane: &str| {
        let shown = test.run(&["show-prompt", "--round", PLAYED, "--lane", lane]);
        shown.code(0).stdout()
    };
    let texts: BTreeMap<&str, String> = LANES.iter().map(|lane| (*lane, text(lane))).collect();
    let base = &texts["base"];
    assert_eq!(base.trim(), test.read("model_input.md").trim());
    let sorted = |text: &str| {
        let mut ids: Vec<String> = listed(text).into_iter().map(str::to_owned).collect();
        ids.sort();
        ids
    };
    assert_ne!(listed(&texts["order"]), listed(base));
    assert_eq!(sorted(&texts["order"]), sorted(base));
    assert!(texts["no_briefing"].contains("No briefing is part of this message."));
    assert!(!texts["no_table"].contains("| option_id |"));
    let options = test.read("options.yaml");
    let symbols = options
        .lines()
        .filter_map(|line| line.trim().strip_prefix("symbol: "));
    let masked = &texts["masked"];
    let is_word = |word: &str| {
        let words = masked.split(|c: char| !c.is_alphanumeric());
        words.into_iter().any(|own| own == word)
    };
    let telling: Vec<&str> = symbols
        .map(|symbol| symbol.trim_matches(['\'', '"']))
        .filter(|symbol| symbol.len() > 1 && *symbol != "null" && is_word(symbol))
        .collect();
    assert_eq!(telling, [""; 0]);
}

#[test]
fn a_league_asks_its_lanes_after_the_record_and_never_twice() {
    let place = tempfile::tempdir().expect("a folder");
    let ran = |folder: &str, words: &str| {
        let typed: Vec<&str> = words.split_whitespace().collect();
        let output = command(&typed)
            .current_dir(place.path().join(folder))
            .output();
        Ran::new(words, output.expect("the program runs"))
    };
    ran("", "league new house").code(0);
    let file = place.path().join("house/league.yaml");
    let text = fs::read_to_string(&file).expect("the league file");
    let lanes = "lanes: {twins: [order, masked], every: 1}\n";
    fs::write(&file, format!("{text}{lanes}")).expect("the changed file");
    ran("house", "league plan --weeks 1 --now 2026-12-06T10:00:00Z")
        .code(0)
        .says("ask 6 models and 5 answers of each in twin lanes");
    ran("house", "league run --now 2026-12-07T12:55:00Z").code(0);
    let accepted = ran("house", "league run --now 2026-12-07T14:30:00Z").code(0);
    let told = accepted.stdout();
    let places: Vec<Option<usize>> = [
        "accepted",
        "twin lane, the same text again: asked 6 models: 6 valid",
        "twin lane, another order of the options: asked 6 models: 12 valid",
        "twin lane, masked names and tickers: asked 6 models: 12 valid",
    ]
    .iter()
    .map(|text| told.find(text))
    .collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{told}"
    );
    let again = ran("house", "league run --now 2026-12-07T14:40:00Z").code(0);
    assert!(!again.stdout().contains("twin lane"), "{}", again.stdout());
    ran(
        "house",
        "verify rehearsal/rounds --now 2026-12-07T15:00:00Z",
    )
    .code(0);
    let name = "house/rehearsal/rounds/HOUSE-2026-12-07-1W";
    let manifest = fs::read_to_string(place.path().join(name).join("manifest.yaml"));
    let planned = "lanes:\n  twins: [order, masked]\n  base: 2\n  twin: 2\n";
    assert!(manifest.expect("a manifest").contains(planned));
}
