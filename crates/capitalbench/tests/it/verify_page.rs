//! The script of the verify page, run outside a browser over files as the site serves them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Test, codes_of, copy_tree, fixtures};
use crate::page_script::{look, node};
use crate::signed_round::{NAME, NOW, SignedRound};

/// Builds a site and checks rounds of it by name, and folders by absolute path.
fn checked(test: &Test, rounds: &Path, as_of: &str, wanted: &[&str]) -> Vec<Value> {
    let folder = rounds.display().to_string();
    test.run(&["build-site", "--rounds-dir", &folder, "--as-of", as_of])
        .code(0);
    look(test, &json!({}), wanted)
}

fn folder(path: &Path) -> String {
    path.canonicalize().expect("a folder").display().to_string()
}

#[test]
fn fixtures_match_and_broken_ones_do_not() {
    if !node() {
        return;
    }
    let test = Test::all_rounds();
    let weekly = folder(&fixtures().join("rounds/weekly-portfolio-resolved"));
    let edited = folder(&fixtures().join("broken/score-edited"));
    let prompt = folder(&fixtures().join("broken/changed-prompt"));
    let sum = folder(&fixtures().join("broken/portfolio-sums-to-95"));
    let wanted = [
        "weekly-portfolio-resolved",
        "monthly-single-pick-resolved",
        "weekly-portfolio-pending",
        weekly.as_str(),
        edited.as_str(),
        prompt.as_str(),
        sum.as_str(),
    ];
    let rounds = test.folder().to_owned();
    let found = checked(&test, &rounds, "2026-06-01", &wanted);
    for (place, least) in [(0, 80), (1, 80), (2, 20), (3, 45)] {
        let counts = &found[place]["counts"];
        assert_eq!(counts["differs"], 0, "{}", found[place]);
        assert!(counts["matches"].as_u64() >= Some(least), "{counts}");
    }
    // An open round: digests only, and the page says why.
    let open = found[2]["lines"].to_string();
    assert!(open.contains("ending prices are not public"), "{open}");
    for (place, part) in [
        (
            4,
            "stored 0.02332947442285641, computed 0.01332947442285641",
        ),
        (5, "prompt.md"),
        (6, "95 %"),
    ] {
        assert_ne!(found[place]["counts"]["differs"], 0, "{}", found[place]);
        let lines = found[place]["lines"].to_string();
        assert!(lines.contains(part), "{lines}");
    }
}

#[test]
fn a_changed_byte_of_any_kind_is_seen() {
    if !node() {
        return;
    }
    let round = fixtures().join("rounds/weekly-portfolio-resolved");
    let test = Test::all_rounds();
    let edits = [
        ("options.yaml", "name: Gold", "name: Gould"),
        ("prices/exit_prices.csv", "82.9", "83.9"),
        ("prices/entry_prices.csv", "57.6,57.6", "57.6,56.6"),
        (
            "runs/official-1/results/returns.csv",
            "0.03038194444444442",
            "0.03038194444444443",
        ),
        (
            "runs/official-1/results/outcomes.json",
            "41.16756908289867",
            "41.16756908289868",
        ),
        (
            "runs/official-1/submissions/parsed/openai-fixture-a.json",
            "\"allocation_pct\": 60",
            "\"allocation_pct\": 65",
        ),
    ];
    let mut folders = Vec::new();
    for (place, (file, old, new)) in edits.iter().enumerate() {
        let copy = test.path(&format!("edited/{place}"));
        copy_tree(&round, &copy);
        let stored = fs::read_to_string(copy.join(file)).expect("a file");
        assert!(stored.contains(old), "{file} does not hold {old}");
        fs::write(copy.join(file), stored.replace(old, new)).expect("a file");
        folders.push(folder(&copy));
    }
    let wanted: Vec<&str> = folders.iter().map(String::as_str).collect();
    let found = checked(&test, &fixtures().join("rounds"), "2026-06-01", &wanted);
    for (found, (file, ..)) in found.iter().zip(&edits) {
        assert_ne!(found["counts"]["differs"], 0, "{file}: {found}");
    }
}

#[test]
fn the_log_of_a_signed_round_is_published_and_checked() {
    let round = SignedRound::resolved();
    let test = round.test();
    let build = |as_of: &str| {
        let given = ["--rounds-dir", "signed", "--as-of", as_of];
        test.run(&[&["build-site"], &given[..]].concat()).code(0);
    };
    // A log is of the present; a site of an earlier instant has none.
    build("2026-09-15T12:00:00Z");
    assert!(!test.path("site/log").exists());
    build(NOW);
    let site = test.path("site");
    let published = |path: &str| fs::read(site.join(path)).expect("a published file");
    let own = |path: &str| fs::read(round.rounds().join(path)).expect("a file of the log");
    for path in ["log/vkey", "log/checkpoint"] {
        assert_eq!(published(path), own(path));
    }
    let salts = String::from_utf8(published(&format!("log/salts/{NAME}.json"))).expect("text");
    assert!(!salts.contains(".head.json"), "{salts}");
    if !node() {
        return;
    }
    let found = look(test, &json!({"now": NOW}), &[NAME]).remove(0);
    assert_eq!(found["counts"]["differs"], 0, "{found}");
    assert!(!found["lines"].to_string().contains("\"log\""), "{found}");

    let leaves = String::from_utf8(published("log/checkpoint")).expect("text");
    let leaves = leaves.lines().nth(1).expect("a size").to_owned();
    let changes = [
        ("log/checkpoint".to_owned(), "does not hold"),
        (
            format!("log/tile/0/000.p/{leaves}"),
            "does not hold the hashes that the leaves give",
        ),
        (
            format!("log/tile/entries/000.p/{leaves}"),
            "signs another root than the leaves give",
        ),
        (format!("rounds/{NAME}/files/manifest.yaml"), "signed "),
    ];
    for (path, words) in changes {
        let before = published(&path);
        let mut bytes = before.clone();
        bytes[20] ^= 1;
        fs::write(site.join(&path), bytes).expect("a changed file");
        let found = look(test, &json!({"now": NOW}), &[NAME]).remove(0);
        assert_ne!(found["counts"]["differs"], 0, "{path}: {found}");
        assert!(
            found["lines"].to_string().contains(words),
            "{path}: {found}"
        );
        fs::write(site.join(&path), before).expect("a mended file");
    }
}

/// Rounds in which the program finds an error, by the codes of them.
fn condemned(test: &Test, rounds: &str, as_of: &str) -> BTreeMap<String, Vec<String>> {
    let report = test.run(&["verify", rounds, "--json", "--now", as_of]);
    let report = report.json();
    let rounds = report["rounds"].as_array().expect("rounds");
    let codes =
        |round: &Value| codes_of(round["findings"].as_array().expect("findings"), &["error"]);
    rounds
        .iter()
        .map(|round| {
            (
                round["round_id"].as_str().expect("a name").to_owned(),
                codes(round),
            )
        })
        .filter(|(_, codes)| !codes.is_empty())
        .collect()
}

#[test]
fn of_every_public_round_of_the_archive_the_page_says_what_the_program_says() {
    let Some(archive) = crate::golden::archive() else {
        return;
    };
    if !node() {
        return;
    }
    let test = Test::weekly();
    let rounds = archive.join("rounds");
    let folder = rounds.display().to_string();
    let as_of = "2026-08-21";
    let listed = test.run(&[
        "build-site",
        "--rounds-dir",
        &folder,
        "--as-of",
        as_of,
        "--json",
    ]);
    assert!(listed.code(0).json()["files"].as_u64() > Some(1000));
    let mut names: Vec<String> = fs::read_dir(test.path("site/rounds"))
        .expect("rounds")
        .map(|entry| entry.expect("a round").path())
        .filter(|path| path.join("files.json").is_file())
        .map(|path| path.file_name().expect("a name").display().to_string())
        .collect();
    names.sort();
    let wanted: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = checked(&test, &rounds, as_of, &wanted);
    assert!(found.len() > 40);
    let mut matches = 0;
    let wrong = condemned(&test, &folder, "2026-08-21T00:00:00Z");
    for round in &found {
        let name = round["name"].as_str().expect("a name");
        let differs = round["counts"]["differs"] != 0;
        assert_eq!(differs, wrong.contains_key(name), "{round}");
        matches += round["counts"]["matches"].as_u64().expect("a count");
    }
    assert!(matches > 8000, "{matches} lines match");
}

#[test]
fn the_script_is_small_and_nothing_runs_inline() {
    let test = Test::all_rounds();
    test.run(&["build-site", "--rounds-dir", ".", "--as-of", "2026-06-01"])
        .code(0);
    let mut bytes = 0;
    for entry in fs::read_dir(test.path("site/verify")).expect("a folder") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|ending| ending == "js") {
            let script = fs::read_to_string(&path).expect("a script");
            assert!(!script.contains("http"), "{path:?} names another host");
            bytes += script.len();
        }
    }
    // Everything that `verify` checks of a signed round, without a library, and the reader of
    // bundles, and the closes of every market: 52 kB when compressed.
    assert!(bytes < 200_000, "{bytes} bytes");
    let page = fs::read_to_string(test.path("site/verify/index.html")).expect("a page");
    for part in page.split("<script").skip(1) {
        let (tag, body) = part.split_once('>').expect("a tag");
        if tag.contains("type=\"application/ld+json\"") {
            // Data for search engines; nothing of it runs.
            continue;
        }
        assert!(tag.contains("src=\""), "{tag}");
        assert!(body.starts_with("</script>"), "{tag}");
    }
    for word in [" style=", " onclick", "javascript:"] {
        assert!(!page.contains(word), "{word}");
    }
}
