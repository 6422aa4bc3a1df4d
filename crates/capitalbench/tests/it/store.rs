//! Rounds in a store: the same bytes, the same boards, one winner of every race.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::check::check;
use capitalbench_proof::event::{Event, Fact};
use capitalbench_testing::database_server::Server;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::due_rounds::{due_rounds, expected, job, leaderboard, market, name};
use crate::fake_tiingo::{FakeTiingo, KEY};
use crate::faulty_layer::FaultyLayer;
use crate::golden::archive;
use crate::harness::{
    MONTHLY, PENDING, Test, WEEKLY, changes, copy_tree, program, raised, tree_of,
};
use crate::market::serve;
use crate::store_place::{Place, Stores, on_both};
use crate::store_server::{Fault, KEYS, Moto, Proxy, S3sFs, WHO, forward};
use crate::waiting::wait_until;

on_both!(
    a_folder_comes_back_with_the_same_bytes,
    whoever_is_late_is_refused_and_nothing_is_lost,
    what_is_shown_from_a_store_is_what_is_shown_from_a_folder,
    the_whole_archive_comes_back_and_shows_the_same,
    workers_without_a_shared_folder_resolve_every_round_once,
    jobs_of_a_database_are_resolved_in_a_store_once_each,
    a_result_that_the_log_contradicts_is_not_pushed_and_its_job_says_why,
    a_prune_removes_only_what_nothing_names_and_what_is_old,
    a_push_that_is_killed_leaves_whole_rounds_and_the_next_one_finishes_it,
    a_new_round_under_a_signed_log_costs_at_most_twenty_requests,
    a_worker_that_is_killed_anywhere_leaves_a_whole_store_and_the_next_one_finishes,
    a_prune_leaves_alone_what_no_push_wrote,
    a_worker_says_who_holds_what_is_due_and_believes_no_lease_of_years,
);

/// The good fixtures in a folder of their own, beside what a test writes.
pub(crate) fn rounds() -> Test {
    let test = Test::all_rounds();
    fs::create_dir(test.path("rounds")).expect("a folder");
    for round in [WEEKLY, MONTHLY, PENDING] {
        fs::rename(test.path(round), test.path(&format!("rounds/{round}"))).expect("moved");
    }
    fs::write(test.path("rounds/README.md"), "Our rounds.\n").expect("a file");
    test
}

/// Two folders of rounds hold the same, apart from what a machine keeps for itself.
#[track_caller]
pub(crate) fn same(test: &Test, one: &str, other: &str) {
    let own = |folder: &str| {
        let mut tree = tree_of(&test.path(folder));
        tree.retain(|path, _| !path.starts_with(".capitalbench") && !path.contains("/lease-"));
        tree
    };
    assert_eq!(changes(&own(one), &own(other)), [""; 0]);
}

fn there_and_back(test: &Test, place: &Place) {
    place.push(test, "rounds").code(0).says("pushed 4 units");
    place
        .pull(test, "again")
        .code(0)
        .says("pulled 4 units of 4");
    same(test, "rounds", "again");
    place
        .pull(test, "again")
        .code(0)
        .says("pulled 0 units of 4");
    let note = format!("again/{WEEKLY}/notes/deep");
    fs::create_dir_all(test.path(&note)).expect("a folder");
    fs::write(test.path(&format!("{note}/a b+c&é.txt")), "x").expect("a file");
    fs::remove_file(test.path(&format!("again/{MONTHLY}/briefing.md"))).expect("removed");
    let status = ["store", "status", "--rounds-dir", "again"];
    place
        .run(test, &status)
        .code(1)
        .says(&format!("{WEEKLY}: changed here"));
    place.push(test, "again").code(0).says("pushed 2 units");
    place.run(test, &status).code(0);
    place
        .pull(test, "rounds")
        .code(0)
        .says("pulled 2 units of 4");
    same(test, "rounds", "again");
    fs::remove_dir_all(test.path(&note)).expect("removed");
    fs::remove_dir(test.path(&format!("again/{WEEKLY}/notes"))).expect("removed");
    place.push(test, "again").code(0).says("pushed 1 unit");
    place.pull(test, "rounds").code(0);
    same(test, "rounds", "again");
    place.verify(test).code(0).says("everything is whole");
}

fn a_folder_comes_back_with_the_same_bytes(stores: &Stores) {
    let test = rounds();
    there_and_back(&test, &stores.place(&test));
}

#[test]
fn a_prefix_may_have_any_character() {
    let Some(moto) = Moto::start() else { return };
    let test = rounds();
    let mut place = Place::at(&test, &moto.url(), moto.bucket());
    place.url.push_str("/env=prod/(a) +!:@,;'$&*é");
    there_and_back(&test, &place);
}

#[test]
fn a_folder_comes_back_from_a_second_server_that_checks_signatures() {
    let Some(server) = S3sFs::start() else { return };
    let test = rounds();
    there_and_back(&test, &Place::at(&test, &server.url(), "bench/rounds"));
}

fn whoever_is_late_is_refused_and_nothing_is_lost(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    place.pull(&test, "again").code(0);
    for folder in ["rounds", "again"] {
        fs::write(test.path(&format!("{folder}/{WEEKLY}/own.txt")), folder).expect("a file");
    }
    place.push(&test, "again").code(0);
    place
        .push(&test, "rounds")
        .code(2)
        .complains("newer state of weekly-portfolio-resolved");
    place
        .pull(&test, "rounds")
        .code(2)
        .complains("changed here and in the store");
    let discard = ["store", "pull", "--rounds-dir", "rounds", "--discard-local"];
    place.run(&test, &discard).code(0);
    same(&test, "rounds", "again");
}

/// What a verb shows from the folder `rounds` and from the store is the same.
fn shows_the_same(test: &Test, place: &Place, arguments: &[&str], output: &str) {
    let folder = [arguments, &["--rounds-dir", "rounds"]].concat();
    let store = [arguments, &["--store", &place.url]].concat();
    if output.is_empty() {
        let told = place.run(test, &store).code(0).stdout();
        place.run(test, &folder).code(0).prints(&told);
        return;
    }
    let (one, other) = (format!("{output}-1"), format!("{output}-2"));
    let to = |words: &[&str], output: &str| {
        let words = [words, &["--output", output]].concat();
        place.run(test, &words).code(0);
    };
    to(&folder, &one);
    to(&store, &other);
    same(test, &one, &other);
}

fn verifies_the_same(test: &Test, place: &Place) {
    let now = ["--json", "--now", "2026-08-21T00:00:00Z"];
    let stored = [&["verify", "--store", &place.url], &now[..]].concat();
    let told = place.run(test, &stored).json();
    let own = place.run(test, &[&["verify", "rounds"], &now[..]].concat());
    assert_eq!(told["rounds"], own.json()["rounds"]);
}

const AT: [&str; 2] = ["--as-of", "2026-08-21"];

fn what_is_shown_from_a_store_is_what_is_shown_from_a_folder(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let board = ["leaderboard", "--round", WEEKLY, AT[0], AT[1], "--json"];
    shows_the_same(&test, &place, &board, "");
    shows_the_same(&test, &place, &["export", AT[0], AT[1]], "data");
    let site = ["build-site", AT[0], AT[1], "--images", "none"];
    shows_the_same(&test, &place, &site, "site");
    verifies_the_same(&test, &place);
}

fn the_whole_archive_comes_back_and_shows_the_same(stores: &Stores) {
    let Some(archive) = archive() else { return };
    let test = Test::operator("rounds");
    copy_tree(&archive.join("rounds"), &test.path("rounds"));
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    place.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
    let board = ["leaderboard", AT[0], AT[1], "--json"];
    shows_the_same(&test, &place, &board, "");
    // The rest takes a quarter of a minute.
    if raised("PROVE_STORE_ARCHIVE", 0) > 0 {
        verifies_the_same(&test, &place);
        shows_the_same(&test, &place, &["export", AT[0], AT[1]], "data");
        shows_the_same(&test, &place, &["build-site", AT[0], AT[1]], "site");
    }
}

#[test]
fn a_push_and_a_pull_survive_every_fault_on_the_way() {
    let Some(moto) = Moto::start().map(Arc::new) else {
        return;
    };
    let faults = [
        Fault::SlowDown,
        Fault::Unclear,
        Fault::Doubled,
        Fault::Partial,
        Fault::Stale,
    ];
    let proxy = Proxy::start(moto.address(), move |number, _, _| {
        if number % 3 == 1 {
            faults[number / 3 % faults.len()]
        } else {
            Fault::None
        }
    });
    let test = rounds();
    let direct = Stores::Server(moto).place(&test);
    let place = direct.behind(&test, &proxy.url());
    place.push(&test, "rounds").code(0).says("pushed 4 units");
    // A stale listing shows an earlier state, whole; the next look sees the newest one.
    place.pull(&test, "again").code(0);
    place.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
    for step in 0..4 {
        fs::write(
            test.path(&format!("rounds/{WEEKLY}/step.txt")),
            step.to_string(),
        )
        .expect("a file");
        place.push(&test, "rounds").code(0).says("pushed 1 unit");
    }
    direct.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
    direct.verify(&test).code(0);
    assert!(proxy.faults() > 20, "{}", proxy.faults());
}

#[test]
fn a_store_that_ignores_conditions_is_refused() {
    let Some(moto) = Moto::start() else { return };
    let proxy = Proxy::start(moto.address(), |_, _, _| Fault::Careless);
    let test = rounds();
    let place = Place::at(&test, &proxy.url(), moto.bucket());
    place
        .push(&test, "rounds")
        .code(2)
        .complains("overwrites what a condition protects")
        .complains("use a store that honours conditional writes");
    let said = place.push(&test, "rounds").stderr();
    assert!(!said.contains(KEYS[1].1), "{said}");
}

fn worker(test: &Test, place: &Place, prices: &FakeTiingo, more: &[&str]) -> Child {
    let mut worker = worker_command(test, place, prices);
    let worker = worker.args(["--lease", "30"]).args(more);
    worker.spawn().expect("the program starts")
}

/// A worker that ends when nothing is due.
pub(crate) fn worker_command(test: &Test, place: &Place, prices: &FakeTiingo) -> Command {
    let mut worker = Command::new(program());
    worker
        .args(["worker", "--store", &place.url, "--once"])
        .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
        .env("TIINGO_API_KEY", KEY)
        .env("TIINGO_BASE_URL", prices.url())
        .env("TIINGO_PLAN", "-/-/-")
        .env("CAPITALBENCH_LOG_KEY", test.path("log.key"))
        .env_remove("DATABASE_URL")
        .env_remove("SUPABASE_URL")
        .env_remove("CAPITALBENCH_STATE_DIR")
        .envs(place.variables.iter().map(|(name, value)| (*name, value)))
        .current_dir(test.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    worker
}

/// So many due rounds under a signed log in a store, and the key beside it.
pub(crate) fn signed_store(count: usize, stores: &Stores) -> (Test, Place) {
    let test = due_rounds(count);
    let place = signed(&test, stores);
    (test, place)
}

/// The rounds of a test under a signed log in a store.
pub(crate) fn signed(test: &Test, stores: &Stores) -> Place {
    let key = test.path("log.key").display().to_string();
    let with = [("CAPITALBENCH_LOG_KEY", key.as_str())];
    let init = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example/a",
    ];
    test.run_with(&with, &init).code(0);
    let place = stores.place(test);
    place.push(test, "rounds").code(0);
    place
}

/// Every round of a store is resolved once, and its log tells of it and holds.
pub(crate) fn all_resolved(test: &Test, place: &Place, count: usize) {
    place.pull(test, "rounds").code(0);
    place.verify(test).code(0);
    let log = LogFolder::of_rounds(&test.path("rounds"));
    let size = log
        .checkpoint()
        .expect("a log")
        .expect("a checkpoint")
        .checkpoint
        .size;
    let leaves = log
        .leaves(&(0..size).collect::<Vec<_>>(), size)
        .expect("leaves");
    let scores = leaves.iter().filter_map(|(_, leaf)| {
        let event = Event::parse(leaf).expect("an event");
        matches!(event.fact, Fact::Score { .. }).then_some(event.round)
    });
    let mut told: Vec<String> = scores.collect();
    told.sort_unstable();
    let mut all: Vec<String> = (0..count).map(name).collect();
    all.sort_unstable();
    assert_eq!(told, all, "the log tells of every result once");
    for number in 0..count {
        let round = name(number);
        assert_eq!(leaderboard(test, &round), Some(expected()), "{round}");
        let again = format!("rounds/{round}/runs/official-1/results/superseded");
        assert!(!test.path(&again).exists(), "{round} was scored twice");
    }
    let found = check(&log, &mut |_, _| {});
    assert_eq!(found.expect("a log").problems, []);
    let verified = place.run(test, &["verify", "rounds", "--json"]).json();
    for round in verified["rounds"].as_array().expect("rounds") {
        let findings = round["findings"].as_array().expect("findings");
        // The rounds are copies under other names, which their digests know nothing of.
        let copied = ["research-hash-mismatch", "reply-digest-mismatch"];
        let is_own = |code: &str| !copied.contains(&code);
        let errors = findings.iter().filter(|own| own["severity"] == "error");
        let errors: Vec<&Value> = errors
            .filter(|own| own["code"].as_str().is_some_and(is_own))
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

fn workers_without_a_shared_folder_resolve_every_round_once(stores: &Stores) {
    let rounds = raised("PROVE_STORE_ROUNDS", 8);
    let began = Instant::now();
    let (test, place) = signed_store(rounds, stores);
    let prices = serve(market());
    let made = began.elapsed();
    let running: Vec<Child> = (0..4)
        .map(|_| worker(&test, &place, &prices, &["--concurrency", "5"]))
        .collect();
    let mut resolved = 0;
    for child in running {
        let output = child.wait_with_output().expect("an end");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        resolved += said.matches(": resolved").count();
    }
    assert_eq!(resolved, rounds);
    let worked = began.elapsed().saturating_sub(made);
    all_resolved(&test, &place, rounds);
    let all = began.elapsed();
    eprintln!(
        "{rounds} rounds: made in {made:.1?}, resolved in {worked:.1?}, checked by {all:.1?}"
    );
}

fn jobs_of_a_database_are_resolved_in_a_store_once_each(stores: &Stores) {
    const ROUNDS: usize = 6;
    let Some(server) = Server::start() else {
        return;
    };
    let (test, place) = signed_store(ROUNDS, stores);
    let url = server.url();
    let with = [("DATABASE_URL", url.as_str())];
    test.run_with(&with, &["db", "migrate"]).code(0);
    let prices = serve(market());
    let start = |more: &[&str]| {
        let mut worker = worker_command(&test, &place, &prices);
        let worker = worker.env("DATABASE_URL", &url).args(more);
        worker.spawn().expect("the program starts")
    };
    // One dies with jobs in its hands, which the others take over.
    prices.hold_after(1);
    let mut doomed = start(&["--lease", "2", "--concurrency", "2"]);
    prices.wait_until_held();
    doomed.kill().expect("a killed worker");
    doomed.wait().expect("a dead worker");
    prices.release();
    let status = || {
        let told = test.run_with(&with, &["automation-status", "--json"]);
        told.code(0).json()["jobs"]
            .as_array()
            .expect("jobs")
            .clone()
    };
    let mut all = String::new();
    wait_until("every job to succeed", || {
        for child in [0, 1].map(|_| start(&["--lease", "2", "--concurrency", "2"])) {
            let output = child.wait_with_output().expect("an end");
            let said = [output.stdout, output.stderr].concat();
            all.push_str(&String::from_utf8_lossy(&said));
        }
        status().iter().all(|job| job["status"] == "succeeded")
    });
    assert_eq!(status().len(), ROUNDS);
    assert_eq!(all.matches(": resolved").count(), ROUNDS, "{all}");
    all_resolved(&test, &place, ROUNDS);
}

fn a_result_that_the_log_contradicts_is_not_pushed_and_its_job_says_why(stores: &Stores) {
    let (test, place) = signed_store(1, stores);
    let prices = serve(market());
    let ended = worker_command(&test, &place, &prices).output();
    assert!(ended.expect("the program starts").status.success());
    place.pull(&test, "rounds").code(0);
    let before = tree_of(&test.path("rounds/log"));
    // The results go, though the log tells of them, and the prices change.
    for gone in ["prices", "runs/official-1/results"] {
        fs::remove_dir_all(test.path(&format!("rounds/DUE-00/{gone}"))).expect("removed");
    }
    let file = test.path("rounds/DUE-00/automation/resolution_job.yaml");
    let text = fs::read_to_string(&file)
        .expect("a job")
        .replace("succeeded", "scheduled");
    let lines = text.lines().filter(|line| !line.starts_with("completed"));
    let text: Vec<&str> = lines.collect();
    fs::write(&file, text.join("\n") + "\n").expect("a job");
    place.push(&test, "rounds").code(0);
    let mut moved = market();
    for rows in moved.values_mut() {
        for row in rows.iter_mut().skip(5) {
            row.close *= 1.5;
            row.adjusted *= 1.5;
        }
    }
    let prices = serve(moved);
    let ended = worker_command(&test, &place, &prices)
        .output()
        .expect("an end");
    let said = String::from_utf8_lossy(&[ended.stdout, ended.stderr].concat()).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{said}");
    place.pull(&test, "rounds").code(0);
    assert_eq!(
        changes(&before, &tree_of(&test.path("rounds/log"))),
        [""; 0]
    );
    assert!(!test.path("rounds/DUE-00/prices").exists(), "{said}");
    let told = job(&test, "DUE-00");
    assert_eq!(told["status"], "failed", "{said}");
    let why = "DUE-00: prices.entry replaces the prices of leaf";
    assert!(told["last_error"].starts_with(why), "{said}");
}

#[test]
fn workers_resolve_the_rounds_of_a_server_through_faults() {
    const ROUNDS: usize = 3;
    let Some(moto) = Moto::start().map(Arc::new) else {
        return;
    };
    let faults = [
        Fault::SlowDown,
        Fault::Unclear,
        Fault::Doubled,
        Fault::Partial,
        Fault::Stale,
    ];
    let proxy = Proxy::start(moto.address(), move |number, _, _| {
        if number % 5 == 2 {
            faults[number / 5 % faults.len()]
        } else {
            Fault::None
        }
    });
    let stores = Stores::Server(moto);
    let (test, direct) = signed_store(ROUNDS, &stores);
    let place = direct.behind(&test, &proxy.url());
    let prices = serve(market());
    let child = worker(&test, &place, &prices, &["--concurrency", "2"]);
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    all_resolved(&test, &direct, ROUNDS);
}

fn a_prune_removes_only_what_nothing_names_and_what_is_old(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    fs::write(test.path(&format!("rounds/{WEEKLY}/own.txt")), "1").expect("a file");
    place.push(&test, "rounds").code(0);
    let prune = ["store", "prune", "--store", &place.url, "--json"];
    let young = place.run(&test, &prune).code(0).json();
    assert_eq!(young["removed"], 0);
    assert!(
        young["young"].as_u64().is_some_and(|count| count > 0),
        "{young}"
    );
    place.keys.age();
    let pruned = place.run(&test, &prune).code(0).json();
    assert_eq!(pruned["removed"], young["young"]);
    place.verify(&test).code(0);
    place.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
}

#[test]
fn of_a_thousand_racing_writes_the_server_lets_one_at_a_time_win() {
    let Some(moto) = Moto::start() else { return };
    let asked = |method: &str, condition: &str, body: &str| {
        let (bucket, length) = (moto.bucket(), body.len());
        let request = format!(
            "{method} /{bucket}/race HTTP/1.1\r\nHost: x\r\n{WHO}\r\n{condition}Content-Length: {length}\r\n\r\n{body}"
        );
        String::from_utf8_lossy(&forward(moto.address(), request.as_bytes())).into_owned()
    };
    let put = |condition: &str, body: &str| {
        asked("PUT", &format!("{condition}\r\n"), body).contains(" 200 ")
    };
    assert!(put("If-None-Match: *", "0"));
    assert!(!put("If-None-Match: *", "0"));
    let won = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..125 {
                    let found = asked("GET", "", "");
                    let (head, body) = found.split_once("\r\n\r\n").expect("an answer");
                    let tag = head.lines().find_map(|line| line.split_once("ETag: "));
                    let next = body.parse::<usize>().expect("a number") + 1;
                    let condition = format!("If-Match: {}", tag.expect("a tag").1);
                    if put(&condition, &next.to_string()) {
                        won.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let (last, won) = (asked("GET", "", ""), won.into_inner());
    assert!((1..1_000).contains(&won), "{won} writes won");
    assert!(
        last.ends_with(&format!("\r\n\r\n{won}")),
        "{won} won, and {last}"
    );
}

fn a_push_that_is_killed_leaves_whole_rounds_and_the_next_one_finishes_it(stores: &Stores) {
    let layer = FaultyLayer::build();
    let (start, first) = signed_store(1, stores);
    let note = format!("rounds/{}/listing.txt", name(0));
    fs::write(start.path(&note), "later").expect("a file");
    let freeze = ["hash-round", "--round", "rounds/DUE-00"];
    let key = start.path("log.key").display().to_string();
    start
        .run_with(&[("CAPITALBENCH_LOG_KEY", &key)], &freeze)
        .code(0);
    let (mut killed, mut moved) = (0, 0);
    for call in (1..).step_by(raised("PROVE_STORE_STRIDE", 7)) {
        let test = start.again();
        let place = stores.copy(&first, &test);
        // The copy has a store of its own.
        let address = test.path("rounds/.capitalbench/store/address");
        fs::write(address, &place.url).expect("an address");
        let (at, key) = (call.to_string(), test.path("log.key").display().to_string());
        let with = [
            ("KILL_AT", at.as_str()),
            ("NO_FLUSH", "1"),
            ("CAPITALBENCH_LOG_KEY", &key),
        ];
        let push = ["store", "push", "--rounds-dir", "rounds"];
        let ran = layer.run(&test, &place.and(&with), &push);
        place.verify(&test).code(0);
        place.pull(&test, "seen").code(0);
        let found = check(&LogFolder::of_rounds(&test.path("seen")), &mut |_, _| {});
        assert_eq!(found.expect("a log").problems, []);
        // What the log tells of a round is what its files hold.
        let log = |folder: &str| fs::read(test.path(&format!("{folder}/log/checkpoint"))).ok();
        let is_told = log("seen") == log("rounds");
        let has_file = test.path(&note.replace("rounds/", "seen/")).exists();
        assert!(has_file || !is_told, "the log is ahead of the round");
        if !ran.was_killed() {
            ran.code(0);
            break;
        }
        if has_file {
            // Another writer moves the round on before whoever died looks again.
            fs::write(test.path("seen/DUE-00/moved.txt"), "on").expect("a file");
            place.push(&test, "seen").code(0).says("pushed 1 unit");
            moved += 1;
        }
        test.run_with(&place.and(&with[2..]), &push).code(0);
        place.pull(&test, "rounds").code(0);
        place.pull(&test, "after").code(0);
        same(&test, "rounds", "after");
        assert_eq!(test.path("rounds/DUE-00/moved.txt").exists(), has_file);
        killed += 1;
    }
    assert!(killed > 5, "{killed} kills");
    assert!(moved > 0, "no push died after it counted");
}

fn a_new_round_under_a_signed_log_costs_at_most_twenty_requests(stores: &Stores) {
    let (test, place) = signed_store(2, stores);
    place.pull(&test, "again").code(0);
    let (old, new) = (test.path("rounds/DUE-01"), test.path("rounds/NEW-01"));
    copy_tree(&old, &new);
    let key = test.path("log.key").display().to_string();
    let with = [("CAPITALBENCH_LOG_KEY", key.as_str())];
    test.run_with(&with, &["hash-round", "--round", "rounds/NEW-01"]);
    let requests = |verb: &str, folder: &str| {
        let asked = ["store", verb, "--rounds-dir", folder, "--json"];
        let told = place.run(&test, &asked).code(0).json();
        (told["cost"]["requests"].as_u64().expect("a count"), told)
    };
    let (pushed, told) = requests("push", "rounds");
    assert!(pushed <= 20, "{told}");
    let (pulled, told) = requests("pull", "again");
    assert!(pulled <= 20, "{told}");
    same(&test, "rounds", "again");
    let (nothing, told) = requests("pull", "again");
    assert!(nothing <= 5, "{told}");
    eprintln!(
        "{pushed} requests to push a round, {pulled} to pull it, {nothing} to see nothing new"
    );
}

fn a_worker_that_is_killed_anywhere_leaves_a_whole_store_and_the_next_one_finishes(
    stores: &Stores,
) {
    let layer = FaultyLayer::build();
    let prices = serve(market());
    let mut killed = 0;
    for call in (40..).step_by(raised("PROVE_STORE_WORKER_STRIDE", 61)) {
        let (test, place) = signed_store(1, stores);
        let (at, key) = (call.to_string(), test.path("log.key").display().to_string());
        let url = prices.url();
        let with = [
            ("CAPITALBENCH_LOG_KEY", key.as_str()),
            ("TIINGO_API_KEY", KEY),
            ("TIINGO_BASE_URL", &url),
            ("TIINGO_PLAN", "-/-/-"),
            ("NO_FLUSH", "1"),
            ("KILL_AT", &at),
        ];
        let work = ["worker", "--store", &place.url, "--once", "--lease", "1"];
        let ran = layer.run(&test, &place.and(&with), &work);
        place.verify(&test).code(0);
        if !ran.was_killed() {
            ran.code(0);
            all_resolved(&test, &place, 1);
            break;
        }
        // The claim of a dead worker runs out.
        wait_until("the round to be resolved by another worker", || {
            test.run_with(&place.and(&with[..4]), &work).code(0);
            place.pull(&test, "rounds").code(0);
            leaderboard(&test, &name(0)).is_some()
        });
        all_resolved(&test, &place, 1);
        killed += 1;
    }
    assert!(killed > 5, "{killed} kills");
    eprintln!("{killed} kills");
}

fn a_prune_leaves_alone_what_no_push_wrote(stores: &Stores) {
    let test = rounds();
    let place = stores.place(&test);
    let foreign = [
        "objects/photos/a.jpg",
        "objects/ab/readme-1.txt",
        "probes/mine.txt",
    ];
    for key in foreign {
        place.keys.put(key, b"mine");
    }
    place.keys.age();
    let prune = ["store", "prune", "--store", &place.url, "--json"];
    place
        .run(&test, &prune)
        .code(2)
        .complains(&format!("there is no store at {}", place.url));
    place.push(&test, "rounds").code(0);
    let pruned = place.run(&test, &prune).code(0).json();
    assert_eq!(pruned["removed"], 0, "{pruned}");
    for key in foreign {
        assert!(place.keys.get(key).is_some(), "{key} is gone");
    }
}

fn a_worker_says_who_holds_what_is_due_and_believes_no_lease_of_years(stores: &Stores) {
    let (test, place) = signed_store(1, stores);
    let prices = serve(market());
    let key = "heads/rounds/DUE-00";
    let work = |until: Timestamp| {
        let head = place.keys.get(key).expect("a head");
        let mut head: Value = serde_json::from_slice(&head).expect("JSON");
        let owner = "w7 on elsewhere";
        head["lease"] = serde_json::json!({"owner": owner, "expires_at_utc": until.to_string()});
        place.keys.put(key, head.to_string().as_bytes());
        let output = worker_command(&test, &place, &prices)
            .output()
            .expect("an end");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    };
    let held = work(Timestamp::now() + SignedDuration::from_mins(9));
    assert!(
        held.contains("DUE-00: left to w7 on elsewhere, who holds it until 20"),
        "{held}"
    );
    let ahead = work(Timestamp::now() + SignedDuration::from_hours(90_000));
    assert!(ahead.contains("DUE-00: resolved"), "{ahead}");
    all_resolved(&test, &place, 1);
}
