//! What other people's tools read: descriptions of an export, a folder for a hub, logs of Inspect.

use std::fs;

use capitalbench_core::values::ids::Digest;
use serde_json::Value;

use crate::harness::{PENDING, RUN, Test, WEEKLY};

/// After both exits of the fixtures.
const AFTER: &str = "2026-04-20";
/// What a provider sent and nobody else may publish.
const SENT: &str = "as-the-provider-sent-it-7c1f";

fn export(test: &Test, more: &[&str]) {
    let start = ["export", "--rounds-dir", ".", "--as-of", AFTER];
    let all: Vec<&str> = start.iter().chain(more).copied().collect();
    test.run(&all).code(0);
}

fn json(test: &Test, path: &str) -> Value {
    let text =
        fs::read_to_string(test.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn descriptions_name_every_file_with_its_digest() {
    let test = Test::all_rounds();
    export(&test, &["--output", "export"]);
    let digest = |name: &Value| {
        let path = test.path("export").join(name.as_str().expect("a name"));
        Digest::of(&fs::read(path).expect("a file")).to_hex()
    };
    let croissant = json(&test, "export/croissant.json");
    let files = croissant["distribution"].as_array().expect("a list");
    for file in files {
        assert_eq!(file["sha256"], digest(&file["contentUrl"]), "{file}");
    }
    assert_eq!(croissant.get("license"), None, "nobody stated one");
    let package = json(&test, "export/datapackage.json");
    let resources = package["resources"].as_array().expect("a list");
    for resource in resources {
        let expected = format!("sha256:{}", digest(&resource["path"]));
        assert_eq!(resource["hash"], expected, "{resource}");
    }
    assert_eq!((files.len(), resources.len()), (33, 33));
    let sums = fs::read_to_string(test.path("export/checksums.txt")).expect("a list");
    for name in ["croissant.json", "datapackage.json", "CITATION.cff"] {
        assert!(sums.contains(&format!("  {name}\n")), "{sums}");
    }
}

#[test]
fn a_folder_for_a_hub_states_licence_and_address_where_they_are_known() {
    let test = Test::all_rounds();
    let league =
        "name: The House\naddress: https://house.example\npublication: {licence: CC-BY-4.0}\n";
    fs::write(test.path("league.yaml"), league).expect("a written file");
    export(&test, &["--hub", "hub"]);
    let card = fs::read_to_string(test.path("hub/README.md")).expect("a card");
    for told in [
        "pretty_name: \"The House: how AI models allocate capital\"",
        "license: \"cc-by-4.0\"",
        "  data_files: outcomes.parquet\n  default: true",
        "https://house.example",
    ] {
        assert!(card.contains(told), "{told}: {card}");
    }
    let citation = fs::read_to_string(test.path("hub/CITATION.cff")).expect("a citation");
    assert!(citation.contains("license: \"CC-BY-4.0\""), "{citation}");
    let large = fs::read_to_string(test.path("hub/.gitattributes")).expect("attributes");
    assert!(large.contains("*.parquet filter=lfs"), "{large}");
    export(
        &test,
        &["--hub", "own", "--licence", "https://house.example/terms"],
    );
    let card = fs::read_to_string(test.path("own/README.md")).expect("a card");
    assert!(
        card.contains("license_link: \"https://house.example/terms\""),
        "{card}"
    );
}

#[test]
fn the_data_page_tells_catalogues_what_the_site_offers() {
    let test = Test::all_rounds();
    let build = [
        "build-site",
        "--rounds-dir",
        ".",
        "--as-of",
        AFTER,
        "--images",
        "none",
    ];
    let more = [
        "--output",
        "site",
        "--base-url",
        "https://house.example",
        "--licence",
        "CC-BY-4.0",
    ];
    test.run(&[build.as_slice(), more.as_slice()].concat())
        .code(0);
    let page = fs::read_to_string(test.path("site/method/data/index.html")).expect("a page");
    for told in [
        "\"@type\":\"Dataset\"",
        "\"license\":\"https://spdx.org/licenses/CC-BY-4.0.html\"",
        "\"contentUrl\":\"https://house.example/data/croissant.json\"",
    ] {
        assert!(page.contains(told), "{told}: {page}");
    }
    assert!(test.path("site/data/croissant.json").is_file());
}

#[test]
fn an_export_without_a_place_or_with_an_unknown_licence_is_refused() {
    let test = Test::all_rounds();
    let nowhere = ["export", "--rounds-dir", "."];
    test.run(&nowhere).code(2).complains("--hub");
    let licence = ["export", "--hub", "hub", "--licence", "all rights reserved"];
    test.run(&licence).code(2).complains("SPDX identifier");
    assert!(!test.path("hub").exists());
}

#[test]
fn a_log_of_a_resolved_round_has_scores_and_repeated_calls_have_a_log_of_their_own() {
    let test = Test::all_rounds();
    export(&test, &["--inspect", "logs", "--output", "export"]);
    let log = json(&test, &format!("logs/{WEEKLY}_official-1.json"));
    assert_eq!(
        (&log["version"], &log["eval"]["task_id"]),
        (&2.into(), &WEEKLY.into())
    );
    let outcomes = json(&test, "export/outcomes.json");
    let samples = log["samples"].as_array().expect("samples");
    assert_eq!(samples.len(), 3);
    for sample in samples {
        let own = outcomes.as_array().expect("rows").iter();
        let mut own =
            own.filter(|row| row["round_id"] == WEEKLY && row["model_id"] == sample["id"]);
        let row = own.next().expect("an outcome");
        assert_eq!(
            sample["scores"]["alpha_fraction"]["value"],
            row["alpha_fraction"]
        );
        assert_eq!(sample["output"]["usage"]["input_tokens"], 800);
        assert_eq!(sample["input"], test.read("model_input.md").as_str());
    }
    let repeated = json(&test, "logs/monthly-single-pick-resolved_stability-1.json");
    assert_eq!(repeated["eval"]["config"]["epochs"], 5);
    assert_eq!(repeated["samples"].as_array().map(Vec::len), Some(10));
}

#[test]
fn a_log_tells_nothing_that_is_withheld() {
    let test = Test::all_rounds();
    // The folder holds the result; the day is before the exit.
    let early = [
        "export",
        "--rounds-dir",
        ".",
        "--as-of",
        "2026-03-05",
        "--inspect",
        "logs",
    ];
    test.run(&early).code(0);
    for name in [PENDING, WEEKLY] {
        let path = test.path(&format!("logs/{name}_official-1.json"));
        let Ok(text) = fs::read_to_string(&path) else {
            // Nothing is public before the round was made.
            assert_eq!(name, PENDING);
            continue;
        };
        for word in [
            "return_fraction",
            "alpha_fraction",
            "capitalbench_score",
            "leaderboard",
        ] {
            assert!(!text.contains(word), "{name} tells {word}");
        }
    }
    // Repeated calls are public with their figures.
    let logs = fs::read_dir(test.path("logs")).expect("a folder");
    let names: Vec<_> = logs
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert!(
        names
            .iter()
            .all(|name| !name.to_string_lossy().contains("weekly")
                || name.to_string_lossy().ends_with("_official-1.json"))
    );
}

#[test]
fn what_a_provider_sent_is_in_a_log_only_where_it_was_asked_for() {
    let reply = format!("{RUN}/raw_responses/google-fixture-c.txt");
    let test = Test::all_rounds().write(&reply, SENT);
    export(&test, &["--inspect", "logs", "--hub", "hub"]);
    for (path, text) in test.tree() {
        let is_made = path.starts_with("logs") || path.starts_with("hub");
        assert!(!is_made || !text.contains(SENT), "{path}");
    }
    export(&test, &["--inspect", "own", "--raw"]);
    let log = json(&test, &format!("own/{WEEKLY}_official-1.json"));
    let samples = log["samples"].as_array().expect("samples").iter();
    let mut sent = samples.filter(|sample| sample["metadata"]["raw_response"] == SENT);
    assert!(
        sent.next()
            .is_some_and(|sample| sample["id"] == "google-fixture-c")
    );
}
