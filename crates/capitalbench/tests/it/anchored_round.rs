//! Rounds that promise proofs: what is refused until the promise is kept, and the way through.

use std::fs;

use crate::fake_clock::{FakeClock, Manner};
use crate::fake_witness::FakeWitness;
use crate::harness::{Ran, Test, changes, copy_tree};
use crate::operator::{FETCH_CSV, NAME, ROUND, import, init};
use crate::store_place::{Stores, on_both};

const MODELS: &str = "models:\n\
    - {model_id: m0, provider: mock, api_model_name: m0}\n\
    - {model_id: m1, provider: mock, api_model_name: m1}\n";
const ANCHOR: &str = "anchor --rounds-dir rounds";
const PUBLISH: [&str; 4] = [
    "build-site --rounds-dir rounds --output site --base-url https://x.example --as-of",
    "publish-latest --rounds-dir rounds --output latest --as-of",
    "publish-cumulative --rounds-dir rounds --output boards --as-of",
    "export --rounds-dir rounds --output data --as-of",
];

pub(crate) fn run(test: &Test, line: &str) -> Ran {
    run_with(test, &[], line)
}

pub(crate) fn run_with(test: &Test, variables: &[(&str, &str)], line: &str) -> Ran {
    let arguments: Vec<&str> = line.split_whitespace().collect();
    test.run_with(variables, &arguments)
}

/// A round of an invented market that promises this much, ready to be frozen.
pub(crate) fn researched(proof: &str) -> Test {
    let test = Test::operator(ROUND);
    fs::write(test.path("models.yaml"), MODELS).expect("a written file");
    let arguments = format!(
        "--round-id {NAME} --universe options.yaml --models models.yaml --synthetic --proof {proof} \
         --decision-deadline 2026-12-07T14:25:00Z"
    );
    let mut arguments: Vec<&str> = arguments.split_whitespace().collect();
    arguments.extend(["--horizon", "one week"]);
    init(&test, &arguments).code(0).says(proof);
    test.run(&import("briefing.md", "2026-12-06T09:00:00Z"))
        .code(0);
    test.run(&FETCH_CSV).code(0);
    test
}

fn freeze(test: &Test, at: &str) -> Ran {
    run(test, &format!("hash-round --round {ROUND} --now {at}"))
}

fn asking(at: &str) -> String {
    format!(
        "run-round --round {ROUND} --models models.yaml --mock --run-type official --run-id first \
         --yes --quiet --now {at}"
    )
}

pub(crate) fn accepting(at: &str) -> String {
    format!("accept-run --round {ROUND} --run-id first --no-schedule-resolution --now {at}")
}

pub(crate) fn at(text: &str) -> Manner {
    Manner::At(text.parse().expect("an instant"))
}

/// A frozen round whose freeze a trusted clock stamped at 10:11.
fn stamped() -> (Test, FakeClock) {
    let test = researched("anchored");
    run(&test, "keys init").code(0);
    freeze(&test, "2026-12-06T10:10:00Z").code(0);
    let clock = FakeClock::start(at("2026-12-06T10:11:00Z"));
    let (url, root) = (clock.url(), clock.root_file());
    let now = "2026-12-06T10:11:00Z";
    let line = format!("{ANCHOR} --tsa {url} --tsa-root {root} --now {now}");
    run(&test, &line)
        .code(0)
        .says("existed before 2026-12-06T10:11:00Z, says Stamper");
    (test, clock)
}

/// The same with a run whose models have answered.
pub(crate) fn answered() -> (Test, FakeClock) {
    let (test, clock) = stamped();
    run(&test, &asking("2026-12-06T10:20:00Z")).code(0);
    (test, clock)
}

fn copy_of(test: &Test) -> Test {
    let copy = Test::operator(ROUND);
    copy_tree(test.folder(), copy.folder());
    let key = copy.path("rounds/.capitalbench/keys/log.key");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    fs::set_permissions(key, mode).expect("another mode");
    copy
}

#[test]
fn a_promise_is_part_of_the_frozen_rules() {
    let test = researched("signed");
    let manifest = test.read("manifest.yaml");
    assert!(manifest.contains("\nproof: signed\n"), "{manifest}");
    let wrong = test.replace("manifest.yaml", "proof: signed", "proof: maybe");
    freeze(&wrong, "2026-12-06T10:10:00Z")
        .code(2)
        .complains("proof: must be none, signed or anchored");
    let test = wrong.replace("manifest.yaml", "proof: maybe", "proof: signed");
    let before = test.tree();
    freeze(&test, "2026-12-06T10:10:00Z")
        .code(2)
        .complains("promises `proof: signed`: there is no key to sign the log with")
        .complains("hint: make a key with `capitalbench keys init --rounds-dir rounds`");
    assert_eq!(changes(&before, &test.tree()), [""; 0]);
    run(&test, "keys init").code(0);
    freeze(&test, "2026-12-06T10:10:00Z").code(0);
    let elsewhere = [("CAPITALBENCH_LOG_KEY", "nowhere.key")];
    run_with(&test, &elsewhere, &asking("2026-12-06T10:20:00Z"))
        .code(2)
        .complains("is not here; set CAPITALBENCH_LOG_KEY");
    run(&test, &asking("2026-12-06T10:20:00Z")).code(0);
    run(&test, &accepting("2026-12-06T10:30:00Z")).code(0);
    init(&test, &["--round-id", "X-1W", "--proof", "sworn"])
        .code(2)
        .complains("[possible values: none, signed, anchored]");
}

#[test]
fn official_calls_need_a_fresh_stamp_of_the_freeze() {
    let test = researched("anchored");
    run(&test, "keys init").code(0);
    freeze(&test, "2026-12-06T10:10:00Z").code(0);
    let refused = |test: &Test, now: &str, words: &str| {
        let before = test.tree();
        let ran = run(test, &asking(now)).code(2).complains(words);
        assert_eq!(changes(&before, &test.tree()), [""; 0]);
        ran
    };
    refused(
        &test,
        "2026-12-06T10:20:00Z",
        "promises `proof: anchored`: no outside clock that is trusted has stamped the freeze; \
         log/roots holds no root certificate (give --tsa-root FILE)",
    )
    .complains("hint: stamp it with `capitalbench anchor --rounds-dir rounds`");
    run(
        &test,
        &format!("{} --dry-run", asking("2026-12-06T10:20:00Z")),
    )
    .code(0);

    let (test, clock) = stamped();
    let early = "2026-12-06T10:05:00Z";
    refused(&test, early, "future time: the token says");
    let old = "2026-12-07T12:00:00Z";
    let words = "the last stamp of the freeze is of 2026-12-06T10:11:00Z, more than 24 hours ago";
    refused(&test, old, words);
    let late = "2026-12-07T14:25:00Z";
    refused(&test, late, "the decision deadline has passed");
    clock.behave(at("2026-12-07T11:59:00Z"));
    let url = clock.url();
    run(&test, &format!("{ANCHOR} --tsa {url} --now {old}")).code(0);
    run(&test, &asking(old)).code(0);
}

#[test]
fn a_freeze_asks_the_clocks_by_itself_and_stands_without_them() {
    let test = researched("anchored");
    run(&test, "keys init").code(0);
    let clock = FakeClock::start(Manner::NoClock);
    let url = clock.url();
    let clocks = [("CAPITALBENCH_TSA_URLS", url.as_str())];
    let line = format!("hash-round --round {ROUND} --now 2026-12-06T10:10:00Z");
    run_with(&test, &clocks, &line)
        .code(0)
        .complains("caution: not stamped (http://127.0.0.1:")
        .complains("do it with `capitalbench anchor --rounds-dir rounds`");
    let root = fs::read(clock.root_file()).expect("a root");
    fs::create_dir_all(test.path("rounds/log/roots")).expect("a new folder");
    fs::write(test.path("rounds/log/roots/own.pem"), root).expect("a written file");
    clock.behave(at("2026-12-06T10:11:00Z"));
    let line = line.replace("10:10", "10:11");
    run_with(&test, &clocks, &line)
        .code(0)
        .complains("stamped by outside clocks");
    run(&test, &asking("2026-12-06T10:12:00Z")).code(0);
}

#[test]
fn a_rehearsal_needs_no_stamp() {
    let test = researched("anchored");
    run(&test, "keys init").code(0);
    freeze(&test, "2026-12-06T10:10:00Z").code(0);
    let rehearsal = asking("2026-12-06T10:20:00Z").replace("official", "mock");
    run(&test, &rehearsal).code(0);
}

#[test]
fn an_acceptance_is_complete_with_a_stamp_before_the_entry_close() {
    let (test, clock) = answered();
    let url = clock.url();
    let clocks = [("CAPITALBENCH_TSA_URLS", url.as_str())];
    clock.behave(Manner::NoClock);
    run_with(&test, &clocks, &accepting("2026-12-06T10:30:00Z"))
        .code(1)
        .says("proof: the acceptance is not complete")
        .says("picks-before-entry: the picks: stamped by no outside clock")
        .says("next: stamp the log with `capitalbench anchor --rounds-dir rounds`")
        .says("the time stamp reply is malformed");
    let lacking = "promises `proof: anchored`: attempts-before-picks: the picks: stamped by no \
                   outside clock";
    let report = format!("publish-report --round {ROUND} --now 2026-12-06T11:00:00Z");
    run(&test, &report).code(2).complains(lacking);
    for line in PUBLISH {
        let ran = run(&test, &format!("{line} 2026-12-06T11:00:00Z"));
        ran.code(2).complains(lacking);
    }
    let serve = "serve --rounds-dir rounds --listen 127.0.0.1:0 --as-of 2026-12-06T11:00:00Z";
    run(&test, serve).code(2).complains(lacking);
    let owed = test.path("rounds/.capitalbench/boards_owed");
    fs::write(&owed, "").expect("a written file");
    let resolve = "resolve-due --rounds-dir rounds --now 2026-12-06T11:00:00Z";
    run(&test, resolve).code(1).complains(lacking);
    assert!(!test.path("boards").exists());
    fs::remove_file(owed).expect("a removed file");
    let late = copy_of(&test);

    clock.behave(at("2026-12-06T10:40:00Z"));
    let again = accepting("2026-12-06T10:40:00Z");
    run_with(&test, &clocks, &again)
        .code(0)
        .says("first is the record; it was accepted at 2026-12-06T10:30:00Z")
        .says("proof: stamped before the entry close");
    let said = run(&test, &format!("{again} --json")).code(0).json();
    assert_eq!(said["proof"]["complete"], true);
    run(&test, &report).code(0);
    run(&test, &format!("{} 2026-12-06T11:00:00Z", PUBLISH[0])).code(0);

    clock.behave(at("2026-12-07T21:00:00Z"));
    let after = accepting("2026-12-07T21:01:00Z");
    let too_late = "the picks: stamped only at 2026-12-07T21:00:00Z, which is not before \
                    2026-12-07T21:00:00Z";
    run_with(&late, &clocks, &after)
        .code(1)
        .says("not complete")
        .says(too_late);
    let score = format!("score-round --round {ROUND} --now 2026-12-16T00:00:00Z");
    run(&late, &score)
        .code(2)
        .complains(too_late)
        .complains("hint: this cannot be repaired");
}

/// Closes of the days of the window, after those that were known before it.
pub(crate) fn add_closes(test: &Test) {
    for symbol in ["FXBIL", "FXFAR", "FXGLD", "FXLNG", "FXSPX"] {
        let file = test.path(&format!("histories/{symbol}.csv"));
        let known = fs::read_to_string(&file).expect("a history");
        let days = ["07", "08", "09", "10", "11", "14"];
        let rows = days.map(|day| format!("2026-12-{day},100.{day},100.{day},1000\n"));
        fs::write(file, known + &rows.concat()).expect("a written file");
    }
}

#[test]
fn an_unattended_resolution_stamps_its_result() {
    let (test, clock) = answered();
    let url = clock.url();
    let clocks = [("CAPITALBENCH_TSA_URLS", url.as_str())];
    clock.behave(at("2026-12-06T10:31:00Z"));
    let accept = accepting("2026-12-06T10:31:00Z").replace(" --no-schedule-resolution", "");
    run_with(&test, &clocks, &accept).code(0);
    add_closes(&test);
    clock.behave(at("2026-12-16T00:00:00Z"));
    let heard = clock.heard();
    let line = "resolve-due --rounds-dir rounds --source csv --histories histories \
                --now 2026-12-16T00:00:00Z";
    run_with(&test, &clocks, line)
        .code(0)
        .says(&format!("{NAME}: resolved"))
        .complains("stamped by outside clocks");
    assert_eq!(clock.heard(), heard + 1);
}

#[test]
fn a_run_is_stamped_while_it_is_accepted_or_not_at_all() {
    let (test, clock) = answered();
    let unmarked = copy_of(&test);
    let url = clock.url();
    let clocks = [("CAPITALBENCH_TSA_URLS", url.as_str())];
    clock.behave(at("2026-12-06T10:31:00Z"));
    let line = format!("{} --json", accepting("2026-12-06T10:31:00Z"));
    let said = run_with(&test, &clocks, &line).code(0).json();
    assert_eq!(said["accepted"], true);
    assert_eq!(said["proof"]["complete"], true);

    let before = unmarked.tree();
    run_with(&unmarked, &clocks, &accepting("2026-12-07T21:00:00Z"))
        .code(1)
        .says("picks-too-late")
        .says("the entry close 2026-12-07T21:00:00Z has passed");
    assert_eq!(changes(&before, &unmarked.tree()), [""; 0]);
    let score = format!("score-round --round {ROUND} --now 2026-12-16T00:00:00Z");
    run(&unmarked, &score)
        .code(2)
        .complains("first is not accepted");
}

on_both!(what_is_not_in_the_store_is_shown_to_nobody);

fn what_is_not_in_the_store_is_shown_to_nobody(stores: &Stores) {
    let test = researched("signed");
    run(&test, "keys init").code(0);
    let place = stores.place(&test);
    place.push(&test, "rounds").code(0);
    let vkey = fs::read_to_string(test.path("rounds/log/vkey")).expect("a key");
    let witness = FakeWitness::start("w1.example", 1, &vkey, "2026-12-06T10:10:00Z");
    let named = witness.named();
    let own = place.and(&[]);
    let with = place.and(&[("CAPITALBENCH_WITNESSES", &named)]);
    let freeze = format!("hash-round --round {ROUND} --now 2026-12-06T10:10:00Z");
    let why = "the log of this checkout is not in its store, where another state may win";
    run_with(&test, &with, &freeze).code(0).complains(why);
    assert_eq!(witness.heard(), [""; 0]);
    let public = format!("file://{}", test.path("public").display());
    let publish = format!("store publish --rounds-dir rounds --public {public}");
    let site = format!("{} 2026-12-06T12:00:00Z", PUBLISH[0]);
    for line in [&publish, &site] {
        run_with(&test, &own, line)
            .code(2)
            .complains(why)
            .complains("store push");
    }
    assert!(!test.path("public").exists() && !test.path("site").exists());
    place.push(&test, "rounds").code(0);
    run_with(&test, &own, &site).code(0);
    let anchor = format!("{ANCHOR} --now 2026-12-06T10:10:00Z");
    run_with(&test, &with, &anchor).code(0);
    assert_eq!(witness.heard().len(), 1);
}
