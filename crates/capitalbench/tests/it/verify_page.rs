//! The script of the verify page, run outside a browser over files as the site serves them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Test, copy_tree, fixtures};
use crate::signed_round::{NAME, NOW, SignedRound};

/// Reads a built site as the page does, or a folder as it is dropped; prints counts and differences.
const RUN: &str = r#"
import fs from "node:fs";
import path from "node:path";
const [site, ...wanted] = process.argv.slice(2);
const { check, roundOf } = await import(path.join(site, "verify/check.js"));
const { csv } = await import(path.join(site, "verify/read.js"));
const read = (file) => new Uint8Array(fs.readFileSync(file));
const walk = (root, folder = "") => fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
  const inner = path.join(folder, entry.name);
  return entry.isDirectory() ? walk(root, inner) : [inner];
});
const shown = csv(fs.readFileSync(path.join(site, "data/outcomes.csv"), "utf8"));
const out = [];
for (const name of wanted) {
  const dropped = path.isAbsolute(name);
  let files, index = null, rows = null;
  if (dropped) files = new Map(walk(name).map((file) => [file, read(path.join(name, file))]));
  else {
    index = JSON.parse(fs.readFileSync(path.join(site, "rounds", name, "files.json"), "utf8"));
    files = new Map(index.files.map((file) => [file.path, read(path.join(site, "rounds", name, "files", file.path))]));
    rows = shown.filter((row) => row.round_id === name);
  }
  const list = path.join(site, "rounds", name, "log.json");
  const at = (file) => read(path.join(site, file));
  const log = !dropped && fs.existsSync(list) ? {
    vkey: at("log/vkey"), checkpoint: at("log/checkpoint"), read: async (file) => at(file),
    leaves: JSON.parse(fs.readFileSync(list, "utf8")).leaves,
    salts: JSON.parse(fs.readFileSync(path.join(site, `log/salts/${name}.json`), "utf8")),
  } : null;
  const { lines, counts } = await check(files, index, rows, log);
  out.push({ name: roundOf(files), counts, lines: lines.filter((line) => line.state !== "matches") });
}
console.log(JSON.stringify(out));
"#;

fn node() -> bool {
    let there = Command::new("node").arg("--version").output();
    let there = there.is_ok_and(|output| output.status.success());
    let ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(there || !ci, "CI needs node");
    if !there {
        eprintln!("skipped: no node");
    }
    there
}

/// Builds a site and checks rounds of it by name, and folders by absolute path.
fn checked(test: &Test, rounds: &Path, as_of: &str, wanted: &[&str]) -> Vec<Value> {
    let folder = rounds.display().to_string();
    test.run(&["build-site", "--rounds-dir", &folder, "--as-of", as_of])
        .code(0);
    look(test, wanted)
}

/// Checks a round of a site that is there.
fn look(test: &Test, wanted: &[&str]) -> Vec<Value> {
    let site = test.path("site");
    fs::write(site.join("verify/package.json"), "{\"type\":\"module\"}").expect("a file");
    fs::write(test.path("run.mjs"), RUN).expect("a script");
    let output = Command::new("node")
        .arg(test.path("run.mjs"))
        .arg(&site)
        .args(wanted)
        .output()
        .expect("node");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("a report");
    found.as_array().expect("a list").clone()
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
    let found = look(test, &[NAME]).remove(0);
    assert_eq!(found["counts"]["differs"], 0, "{found}");
    assert!(!found["lines"].to_string().contains("\"log\""), "{found}");

    let leaves = String::from_utf8(published("log/checkpoint")).expect("text");
    let leaves = leaves.lines().nth(1).expect("a size").to_owned();
    let changes = [
        ("log/checkpoint".to_owned(), "does not hold"),
        (
            format!("log/tile/0/000.p/{leaves}"),
            "the root that was signed",
        ),
        (
            format!("log/tile/entries/000.p/{leaves}"),
            "is not in the tree",
        ),
        (format!("rounds/{NAME}/files/manifest.yaml"), "signed "),
    ];
    for (path, words) in changes {
        let before = published(&path);
        let mut bytes = before.clone();
        bytes[20] ^= 1;
        fs::write(site.join(&path), bytes).expect("a changed file");
        let found = look(test, &[NAME]).remove(0);
        assert_ne!(found["counts"]["differs"], 0, "{path}: {found}");
        assert!(
            found["lines"].to_string().contains(words),
            "{path}: {found}"
        );
        fs::write(site.join(&path), before).expect("a mended file");
    }
}

#[test]
fn every_public_round_of_the_archive_matches() {
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
    for round in &found {
        assert_eq!(round["counts"]["differs"], 0, "{round}");
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
    for name in ["check.js", "compute.js", "log.js", "page.js", "read.js"] {
        let script = fs::read_to_string(test.path(&format!("site/verify/{name}")));
        let script = script.expect("a script");
        assert!(!script.contains("http"), "{name} names another host");
        bytes += script.len();
    }
    assert!(bytes < 30_000, "{bytes} bytes");
    let page = fs::read_to_string(test.path("site/verify/index.html")).expect("a page");
    for part in page.split("<script").skip(1) {
        let (tag, body) = part.split_once('>').expect("a tag");
        assert!(tag.contains("src=\""), "{tag}");
        assert!(body.starts_with("</script>"), "{tag}");
    }
    for word in [" style=", " onclick", "javascript:"] {
        assert!(!page.contains(word), "{word}");
    }
}
