//! How far a round is proved, by the verify page: the same word as `verify` says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::public::bundle;
use capitalbench_core::publication::artifact::{Audience, audience};
use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::{Event, Fact, Instant, Sealed};
use capitalbench_proof::merkle::{Edge, Hash, leaf_hash};
use capitalbench_proof::note::SignerKey;
use capitalbench_proof::tiles;
use serde_json::{Value, json};

use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{Test, copy_tree};
use crate::page_script::{look, node, pack};
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

/// The page unpacks what `bundle` packed, and says of it what it says of the folder.
#[test]
fn a_bundle_gets_the_verdict_of_its_folder() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::anchored(&clock);
    let test = round.test();
    with_site(test);
    if !node() {
        return;
    }
    let packed = [
        "bundle",
        &format!("signed/{NAME}"),
        "--output",
        "one.tar.zst",
    ];
    test.run(&packed).code(0);
    let bundle = test.path("one.tar.zst").canonicalize().expect("a bundle");
    let reader = json!({"now": NOW, "roots": []});
    let found = look(test, &reader, &[&bundle.display().to_string()]).remove(0);
    let folder = page(test, "signed", &[]);
    assert_eq!(found["name"], NAME, "{found}");
    assert_eq!(found["level"], folder["level"], "{found}");
    assert_eq!(found["counts"]["differs"], 0, "{found}");
}

/// The file that a round's page hands out is as good as one that the operator packed, and shows
/// nothing that was withheld.
#[test]
fn a_page_hands_out_a_bundle_that_the_program_verifies() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::anchored(&clock);
    let test = round.test();
    with_site(test);
    if !node() {
        return;
    }
    pack(test, NAME, "page.tar.zst");
    let root = clock.root_file();
    let verified = ["verify", "page.tar.zst", "--json", "--now", NOW];
    let report = test.run(&[&verified[..], &["--tsa-root", &root]].concat());
    let report = report.code(0).json();
    assert_eq!(report["rounds"][0]["proof"]["level"], "proved", "{report}");
    let made = bundle::read_files(&fs::read(test.path("page.tar.zst")).expect("a bundle"));
    let made = made.expect("a bundle of ours");
    let packed = [
        "bundle",
        &format!("signed/{NAME}"),
        "--output",
        "own.tar.zst",
    ];
    test.run(&packed).code(0);
    let own = bundle::read_files(&fs::read(test.path("own.tar.zst")).expect("a bundle"));
    let own = own.expect("a bundle of ours");
    let told = |files: &BTreeMap<String, Vec<u8>>| -> Value {
        serde_json::from_slice(&files["bundle.json"]).expect("JSON")
    };
    assert_eq!(told(&made), told(&own));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&made), names(&own));
    for (path, bytes) in own.iter().filter(|(path, _)| *path != "bundle.json") {
        assert_eq!(made.get(path), Some(bytes), "{path}");
    }
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
    clock.with_authority(|authority| authority.reissue_as("web_server"));
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
        digest: capitalbench_testing::authority::digest_of(&note),
        nonce: Some(7),
    };
    let at = "2026-09-14T12:31:00Z".parse().expect("an instant");
    let reply = clock.with_authority(|own| own.answer_at(&asked.digest, 7, at));
    let folder = rounds.join("log/anchors").join(size);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("clock.example.tsq"), asked.to_query()).expect("a question");
    fs::write(folder.join("clock.example.tsr"), reply).expect("a reply");
}

/// Signs a changed file into the log with the operator's own key, as a changed program would.
fn sign_again(rounds: &Path, path: &str) {
    let log = LogFolder::of_rounds(rounds);
    let state = log
        .checkpoint()
        .expect("a log")
        .expect("a state")
        .checkpoint;
    let all: Vec<u64> = (0..state.size).collect();
    let leaves = log.leaves(&all, state.size).expect("leaves").into_iter();
    let mut leaves: Vec<Vec<u8>> = leaves.map(|(_, leaf)| leaf).collect();
    let told = leaves.iter().filter_map(|leaf| Event::parse(leaf).ok());
    let told = told.filter(|event| matches!(event.fact, Fact::Inventory { .. }));
    let salts = log.salts(NAME).expect("a list").expect("salts");
    let bytes = fs::read(rounds.join(NAME).join(path)).expect("a changed file");
    let sealed = Sealed::new(&salts[path], &bytes);
    let event = Event {
        round: NAME.to_owned(),
        at: Instant::parse("2026-09-22T00:16:00Z").expect("an instant"),
        fact: Fact::Inventory {
            number: told.count() as u64 + 1,
            bodies: [(path.to_owned(), sealed)].into(),
            gone: Vec::new(),
        },
    };
    leaves.push(event.to_leaf().expect("a leaf"));
    let hashes: Vec<Hash> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
    let mut edge = Edge::default();
    for hash in &hashes {
        edge.append(*hash, |_, _, _| {});
    }
    let size = leaves.len() as u64;
    let private = rounds.join(".capitalbench/keys/log.key");
    let key = SignerKey::parse(fs::read_to_string(private).expect("a key").trim());
    let note = Checkpoint {
        origin: state.origin,
        size,
        root: edge.root(),
        extensions: vec![format!("previous {}", state.size)],
    };
    let note = note.sign(&key.expect("a key")).expect("a note").to_string();
    let write = |path: &str, bytes: &[u8]| fs::write(rounds.join(path), bytes).expect("a file");
    let bundle = tiles::bundle(leaves.iter().map(Vec::as_slice)).expect("short leaves");
    write(&format!("log/tile/entries/000.p/{size}"), &bundle);
    write(
        &format!("log/tile/0/000.p/{size}"),
        &tiles::hash_tile(&hashes),
    );
    write("log/checkpoint", note.as_bytes());
    write(&format!("log/checkpoints/{size}"), note.as_bytes());
}

#[test]
fn an_answer_that_was_rewritten_and_signed_again_is_found() {
    let round = SignedRound::resolved();
    let test = round.test();
    with_site(test);
    let folder = round.rounds().join(NAME);
    let attempts = fs::read_dir(folder.join("runs/official/attempts")).expect("attempts");
    let names = attempts.map(|entry| entry.expect("a file").file_name().display().to_string());
    let name = names.filter(|name| name.ends_with(".ended.json")).min();
    let path = format!("runs/official/attempts/{}", name.expect("an attempt"));
    let stored = fs::read_to_string(folder.join(&path)).expect("a record");
    // What the call cost: no other file tells it, so that only the log can know.
    let (before, after) = stored
        .split_once("\"latency_seconds\": ")
        .expect("a latency");
    let rest = after.split_once(',').expect("more members").1;
    let changed = format!("{before}\"latency_seconds\": 0.001,{rest}");
    assert_ne!(changed, stored);
    fs::write(folder.join(&path), changed).expect("a changed record");
    sign_again(&round.rounds(), &path);
    if !node() {
        return;
    }
    let found = page(test, "signed", &[]);
    assert_eq!(codes(&found), ["fixed-file-changed"], "{found}");
    assert_eq!(found["level"], program(test, "signed", None).as_str());
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
