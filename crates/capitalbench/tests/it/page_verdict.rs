//! How far a round is proved, by the verify page: the same word as `verify` says.

use std::fs;
use std::path::Path;

use capitalbench_core::artifact::{Audience, audience};
use serde_json::{Value, json};

use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{Test, copy_tree};
use crate::page_script::{look, node};
use crate::signed_round::{NAME, NOW, SignedRound};

/// A site, so that the modules of the page are there.
fn with_site(test: &Test) {
    test.run(&["build-site", "--rounds-dir", "signed", "--as-of", NOW])
        .code(0);
}

/// What the page says of the round in a folder, for a reader with these roots.
fn page(test: &Test, folder: &str, roots: &[String]) -> Value {
    let round = test.path(folder).join(NAME).canonicalize();
    let round = round.expect("a round").display().to_string();
    let reader = json!({"now": NOW, "roots": roots});
    look(test, &reader, &[&round]).remove(0)
}

/// The word of the program.
fn program(test: &Test, folder: &str, root: Option<&str>) -> String {
    let mut given = vec!["verify", folder, "--json", "--now", NOW];
    given.extend(root.iter().flat_map(|file| ["--tsa-root", file]));
    let report = test.run(&given).json();
    let level = report["rounds"][0]["proof"]["level"].as_str();
    level.expect("a level").to_uppercase().replace('-', " ")
}

fn codes(found: &Value) -> Vec<&str> {
    let lines = found["lines"].as_array().expect("lines");
    let broken = lines.iter().filter(|line| line["state"] == "differs");
    broken.filter_map(|line| line["code"].as_str()).collect()
}

/// A copy of the folder of rounds beside the first one.
fn copy(test: &Test, name: &str) {
    copy_tree(&test.path("signed"), &test.path(name));
}

fn remove_below(folder: &Path, size: &str) {
    fs::remove_dir_all(folder.join("log/anchors").join(size)).expect("a stamp");
}

#[test]
fn a_foreign_authority_is_named_and_gives_stamped_not_proved() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::anchored(&clock);
    let test = round.test();
    with_site(test);
    if !node() {
        return;
    }
    let found = page(test, "signed", &[]);
    assert_eq!(found["level"], "STAMPED", "{found}");
    assert_eq!(found["level"], program(test, "signed", None).as_str());
    let authority = json!([{"name": "Stamper", "vouched": false}]);
    assert_eq!(found["authorities"], authority);
    let unproved = found["notProved"].to_string();
    assert!(
        unproved.contains("you vouch for none of them"),
        "{unproved}"
    );

    let root = clock.root_file();
    let own = fs::read_to_string(&root).expect("a root");
    let found = page(test, "signed", &[own]);
    assert_eq!(found["level"], "PROVED", "{found}");
    assert_eq!(
        found["level"],
        program(test, "signed", Some(&root)).as_str()
    );

    let other = FakeClock::start(Manner::True);
    let root = other.root_file();
    let strange = fs::read_to_string(&root).expect("a root");
    let found = page(test, "signed", &[strange]);
    assert_eq!(found["level"], "NOT PROVED", "{found}");
    assert_eq!(codes(&found)[0], "promise-not-kept");
    assert_eq!(
        found["level"],
        program(test, "signed", Some(&root)).as_str()
    );
    let published = look(test, &json!({"now": NOW}), &[NAME]).remove(0);
    assert_eq!(published["level"], "STAMPED", "{published}");
}

#[test]
fn a_deleted_stamp_breaks_the_promise_of_an_anchored_round() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::anchored(&clock);
    let test = round.test();
    with_site(test);
    let mut sizes: Vec<String> = fs::read_dir(round.rounds().join("log/anchors"))
        .expect("stamps")
        .map(|entry| entry.expect("a folder").file_name().display().to_string())
        .collect();
    sizes.sort_by_key(|size| size.parse::<u64>().expect("a size"));
    copy(test, "unfrozen");
    remove_below(&test.path("unfrozen"), &sizes[0]);
    copy(test, "unsigned");
    fs::remove_dir_all(test.path("unsigned/log")).expect("a log");
    if !node() {
        return;
    }
    let found = page(test, "unfrozen", &[]);
    assert_eq!(codes(&found), ["promise-not-kept"], "{found}");
    assert_eq!(found["level"], program(test, "unfrozen", None).as_str());
    let found = page(test, "unsigned", &[]);
    assert_eq!(codes(&found), ["promise-not-kept"], "{found}");
    assert_eq!(found["level"], "NOT PROVED");
}

#[test]
fn a_certificate_of_a_web_server_stamps_nothing() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::accepted();
    let test = round.test();
    with_site(test);
    clock.with_authority(crate::authority::Authority::become_a_server);
    clock.behave(Manner::At(
        "2026-09-14T12:31:00Z".parse().expect("an instant"),
    ));
    forge_stamp(&round.rounds(), &clock);
    if !node() {
        return;
    }
    let own = fs::read_to_string(clock.root_file()).expect("a root");
    let found = page(test, "signed", &[own]);
    assert_eq!(codes(&found), ["stamp-invalid"], "{found}");
    let words = found["lines"].to_string();
    assert!(words.contains("not one for time stamping alone"), "{words}");
    let root = clock.root_file();
    assert_eq!(
        found["level"],
        program(test, "signed", Some(&root)).as_str()
    );
}

/// Puts a stamp of the clock beside the present checkpoint, as a program that checks nothing would.
fn forge_stamp(rounds: &Path, clock: &FakeClock) {
    use capitalbench_proof::timestamp::Question;
    let note = fs::read(rounds.join("log/checkpoint")).expect("a checkpoint");
    let size = String::from_utf8_lossy(&note)
        .lines()
        .nth(1)
        .expect("a size")
        .to_owned();
    let asked = Question {
        digest: crate::authority::digest_of(&note),
        nonce: Some(7),
    };
    let at = "2026-09-14T12:31:00Z".parse().expect("an instant");
    let reply = clock.with_authority(|own| own.answer_at(&asked.digest, 7, at));
    let folder = rounds.join("log/anchors").join(size);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("clock.example.tsq"), asked.to_query()).expect("a question");
    fs::write(folder.join("clock.example.tsr"), reply).expect("a reply");
}

#[test]
fn audiences_of_files_are_those_of_the_program() {
    let test = Test::all_rounds();
    test.run(&["build-site", "--rounds-dir", ".", "--as-of", "2026-06-01"])
        .code(0);
    if !node() {
        return;
    }
    let paths = [
        "manifest.yaml",
        "given_instants.jsonl",
        "notes.txt",
        "round_summary.md",
        "research/final_briefing.md",
        "research/deep/er.md",
        "market_data/x.csv",
        "automation/resolution_job.yaml",
        "automation/lease-000001.json",
        "prices/entry_prices.csv",
        "prices/weekly_prices.csv",
        "prices/exit_prices.csv",
        "prices/replaced/0001/exit_prices.csv",
        "runs/a/run_manifest.yaml",
        "runs/a/notes.txt",
        "runs/a/acceptance.json",
        "runs/a/corrections.jsonl",
        "runs/a/attempts/m__001.answer",
        "runs/a/attempts/m__001.head.json",
        "runs/a/attempts/deep/m__001.answer",
        "runs/a/submissions/raw/m.json",
        "runs/a/submissions/parsed/m.json",
        "runs/a/submissions/other/m.json",
        "runs/a/raw_responses/m.txt",
        "runs/a/controls/control-cash.json",
        "runs/a/results/weekly_performance.csv",
        "runs/a/results/leaderboard.csv",
        "runs/a/results/superseded/0001/leaderboard.csv",
        "runs/a/.lock",
        ".hidden",
    ];
    let site = test.path("site");
    fs::write(site.join("verify/package.json"), "{\"type\":\"module\"}").expect("a file");
    let script = format!(
        "import {{ audience }} from {:?}; console.log(JSON.stringify({}.map(audience)))",
        site.join("verify/proof.js").display().to_string(),
        json!(paths)
    );
    fs::write(test.path("audience.mjs"), script).expect("a script");
    let output = std::process::Command::new("node")
        .arg(test.path("audience.mjs"))
        .output()
        .expect("node");
    let said: Vec<String> = serde_json::from_slice(&output.stdout).expect("a list");
    for (path, said) in paths.iter().zip(said) {
        let expected = match audience(path) {
            Audience::Public => "public",
            Audience::AfterRecord => "record",
            Audience::AfterResult => "result",
            Audience::Private => "never",
        };
        assert_eq!(said, expected, "{path}");
    }
}
