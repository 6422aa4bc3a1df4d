//! A signed round in one file: what it holds, and that no part of it can be changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::public::bundle::{open_files, read_files, write_files};
use capitalbench_archive::verify::{Reader, Severity, verify_for};
use capitalbench_proof::event::{Event, Fact, Instant};
use jiff::Timestamp;
use rayon::prelude::*;

use crate::signed_round::{NAME, NOW, SignedRound};

/// Makes the bundle of the round twice and reads one.
fn bundle(round: &SignedRound) -> BTreeMap<String, Vec<u8>> {
    for file in ["one.tar.zst", "two.tar.zst"] {
        let folder = format!("signed/{NAME}");
        let made = round.test().run(&["bundle", &folder, "--output", file]);
        made.code(0).says("check it with");
    }
    let [one, two] = ["one.tar.zst", "two.tar.zst"]
        .map(|file| fs::read(round.test().path(file)).expect("a file"));
    assert!(one == two, "the same files give the same bytes");
    read_files(&one).expect("a bundle")
}

fn errors(files: BTreeMap<String, Vec<u8>>) -> Result<Vec<String>, String> {
    let opened = open_files(files, Path::new("b")).map_err(|error| error.to_string())?;
    let reader = Reader {
        withheld: opened.withheld.clone(),
        ..Reader::default()
    };
    let now: Timestamp = NOW.parse().expect("an instant");
    let report = verify_for(&reader, &opened.round(), now, &|| {});
    let report = report.map_err(|error| error.to_string())?;
    let of_log = report.log.iter().flat_map(|log| &log.findings);
    let all = of_log.chain(report.rounds.iter().flat_map(|round| &round.findings));
    let bad = all.filter(|finding| finding.severity() == Severity::Error);
    Ok(bad.map(|finding| finding.place.clone()).collect())
}

#[test]
fn a_bundle_verifies_without_anything_else() {
    let round = SignedRound::resolved();
    let files = bundle(&round);
    assert!(files.keys().all(|path| !path.ends_with(".head.json")));
    fs::rename(round.rounds(), round.test().path("elsewhere")).expect("a moved folder");
    round
        .test()
        .run(&["verify", "one.tar.zst", "--now", NOW])
        .code(0)
        .says("SIGNED")
        .says("every leaf recomputed")
        .says("not proved          that withheld files");
}

#[test]
fn an_open_round_shows_no_result_and_says_what_it_withholds() {
    let round = SignedRound::accepted();
    let files = bundle(&round);
    let told = String::from_utf8(files["bundle.json"].clone()).expect("a text");
    assert!(told.contains(".head.json"), "{told}");
    assert!(files.keys().all(|path| !path.contains("/results/")));
    round
        .test()
        .run(&["verify", "one.tar.zst", "--now", "2026-09-15T12:00:00Z"])
        .code(0)
        .says("picks committed");
}

#[test]
fn no_file_of_a_bundle_can_be_changed_or_left_out() {
    file_ops::stop_flushing();
    let round = SignedRound::resolved();
    let files = bundle(&round);
    let whole = write_files(&files).expect("a bundle");
    assert_eq!(errors(files.clone()), Ok(Vec::new()));
    let survived: Vec<String> = files
        .par_iter()
        .flat_map_iter(|(path, bytes)| {
            let mut flipped = bytes.clone();
            if let Some(byte) = flipped.get_mut(bytes.len() / 2) {
                *byte ^= 2;
            }
            let mut changed = files.clone();
            changed.insert(path.clone(), flipped);
            let mut without = files.clone();
            without.remove(path);
            [("flip", changed), ("drop", without)]
                .into_iter()
                .filter_map(|(what, files)| {
                    let holds = errors(files).is_ok_and(|found| found.is_empty());
                    holds.then(|| format!("{what} {path}"))
                })
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(survived, Vec::<String>::new());
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut damaged = whole.clone();
        damaged[at] ^= 4;
        if let Ok(found) = read_files(&damaged) {
            let holds = errors(found.clone()).is_ok_and(|errors| errors.is_empty());
            assert!(!holds || found == files, "byte {at}");
        }
    }
}

#[test]
fn a_bundle_cannot_switch_off_a_check_by_what_it_says_of_itself() {
    let round = SignedRound::resolved();
    let log = LogFolder::of_rounds(&round.rounds());
    let key = round.rounds().join(".capitalbench/keys/log.key");
    let key = LogKey::load(&key).expect("a readable key").expect("a key");
    let claim = Event {
        round: NAME.to_owned(),
        at: Instant::parse("2026-09-23T00:00:00Z").expect("an instant"),
        fact: Fact::Claim {
            statement: "report of official".to_owned(),
            files: BTreeMap::new(),
        },
    };
    let appended = log.append(&key, &[claim]).expect("an append");
    let place = format!("log/leaf {}", appended.size - 1);
    let mut files = bundle(&round);
    assert_eq!(errors(files.clone()), Ok(vec![place.clone()]));
    let told = files.get_mut("bundle.json").expect("a manifest");
    let mut said: serde_json::Value = serde_json::from_slice(told).expect("JSON");
    let withheld = said["withheld"].as_array_mut().expect("a list");
    withheld.push("runs/official/results/imaginary.csv".into());
    withheld.push("manifest.yaml".into());
    *told = said.to_string().into_bytes();
    assert_eq!(errors(files), Ok(vec![place]));
}
