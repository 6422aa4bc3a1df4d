//! `claim`: what is registered before its first day counts, and nothing can be changed afterwards.

use std::fs;
use std::process::Command;

use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_proof::event::{Event, Fact, Files, Instant, Registration};
use serde_json::{Value, json};

use crate::harness::codes_of;
use crate::page_script::{look, node};
use crate::signed_round::{NAME, NOW, SignedRound};

/// A claim about the round of 2026-09-14, registered two days before.
const ABOVE: &str = "claim register amber-above --model mock-amber --track weekly \
                     --first-day 2026-09-14 --family 2 --rounds-dir signed \
                     --now 2026-09-12T12:00:00Z";
const FILE: &str = "log/claims/amber-above.json";

/// Another registration in the same folder, before its first day.
fn register(words: &str) -> String {
    format!("claim register {words} --rounds-dir signed --now 2026-09-15T12:00:00Z")
}

/// Findings of `verify` about the whole folder.
fn codes(round: &SignedRound) -> Vec<String> {
    let told = round
        .say(&format!("verify signed --json --now {NOW}"))
        .json();
    let findings = told["log"]["findings"].as_array().expect("findings");
    codes_of(findings, &["error", "warning"])
}

fn shown(round: &SignedRound, name: &str) -> Value {
    let words = format!("claim show {name} --rounds-dir signed --as-of {NOW} --json");
    round.say(&words).code(0).json()
}

/// Adds an entry to the log with the operator's own key.
fn sign(round: &SignedRound, name: &str, at: &str, change: impl FnOnce(&mut Registration)) {
    let log = LogFolder::of_rounds(&round.rounds());
    let key = LogKey::load(&round.rounds().join(".capitalbench/keys/log.key"));
    let mut own = Registration {
        claim: name.to_owned(),
        first: "mock-amber".to_owned(),
        second: "reference".to_owned(),
        track: "weekly".to_owned(),
        side: "above".to_owned(),
        alpha: "0.05".to_owned(),
        scale: "0.008".to_owned(),
        spread: "0.2".to_owned(),
        first_day: "2026-09-14".to_owned(),
        last_day: None,
        season: "2026".to_owned(),
        family: 2,
        method: "eproc-v1".to_owned(),
        files: Files::new(),
    };
    change(&mut own);
    let event = Event {
        round: "claims".to_owned(),
        at: Instant::parse(at).expect("an instant"),
        fact: Fact::Registered(own),
    };
    let key = key.expect("a file").expect("a key");
    log.append(&key, &[event]).expect("an appended entry");
}

#[test]
fn a_claim_registered_before_its_first_day_is_judged_by_the_days_of_its_rounds() {
    let round = SignedRound::claimed(&[ABOVE]);
    let accepted = shown(&round, "amber-above");
    assert_eq!(
        accepted["settled_days"], 0,
        "an open round settles no day: {accepted}"
    );
    round.resolve();
    let told = shown(&round, "amber-above");
    assert_eq!(told["state"], "open", "{told}");
    assert_eq!(told["rounds"], json!([NAME]));
    assert_eq!(told["settled_days"], 5, "{told}");
    assert_eq!(told["family_registered"], 1);
    assert_eq!(told["needed_evidence"], 40.0);
    let evidence = told["evidence"].as_f64().expect("a number");
    assert!(evidence > 0.0 && (evidence - 1.0).abs() > 1e-9, "{told}");
    let before = "claim show amber-above --rounds-dir signed --as-of 2026-09-13 --json";
    let told = round.say(before).code(0).json();
    assert_eq!(
        (&told["state"], &told["evidence"]),
        (&json!("waiting"), &json!(1.0))
    );
    assert!(codes(&round).is_empty(), "{:?}", codes(&round));
    // Whoever has a copy without the key reads the same.
    fs::remove_dir_all(round.rounds().join(".capitalbench")).expect("the operator's own folder");
    assert_eq!(shown(&round, "amber-above")["evidence"], evidence);
}

#[test]
fn what_no_claim_may_be_is_refused_and_signs_nothing() {
    let round = SignedRound::claimed(&[ABOVE]);
    let size = || fs::read_to_string(round.rounds().join("log/checkpoint")).expect("a checkpoint");
    let before = size();
    let same = "--track weekly --family 2 --first-day 2026-09-21 --model";
    let cases = [
        (
            "late --track weekly --family 2 --first-day 2026-09-15 --model mock-amber".to_string(),
            "not before its first day",
        ),
        (
            format!("amber-above {same} mock-amber"),
            "registered already",
        ),
        (format!("Other {same} mock-amber"), "is not a name"),
        (format!("other {same} mock-ambr"), "mock-ambr"),
        (
            format!("other {same} mock-amber --against mock-amber"),
            "compares mock-amber with itself",
        ),
        (
            format!("other {same} mock-amber --alpha 0.01"),
            "has the level 0.05",
        ),
        (
            format!("other {same} mock-amber --alpha 0.9"),
            "alpha is 0.9",
        ),
        (
            format!("other {same} mock-amber --last-day 2026-09-20"),
            "is before its first day",
        ),
        (
            "other --track weekly --family 3 --first-day 2026-09-21 --model mock-amber".to_owned(),
            "was fixed at 2 claims by amber-above",
        ),
    ];
    for (words, says) in cases {
        round.say(&register(&words)).code(2).complains(says);
    }
    assert_eq!(size(), before);
    // The second of two claims is welcome, the third is one too many, and another season is another family.
    round
        .say(&register(&format!("second {same} mock-birch")))
        .code(0);
    round
        .say(&register(&format!("third {same} mock-cedar")))
        .code(2)
        .complains("has its 2 claims already");
    round
        .say(&register(
            "third --track weekly --family 1 --first-day 2027-01-04 --model mock-cedar",
        ))
        .code(0);
    let behind =
        register("fourth --track monthly --family 1 --first-day 2026-10-01 --model mock-amber")
            .replace("2026-09-15", "2026-09-13");
    round
        .say(&behind)
        .code(2)
        .complains("the log has an event of");
}

#[test]
fn an_unsigned_folder_registers_nothing() {
    let test = crate::harness::Test::all_rounds();
    let words = [
        "claim",
        "register",
        "a",
        "--model",
        "m",
        "--track",
        "weekly",
        "--first-day",
        "2099-01-01",
        "--family",
        "1",
        "--rounds-dir",
        ".",
    ];
    test.run(&words).code(2).complains("is unsigned");
    test.run(&["claim", "list", "--rounds-dir", "."]).code(1);
}

#[test]
fn an_edited_or_withdrawn_claim_is_named_and_judged_all_the_same() {
    let round = SignedRound::claimed(&[ABOVE]);
    round.resolve();
    let evidence = shown(&round, "amber-above")["evidence"].clone();
    let file = round.rounds().join(FILE);
    let text = fs::read_to_string(&file).expect("the claim");
    fs::write(&file, text.replace("mock-amber", "mock-birch")).expect("an edited claim");
    assert_eq!(codes(&round), ["claim-edited"]);
    assert_eq!(shown(&round, "amber-above")["evidence"], evidence);
    fs::remove_file(&file).expect("a withdrawn claim");
    assert_eq!(codes(&round), ["claim-missing"]);
    assert_eq!(shown(&round, "amber-above")["evidence"], evidence);
    fs::write(&file, &text).expect("the claim as it was");
    assert!(codes(&round).is_empty());
    fs::write(round.rounds().join("log/claims/other.json"), &text).expect("a file of nobody");
    assert_eq!(codes(&round), ["claim-unsigned"]);
    let known = round
        .say(&format!(
            "claim list --rounds-dir signed --as-of {NOW} --json"
        ))
        .json();
    assert_eq!(known["claims"].as_array().map(Vec::len), Some(1));
}

#[test]
fn verify_names_claims_that_a_changed_program_signed_too_late() {
    let round = SignedRound::claimed(&[ABOVE]);
    round.resolve();
    // On its first day by its own word; by the order of the log; and one claim too many.
    sign(&round, "late", "2026-09-14T09:00:00Z", |_| ());
    sign(&round, "backdated", "2026-09-12T13:00:00Z", |_| ());
    sign(&round, "third", "2026-09-22T13:00:00Z", |own| {
        own.first_day = "2026-09-28".to_owned();
    });
    sign(&round, "odd", "2026-09-22T13:00:00Z", |own| {
        own.alpha = "0.050".to_owned();
    });
    let found = codes(&round);
    assert_eq!(
        found.iter().filter(|code| *code == "claim-late").count(),
        2,
        "{found:?}"
    );
    assert_eq!(
        found.iter().filter(|code| *code == "claim-invalid").count(),
        2,
        "{found:?}"
    );
    let known = round
        .say(&format!(
            "claim list --rounds-dir signed --as-of {NOW} --json"
        ))
        .json();
    let names = known["claims"].as_array().expect("claims").iter();
    let names: Vec<&str> = names.filter_map(|own| own["claim"].as_str()).collect();
    assert!(
        !names.contains(&"late") && !names.contains(&"third"),
        "{names:?}"
    );
}

#[test]
fn a_round_accepted_after_its_entry_close_counts_for_no_claim() {
    let round = SignedRound::claimed_and_asked(&[ABOVE]);
    let late = format!(
        "accept-run --round signed/{NAME} --run-id official --reason late --now 2026-09-15T12:30:00Z"
    );
    round.say(&late).code(0);
    round.resolve();
    let told = shown(&round, "amber-above");
    assert_eq!(told["rounds"], json!([]), "{told}");
    let reason = told["left_out"][0]["reason"].as_str().expect("a reason");
    assert!(reason.contains("not before the entry close"), "{reason}");
    assert!(
        codes(&round).contains(&"claim-round-unproved".to_owned()),
        "{:?}",
        codes(&round)
    );
}

/// Compares a claim of a site with what its module gives; with another evidence on one day where `more`
/// is added.
const AGAIN: &str = r#"
import fs from "node:fs";
const [site, more] = process.argv.slice(2);
const { differences } = await import(`${site}/verify/claims.js`);
const read = (file) => JSON.parse(fs.readFileSync(`${site}/${file}`, "utf8"));
const claim = read("claims/amber-above/claim.json"), entry = read("log/claims/amber-above.json");
claim.days[2].evidence += Number(more);
console.log(JSON.stringify(differences(claim, entry)));
"#;

#[test]
fn the_page_of_a_claim_says_what_the_claim_says_and_its_script_computes_it_again() {
    let round = SignedRound::claimed(&[ABOVE]);
    round.resolve();
    let words = format!("build-site --rounds-dir signed --output site --as-of {NOW}");
    round.say(&words).code(0);
    let site = round.test().path("site");
    let page = fs::read_to_string(site.join("claims/amber-above/index.html")).expect("a page");
    for text in [
        "mock-amber returns more than the reference",
        "Not decided: the evidence is",
        "1 of at most 2 claims",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for path in [
        "index.html",
        "models/mock-amber/index.html",
        "claims/index.html",
    ] {
        let other = fs::read_to_string(site.join(path)).expect("a page");
        assert!(other.contains("claims/amber-above/"), "{path}");
    }
    if !node() {
        return;
    }
    // The browser's page of a round reads a log with claims.
    let seen = look(round.test(), &json!({ "now": NOW }), &[NAME]);
    assert_eq!(seen[0]["verdict"], "holds", "{}", seen[0]);
    let script = round.test().path("again.mjs");
    fs::write(&script, AGAIN).expect("a script");
    let differences = |more: &str| -> Value {
        let ran = Command::new("node")
            .arg(&script)
            .arg(&site)
            .arg(more)
            .output();
        let ran = ran.expect("node runs");
        let errors = String::from_utf8_lossy(&ran.stderr);
        serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
    };
    assert_eq!(differences("0"), json!([]));
    assert_eq!(differences("0.01").as_array().map(Vec::len), Some(1));
}
