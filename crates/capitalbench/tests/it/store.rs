//! Rounds in a store: the same bytes, the same boards, one winner of every race.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::check::check;
use capitalbench_core::values::ids::Digest;
use serde_json::Value;

use crate::due_rounds::{due_rounds, expected, leaderboard, market, name};
use crate::fake_tiingo::{FakeTiingo, KEY};
use crate::faulty_layer::FaultyLayer;
use crate::harness::{MONTHLY, PENDING, Ran, Test, WEEKLY, changes, program, raised, tree_of};
use crate::market::serve;
use crate::store_server::{Fault, KEYS, Moto, Proxy, forward};
use crate::waiting::wait_until;

/// Where a store of a test lies, and what a command needs to reach it.
struct Place {
    url: String,
    variables: Vec<(&'static str, String)>,
}

impl Place {
    fn folder(test: &Test) -> Self {
        Self {
            url: format!("file://{}", test.path("store").display()),
            variables: vec![("XDG_CACHE_HOME", test.path("cache").display().to_string())],
        }
    }

    fn bucket(test: &Test, endpoint: &str) -> Self {
        let mut place = Self::folder(test);
        "s3://bench/rounds".clone_into(&mut place.url);
        place
            .variables
            .push(("AWS_ENDPOINT_URL", endpoint.to_owned()));
        let keys = KEYS.map(|(name, value)| (name, value.to_owned()));
        place.variables.extend(keys);
        place
    }

    fn run(&self, test: &Test, arguments: &[&str]) -> Ran {
        let variables = self.variables.iter();
        let variables: Vec<(&str, &str)> = variables
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        test.run_with(&variables, arguments)
    }

    fn push(&self, test: &Test, rounds: &str) -> Ran {
        self.run(
            test,
            &[
                "store",
                "push",
                "--store",
                &self.url,
                "--rounds-dir",
                rounds,
            ],
        )
    }

    fn pull(&self, test: &Test, rounds: &str) -> Ran {
        self.run(
            test,
            &[
                "store",
                "pull",
                "--store",
                &self.url,
                "--rounds-dir",
                rounds,
            ],
        )
    }
}

/// The good fixtures in a folder of their own, beside what a test writes.
fn rounds() -> Test {
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
fn same(test: &Test, one: &str, other: &str) {
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
    let verify = ["store", "verify", "--store", &place.url];
    place.run(test, &verify).code(0).says("everything is whole");
}

#[test]
fn a_folder_comes_back_with_the_same_bytes() {
    let test = rounds();
    there_and_back(&test, &Place::folder(&test));
}

#[test]
fn a_folder_comes_back_from_a_server_with_the_same_bytes() {
    let Some(moto) = Moto::start() else { return };
    let test = rounds();
    there_and_back(&test, &Place::bucket(&test, &moto.url()));
}

#[test]
fn whoever_is_late_is_refused_and_nothing_is_lost() {
    let test = rounds();
    let place = Place::folder(&test);
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

#[test]
fn what_is_shown_from_a_store_is_what_is_shown_from_a_folder() {
    let test = rounds();
    let place = Place::folder(&test);
    place.push(&test, "rounds").code(0);
    let from = |arguments: &[&str], output: &str| {
        let folder = [arguments, &["--rounds-dir", "rounds"]].concat();
        let store = [arguments, &["--store", &place.url]].concat();
        if output.is_empty() {
            let told = place.run(&test, &store).code(0).stdout();
            place.run(&test, &folder).code(0).prints(&told);
            return;
        }
        let (one, other) = (format!("{output}-1"), format!("{output}-2"));
        place
            .run(&test, &[&folder[..], &["--output", &one]].concat())
            .code(0);
        place
            .run(&test, &[&store[..], &["--output", &other]].concat())
            .code(0);
        same(&test, &one, &other);
    };
    let at = ["--as-of", "2026-08-21"];
    from(
        &["leaderboard", "--round", WEEKLY, at[0], at[1], "--json"],
        "",
    );
    from(&["export", at[0], at[1]], "data");
    from(&["build-site", at[0], at[1], "--images", "none"], "site");
    let now = ["--json", "--now", "2026-08-21T00:00:00Z"];
    let told = place.run(
        &test,
        &[&["verify", "--store", &place.url], &now[..]].concat(),
    );
    let own = place.run(&test, &[&["verify", "rounds"], &now[..]].concat());
    assert_eq!(told.json()["rounds"], own.json()["rounds"]);
}

#[test]
fn a_guess_about_an_open_round_cannot_be_confirmed_from_anything_public() {
    let test = rounds();
    let place = Place::folder(&test);
    let init = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example/a",
    ];
    test.run(&init).code(0);
    let freeze = ["hash-round", "--round", &format!("rounds/{PENDING}")];
    test.run(&freeze).code(0);
    place.push(&test, "rounds").code(0);
    let at = "2026-03-09T16:00:00Z";
    let site = [
        "build-site",
        "--as-of",
        at,
        "--store",
        &place.url,
        "--images",
        "none",
    ];
    place.run(&test, &site).code(0);
    let data = [
        "export", "--as-of", at, "--store", &place.url, "--output", "data",
    ];
    place.run(&test, &data).code(0);
    let mut withheld = Vec::new();
    let public = tree_of(&test.path("site/rounds"));
    let published: Vec<&String> = public.values().collect();
    for (path, text) in tree_of(&test.path(&format!("rounds/{PENDING}"))) {
        if text != "folder" && !published.contains(&&text) {
            withheld.push((path, Digest::of(text.as_bytes()).to_hex()));
        }
    }
    assert!(!withheld.is_empty(), "nothing is withheld");
    let names: Vec<String> = tree_of(&test.path("store/objects"))
        .into_keys()
        .filter_map(|path| path.split_once('/').map(|(_, name)| name.to_owned()))
        .collect();
    assert!(!names.is_empty());
    for folder in ["site", "data"] {
        for (path, text) in tree_of(&test.path(folder)) {
            let told = withheld.iter().find(|(_, digest)| text.contains(digest));
            assert_eq!(told, None, "{folder}/{path}");
            let named = names.iter().find(|name| text.contains(*name));
            assert_eq!(named, None, "{folder}/{path}");
        }
    }
}

#[test]
fn a_push_and_a_pull_survive_every_fault_on_the_way() {
    let Some(moto) = Moto::start() else { return };
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
    let place = Place::bucket(&test, &proxy.url());
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
    let direct = Place::bucket(&test, &moto.url());
    direct.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
    direct
        .run(&test, &["store", "verify", "--store", &direct.url])
        .code(0);
    assert!(proxy.faults() > 20, "{}", proxy.faults());
}

#[test]
fn a_store_that_ignores_conditions_is_refused() {
    let Some(moto) = Moto::start() else { return };
    let proxy = Proxy::start(moto.address(), |_, _, _| Fault::Careless);
    let test = rounds();
    let place = Place::bucket(&test, &proxy.url());
    place
        .push(&test, "rounds")
        .code(2)
        .complains("overwrites what a condition protects")
        .complains("use a store that honours conditional writes");
    let said = place.push(&test, "rounds").stderr();
    assert!(!said.contains(KEYS[1].1), "{said}");
}

fn worker(test: &Test, place: &Place, prices: &FakeTiingo, more: &[&str]) -> Child {
    Command::new(program())
        .args(["worker", "--store", &place.url, "--once", "--lease", "30"])
        .args(more)
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
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// So many due rounds under a signed log in a store, and the key beside it.
fn signed_store(count: usize, at: &dyn Fn(&Test) -> Place) -> (Test, Place) {
    let test = due_rounds(count);
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
    let place = at(&test);
    place.push(&test, "rounds").code(0);
    (test, place)
}

/// Every round of a store is resolved once, and its log tells of it and holds.
fn all_resolved(test: &Test, place: &Place, count: usize) {
    place.pull(test, "rounds").code(0);
    place
        .run(test, &["store", "verify", "--store", &place.url])
        .code(0);
    for number in 0..count {
        let round = name(number);
        assert_eq!(leaderboard(test, &round), Some(expected()), "{round}");
        let again = format!("rounds/{round}/runs/official-1/results/superseded");
        assert!(!test.path(&again).exists(), "{round} was scored twice");
        let leaves = LogFolder::of_rounds(&test.path("rounds")).leaves_of_round(&round);
        assert!(
            !leaves.expect("a log").is_empty(),
            "{round} is not in the log"
        );
    }
    let found = check(&LogFolder::of_rounds(&test.path("rounds")), &mut |_, _| {});
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

#[test]
fn workers_without_a_shared_folder_resolve_every_round_once() {
    let rounds = raised("PROVE_STORE_ROUNDS", 8);
    let (test, place) = signed_store(rounds, &Place::folder);
    let prices = serve(market());
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
    all_resolved(&test, &place, rounds);
}

#[test]
fn workers_resolve_the_rounds_of_a_server_through_faults() {
    const ROUNDS: usize = 3;
    let Some(moto) = Moto::start() else { return };
    let faults = [
        Fault::SlowDown,
        Fault::Unclear,
        Fault::Doubled,
        Fault::Partial,
    ];
    let proxy = Proxy::start(moto.address(), move |number, _, _| {
        if number % 5 == 2 {
            faults[number / 5 % faults.len()]
        } else {
            Fault::None
        }
    });
    let (test, place) = signed_store(ROUNDS, &|test| Place::bucket(test, &proxy.url()));
    let prices = serve(market());
    let child = worker(&test, &place, &prices, &["--concurrency", "2"]);
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    all_resolved(&test, &Place::bucket(&test, &moto.url()), ROUNDS);
}

#[test]
fn a_prune_removes_only_what_nothing_names_and_what_is_old() {
    let test = rounds();
    let place = Place::folder(&test);
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
    let objects = test.path("store/objects").display().to_string();
    let aged = Command::new("find")
        .args([
            &objects,
            "-type",
            "f",
            "-exec",
            "touch",
            "-d",
            "3 days ago",
            "{}",
            "+",
        ])
        .status();
    assert!(aged.expect("find runs").success());
    let pruned = place.run(&test, &prune).code(0).json();
    assert_eq!(pruned["removed"], young["young"]);
    place
        .run(&test, &["store", "verify", "--store", &place.url])
        .code(0);
    place.pull(&test, "again").code(0);
    same(&test, "rounds", "again");
}

/// Somebody whom `moto` knows; it looks at no signature.
const WHO: &str = "Authorization: AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, \
                   SignedHeaders=host, Signature=0";

#[test]
fn of_a_thousand_racing_writes_the_server_lets_one_at_a_time_win() {
    let Some(moto) = Moto::start() else { return };
    let put = |condition: &str, body: &str| {
        let length = body.len();
        let request = format!(
            "PUT /bench/race HTTP/1.1\r\nHost: x\r\n{WHO}\r\n{condition}\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        String::from_utf8_lossy(&forward(moto.address(), request.as_bytes())).into_owned()
    };
    let get = || {
        let request = format!("GET /bench/race HTTP/1.1\r\nHost: x\r\n{WHO}\r\n\r\n");
        String::from_utf8_lossy(&forward(moto.address(), request.as_bytes())).into_owned()
    };
    assert!(put("If-None-Match: *", "0").contains(" 200 "));
    assert!(put("If-None-Match: *", "0").contains(" 412 "));
    let won = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        for _ in 0..8 {
            threads.spawn(|| {
                for _ in 0..125 {
                    let found = get();
                    let (head, body) = found.split_once("\r\n\r\n").expect("an answer");
                    let tag = head.lines().find_map(|line| line.split_once("ETag: "));
                    // The server may fail a read that races with a write; only its writes are judged.
                    let Ok(found) = body.parse::<usize>() else {
                        continue;
                    };
                    let next = found + 1;
                    let condition = format!("If-Match: {}", tag.expect("a tag").1);
                    if put(&condition, &next.to_string()).contains(" 200 ") {
                        won.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let (last, won) = (get(), won.into_inner());
    assert!(won > 100, "only {won} writes won");
    assert!(
        last.ends_with(&format!("\r\n\r\n{won}")),
        "{won} won, and {last}"
    );
}

#[test]
fn a_push_that_is_killed_leaves_whole_rounds_and_the_next_one_finishes_it() {
    let layer = FaultyLayer::build();
    let (start, _) = signed_store(1, &Place::folder);
    let note = format!("rounds/{}/listing.txt", name(0));
    fs::write(start.path(&note), "later").expect("a file");
    let freeze = ["hash-round", "--round", "rounds/DUE-00"];
    let key = start.path("log.key").display().to_string();
    start
        .run_with(&[("CAPITALBENCH_LOG_KEY", &key)], &freeze)
        .code(0);
    let mut killed = 0;
    for call in (1..).step_by(raised("PROVE_STORE_STRIDE", 7)) {
        let test = start.again();
        let place = Place::folder(&test);
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
        let ran = layer.run(&test, &with, &push);
        let verify = ["store", "verify", "--store", &place.url];
        place.run(&test, &verify).code(0);
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
        test.run_with(&with[2..], &push).code(0);
        place.pull(&test, "after").code(0);
        same(&test, "rounds", "after");
        killed += 1;
    }
    assert!(killed > 5, "{killed} kills");
}

#[test]
fn a_new_round_under_a_signed_log_costs_at_most_twenty_requests() {
    let (test, place) = signed_store(2, &Place::folder);
    place.pull(&test, "again").code(0);
    let (old, new) = (test.path("rounds/DUE-01"), test.path("rounds/NEW-01"));
    crate::harness::copy_tree(&old, &new);
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
    assert!(nothing <= 4, "{told}");
    eprintln!(
        "{pushed} requests to push a round, {pulled} to pull it, {nothing} to see nothing new"
    );
}

#[test]
fn a_worker_that_is_killed_anywhere_leaves_a_whole_store_and_the_next_one_finishes() {
    let layer = FaultyLayer::build();
    let prices = serve(market());
    let mut killed = 0;
    for call in (40..).step_by(raised("PROVE_STORE_STRIDE", 61)) {
        let (test, place) = signed_store(1, &Place::folder);
        let (at, key) = (call.to_string(), test.path("log.key").display().to_string());
        let cache = test.path("cache").display().to_string();
        let url = prices.url();
        let with = [
            ("CAPITALBENCH_LOG_KEY", key.as_str()),
            ("XDG_CACHE_HOME", &cache),
            ("TIINGO_API_KEY", KEY),
            ("TIINGO_BASE_URL", &url),
            ("TIINGO_PLAN", "-/-/-"),
            ("NO_FLUSH", "1"),
            ("KILL_AT", &at),
        ];
        let work = ["worker", "--store", &place.url, "--once", "--lease", "1"];
        let ran = layer.run(&test, &with, &work);
        let verify = ["store", "verify", "--store", &place.url];
        place.run(&test, &verify).code(0);
        if !ran.was_killed() {
            ran.code(0);
            all_resolved(&test, &place, 1);
            break;
        }
        // The claim of a dead worker runs out.
        wait_until("the round to be resolved by another worker", || {
            test.run_with(&with[..5], &work).code(0);
            place.pull(&test, "rounds").code(0);
            leaderboard(&test, &name(0)).is_some()
        });
        all_resolved(&test, &place, 1);
        killed += 1;
    }
    assert!(killed > 5, "{killed} kills");
    eprintln!("{killed} kills");
}
