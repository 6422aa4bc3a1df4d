//! What a store refuses to lose, and what a folder refuses to take from it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use capitalbench_core::values::ids::Digest;
use capitalbench_testing::database_server::Server;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::due_rounds::market;
use crate::faulty_layer::FaultyLayer;
use crate::harness::{MONTHLY, Test, WEEKLY, changes, copy_tree, tree_of};
use crate::market::serve;
use crate::store::{all_resolved, rounds, same, signed_store, worker_command};
use crate::store_place::{Keys, Stores, on_both};
use crate::waiting::Speaking;

on_both!(
    what_a_store_names_beside_the_rounds_overwrites_nothing_of_the_operator,
    a_push_without_the_log_or_with_an_older_one_is_refused,
    a_round_whose_files_are_gone_here_is_not_emptied_for_everybody,
    the_log_of_another_league_and_that_of_the_store_stay_as_they_are,
    another_store_at_the_same_address_is_noticed,
    edits_after_a_pull_that_was_stopped_are_not_overwritten,
    a_pull_that_discards_brings_back_what_is_gone_or_changed_here,
    what_a_reader_keeps_is_looked_at_again_after_the_machine_started_anew,
    a_key_that_is_no_head_is_named_with_what_to_do,
    a_worker_that_waits_for_the_log_says_so_and_stops_when_asked,
    a_job_that_was_cancelled_in_the_store_does_not_succeed_in_the_database,
);

/// Puts an object into a store, as a push would name it.
fn put(store: &Keys, bytes: &[u8]) -> String {
    let digest = Digest::of(bytes).to_hex();
    let name = format!("{digest}-{}", "f".repeat(32));
    store.put(&format!("objects/{}/{name}", &digest[..2]), bytes);
    name
}

/// Writes a head that names these files, whatever a push would say to them.
fn forge(store: &Keys, key: &str, number: u64, files: &[(&str, &str)]) {
    let place = |text: &str| {
        json!({
            "sha256": Digest::of(text.as_bytes()).to_hex(),
            "size": text.len(),
            "object": put(store, text.as_bytes()),
            "offset": 0,
        })
    };
    let files: serde_json::Map<String, Value> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), place(text)))
        .collect();
    let index = json!({"format": 1, "files": files, "gone": [], "empty_folders": []});
    let index = put(store, index.to_string().as_bytes());
    let head = json!({
        "format": 1,
        "content": {
            "number": number,
            "nonce": "f".repeat(32),
            "follows": [],
            "indexes": [index],
            "next_attempt_at_utc": null,
        },
        "fence": 0,
        "lease": null,
        "pending": {},
        "write": "a".repeat(32),
    });
    store.put(key, head.to_string().as_bytes());
}

fn what_a_store_names_beside_the_rounds_overwrites_nothing_of_the_operator(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    place.pull(&test, "again").code(0);
    fs::write(test.path("again/.env"), "KEY=own\n").expect("a file");
    let before = tree_of(&test.path("again"));
    for path in [
        ".env",
        ".capitalbench/keys/log.key",
        ".capitalbench/store/address",
        "log/checkpoint",
        "../../escape",
    ] {
        let files = [("README.md", "Mine.\n"), (path, "hostile")];
        forge(&place.keys, "heads/beside", 9, &files);
        let said = "in the files beside the rounds, where no push puts it";
        place.pull(&test, "again").code(2).complains(said);
        place
            .verify(&test)
            .code(1)
            .complains(&format!("the store names the file {path:?} {said}"));
        assert_eq!(changes(&before, &tree_of(&test.path("again"))), [""; 0]);
        assert!(!test.path("escape").exists());
    }
}

/// A command of the operator who has the key of the log.
fn with_key(test: &Test, arguments: &[&str]) {
    let key = test.path("log.key").display().to_string();
    test.run_with(&[("CAPITALBENCH_LOG_KEY", &key)], arguments)
        .code(0);
}

/// The files of a folder without what a checkout knows of its store, and what a kill left unfinished.
fn files(test: &Test, folder: &str) -> BTreeMap<String, String> {
    let mut tree = tree_of(&test.path(folder));
    tree.retain(|path, _| !path.starts_with(".capitalbench") && !path.contains("/.capitalbench-"));
    tree
}

fn a_push_without_the_log_or_with_an_older_one_is_refused(stores: &Stores) {
    let (test, place) = signed_store(1, stores);
    copy_tree(&test.path("rounds/log"), &test.path("old-log"));
    fs::write(test.path("rounds/DUE-00/listing.txt"), "later").expect("a file");
    with_key(&test, &["hash-round", "--round", "rounds/DUE-00"]);
    place.push(&test, "rounds").code(0).says("the log: pushed");
    let (log, store) = (files(&test, "rounds/log"), place.keys.texts());
    let unchanged = || assert_eq!(changes(&store, &place.keys.texts()), [""; 0]);

    fs::remove_dir_all(test.path("rounds/log")).expect("removed");
    place
        .push(&test, "rounds")
        .code(2)
        .complains("has no signed log, unlike the store");
    unchanged();
    place.pull(&test, "rounds").code(0).says("pulled 1 unit");
    assert_eq!(changes(&log, &files(&test, "rounds/log")), [""; 0]);

    fs::remove_dir_all(test.path("rounds/log")).expect("removed");
    copy_tree(&test.path("old-log"), &test.path("rounds/log"));
    place
        .push(&test, "rounds")
        .code(2)
        .complains("the log here does not continue the log of the store");
    unchanged();
    let discard = ["store", "pull", "--rounds-dir", "rounds", "--discard-local"];
    place.run(&test, &discard).code(0);
    assert_eq!(changes(&log, &files(&test, "rounds/log")), [""; 0]);

    place.push(&test, "rounds").code(0).says("pushed 0 units");
}

fn a_round_whose_files_are_gone_here_is_not_emptied_for_everybody(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let store = place.keys.texts();
    let round = test.path(&format!("rounds/{WEEKLY}"));
    for keeps_folder in [true, false] {
        fs::remove_dir_all(&round).expect("removed");
        if keeps_folder {
            fs::create_dir_all(round.join("runs/official-1")).expect("a folder");
        }
        place.push(&test, "rounds").code(1).complains(&format!(
            "{WEEKLY}: not pushed, because all its files are gone here"
        ));
        assert_eq!(changes(&store, &place.keys.texts()), [""; 0]);
        let status = ["store", "status", "--rounds-dir", "rounds"];
        let said = "all its files are gone here; `store pull` brings them back";
        place.run(&test, &status).code(1).says(said);
        place.pull(&test, "rounds").code(0).says("pulled 1 unit");
        place.run(&test, &status).code(0);
        place.pull(&test, "again").code(0);
        same(&test, "rounds", "again");
    }
}

fn the_log_of_another_league_and_that_of_the_store_stay_as_they_are(stores: &Stores) {
    let (test, place) = signed_store(1, stores);
    let (other, _) = signed_store(2, stores);
    let state = other.path("rounds/.capitalbench/store");
    let store = place.keys.texts();
    for said in [
        "has a log with another key than",
        "has no signed log, unlike",
    ] {
        let own = files(&other, "rounds");
        fs::remove_dir_all(&state).expect("removed");
        place.push(&other, "rounds").code(2).complains(said);
        assert_eq!(changes(&store, &place.keys.texts()), [""; 0]);
        assert_eq!(changes(&own, &files(&other, "rounds")), [""; 0]);
        fs::remove_dir_all(other.path("rounds/log")).ok();
    }
    // A machine that has nothing yet may push nothing and pull everything.
    fs::create_dir(test.path("new")).expect("a folder");
    place.push(&test, "new").code(0);
    place.pull(&test, "new").code(0);
    same(&test, "rounds", "new");
}

const BOARD: [&str; 5] = ["leaderboard", "--round", WEEKLY, "--as-of", "2026-08-21"];

fn another_store_at_the_same_address_is_noticed(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let board = [&BOARD[..], &["--store", &place.url]].concat();
    place.run(&test, &board).code(0);
    place.keys.clear();
    let said = "is another store than the one that rounds was pulled from or pushed to before";
    place.push(&test, "rounds").code(2).complains(said);
    place.pull(&test, "rounds").code(2).complains(said);
    place.run(&test, &board).fails();
    place.push(&test, "rounds").code(2).complains(said);
    fs::remove_dir_all(test.path("rounds/.capitalbench/store")).expect("removed");
    place.push(&test, "rounds").code(0).says("pushed 4 units");
    place.run(&test, &board).code(0);
    place.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
}

fn edits_after_a_pull_that_was_stopped_are_not_overwritten(stores: &Stores) {
    let layer = FaultyLayer::build();
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    place.pull(&test, "again").code(0);
    for name in ["a.txt", "b.txt", "c.txt"] {
        fs::write(test.path(&format!("rounds/{WEEKLY}/{name}")), name).expect("a file");
    }
    place.push(&test, "rounds").code(0);
    let wanted = files(&test, "rounds");
    let mut stopped = 0;
    for call in 1.. {
        let folder = format!("trial-{call}");
        copy_tree(&test.path("again"), &test.path(&folder));
        let at = call.to_string();
        let pull = ["store", "pull", "--rounds-dir", &folder];
        let ran = layer.run(
            &test,
            &place.and(&[("KILL_AT", &at), ("NO_FLUSH", "1")]),
            &pull,
        );
        if !ran.was_killed() {
            ran.code(0);
            break;
        }
        let mark = test.path(&format!(
            "{folder}/.capitalbench/store/begun/round-{WEEKLY}.mark"
        ));
        if mark.exists() {
            let manifest = test.path(&format!("{folder}/{WEEKLY}/manifest.yaml"));
            let text = fs::read_to_string(&manifest).expect("a manifest");
            let note = test.path(&format!("{folder}/{WEEKLY}/mine.txt"));
            fs::write(&manifest, format!("{text}# mine\n")).expect("an edit");
            fs::write(&note, "mine").expect("a file");
            place
                .pull(&test, &folder)
                .code(2)
                .complains("was changed here and in the store");
            assert_eq!(fs::read_to_string(&note).expect("a file"), "mine");
            fs::remove_file(note).expect("removed");
            fs::write(&manifest, text).expect("an undone edit");
            stopped += 1;
        }
        // What the stopped pull wrote is no edit.
        place.pull(&test, &folder).code(0);
        assert_eq!(changes(&wanted, &files(&test, &folder)), [""; 0]);
    }
    assert!(stopped > 2, "{stopped} pulls were stopped while they wrote");
}

fn a_pull_that_discards_brings_back_what_is_gone_or_changed_here(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    place.pull(&test, "again").code(0);
    fs::remove_dir_all(test.path(&format!("again/{WEEKLY}"))).expect("removed");
    fs::write(test.path(&format!("again/{MONTHLY}/manifest.yaml")), "").expect("an edit");
    fs::write(test.path(&format!("again/{MONTHLY}/mine.txt")), "").expect("a file");
    let discard = ["store", "pull", "--rounds-dir", "again", "--discard-local"];
    place.run(&test, &discard).code(0).says("pulled 2 units");
    same(&test, "rounds", "again");
}

fn what_a_reader_keeps_is_looked_at_again_after_the_machine_started_anew(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let board = [&BOARD[..], &["--store", &place.url]].concat();
    let told = place.run(&test, &board).code(0).stdout();
    let stores = fs::read_dir(test.path("cache/capitalbench/stores")).expect("a folder");
    for store in stores {
        let kept = store.expect("a store").path().join("checkout-1/rounds");
        // The machine lost its power: what was not flushed is empty, also what the reader knew.
        fs::write(kept.join(WEEKLY).join("manifest.yaml"), "").expect("an empty file");
        let known = kept.join(".capitalbench/store");
        fs::write(known.join("tags.json"), "").expect("an empty file");
        fs::write(known.join("start"), "another start").expect("a note");
    }
    place.run(&test, &board).code(0).prints(&told);
}

fn a_key_that_is_no_head_is_named_with_what_to_do(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let junk = "heads/rounds/DUE-00.orig";
    place.keys.put(junk, b"<<<<<<< ours");
    place
        .pull(&test, "again")
        .code(2)
        .complains(&format!("{}/{junk}: ", place.url))
        .complains("remove a key that nobody needs");
    place
        .verify(&test)
        .code(1)
        .complains(&format!("{}/{junk}: ", place.url))
        .says("5 units");
}

/// Lets somebody hold the log of a store, or nobody.
fn hold_log(store: &Keys, lease: &Value) {
    let mut head = head(store, "heads/log");
    head["lease"] = lease.clone();
    store.put("heads/log", head.to_string().as_bytes());
}

fn head(store: &Keys, key: &str) -> Value {
    let bytes = store.get(key).expect("a head");
    serde_json::from_slice(&bytes).expect("JSON")
}

fn a_worker_that_waits_for_the_log_says_so_and_stops_when_asked(stores: &Stores) {
    let (test, place) = signed_store(1, stores);
    let soon = Timestamp::now() + SignedDuration::from_hours(1);
    hold_log(
        &place.keys,
        &json!({"owner": "league on other", "expires_at_utc": soon.to_string()}),
    );
    let prices = serve(market());
    let worker = worker_command(&test, &place, &prices).spawn();
    let mut worker = Speaking::new(worker.expect("the program starts"));
    worker.until(1, "waits for league on other, who holds the log until 2");
    let began = Instant::now();
    let id = worker.child().id().to_string();
    let sent = Command::new("kill").args(["-TERM", &id]).status();
    assert!(sent.expect("kill").success());
    worker.ended().code(0).says("DUE-00: given back");
    assert!(began.elapsed() < Duration::from_secs(30));
    let held = head(&place.keys, "heads/rounds/DUE-00");
    assert_eq!(held["lease"], Value::Null);
    hold_log(&place.keys, &Value::Null);
    let ended = worker_command(&test, &place, &prices).output();
    assert!(ended.expect("the program starts").status.success());
    all_resolved(&test, &place, 1);
}

fn a_job_that_was_cancelled_in_the_store_does_not_succeed_in_the_database(stores: &Stores) {
    let Some(server) = Server::start() else {
        return;
    };
    let (test, place) = signed_store(1, stores);
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    test.run_with(&with, &["db", "migrate"]).code(0);
    let round = ["--round", "rounds/DUE-00"];
    let schedule = [&["automation-retry"], &round[..]].concat();
    test.run_with(&with, &schedule).code(0);
    let cancel = [&["automation-cancel"], &round[..], &["--reason", "void"]].concat();
    with_key(&test, &cancel);
    place.push(&test, "rounds").code(0);
    let prices = serve(market());
    let mut worker = worker_command(&test, &place, &prices);
    let output = worker.env("DATABASE_URL", &url).output().expect("an end");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(said.contains("the job in DUE-00 is cancelled"), "{said}");
    let told = test.run_with(&with, &["automation-status", "--json"]);
    let told = told.code(0).json();
    assert_ne!(told["jobs"][0]["status"], "succeeded", "{told}");
}
