//! Whatever is changed in a signed round or its log is found, and its place is named.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_archive::verify::{Finding, Reader, Report, Severity, verify_for};
use capitalbench_proof::note::VerifierKey;
use jiff::Timestamp;
use rayon::prelude::*;
use tempfile::TempDir;

use serde_json::{Value, json};

use crate::harness::copy_tree;
use crate::page_script::{look_at_changes, node};
use crate::signed_round::{NAME, NOW, SignedRound};

mod forgery;

use forgery::Forgery;

/// Files that are written, or removed where there are no bytes.
pub(crate) type Change = BTreeMap<String, Option<Vec<u8>>>;

/// What is told about logs; all of it is provoked here.
pub(crate) const LOG_CODES: [&str; 14] = [
    "body-withheld",
    "event-contradicts-files",
    "event-missing",
    "file-not-logged",
    "log-broken",
    "log-history-differs",
    "log-order-broken",
    "logged-file-differs",
    "logged-file-missing",
    "not-in-log",
    "order-unproved",
    "salt-missing",
    "slot-unaccounted",
    "stamp-invalid",
];

/// Codes that were seen.
type Seen = Mutex<BTreeSet<&'static str>>;

/// One thing that somebody does to the folder.
struct Attack {
    name: String,
    change: Change,
    /// What must be named; any place where it is empty.
    place: String,
    reader: Known,
}

/// What the reader brings along.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    Owner,
    Key,
    Checkpoint,
}

fn errors(report: &Report) -> Vec<&Finding> {
    let of_log = report.log.iter().flat_map(|log| &log.findings);
    let of_rounds = report.rounds.iter().flat_map(|round| &round.findings);
    let all = of_log.chain(of_rounds);
    all.filter(|finding| finding.severity() == Severity::Error)
        .collect()
}

struct Reading {
    key: LogKey,
    vkey: VerifierKey,
    seen: Vec<u8>,
}

impl Reading {
    fn of(round: &SignedRound) -> Self {
        let log = LogFolder::of_rounds(&round.rounds());
        let key = LogKey::load(&round.rounds().join(".capitalbench/keys/log.key"));
        let size = log.checkpoint().expect("a log").expect("a state");
        let before = size.checkpoint.extensions[0].replace("previous ", "");
        let seen = round.rounds().join("log/checkpoints").join(before);
        Self {
            key: key.expect("a key").expect("a key"),
            vkey: log.verifier().expect("a log").expect("a key"),
            seen: fs::read(seen).expect("an older checkpoint"),
        }
    }

    fn reader(&self, known: Known) -> Reader<'_> {
        let mut reader = Reader::default();
        match known {
            Known::Nothing => {}
            Known::Owner => reader.owner = Some(&self.key),
            Known::Key => reader.key = Some(self.vkey.clone()),
            Known::Checkpoint => reader.since = vec![("kept".to_owned(), self.seen.clone())],
        }
        reader
    }
}

fn check(rounds: &Path, reader: &Reader<'_>) -> Result<Report, String> {
    let now: Timestamp = NOW.parse().expect("an instant");
    verify_for(reader, rounds, now, &|| {}).map_err(|error| error.to_string())
}

/// Carries an attack out on a copy, looks, and puts everything back.
fn survives(copy: &Path, attack: &Attack, reading: &Reading, seen: &Seen) -> Option<String> {
    let before: Change = attack
        .change
        .keys()
        .map(|path| (path.clone(), fs::read(copy.join(path)).ok()))
        .collect();
    apply(copy, &attack.change);
    let found = check(copy, &reading.reader(attack.reader));
    apply(copy, &before);
    match found {
        // A folder without any round is refused, and the folder is named.
        Err(error) => (!error.contains("holds no round")).then_some(error),
        Ok(report) => {
            let told = report.rounds.iter().flat_map(|round| &round.findings);
            let told = told.chain(report.log.iter().flat_map(|log| &log.findings));
            let codes = told.map(|finding| finding.code.as_str());
            seen.lock().expect("no panic").extend(codes);
            let errors = errors(&report);
            let named = errors
                .iter()
                .any(|finding| attack.place.is_empty() || finding.place == attack.place);
            (!named).then(|| format!("{}: {errors:?}", attack.name))
        }
    }
}

fn apply(folder: &Path, change: &Change) {
    for (path, bytes) in change {
        let file = folder.join(path);
        match bytes {
            None => drop(fs::remove_file(file)),
            Some(bytes) => {
                fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                fs::write(file, bytes).expect("a written file");
            }
        }
    }
}

/// Every file of the round and of its log, with its bytes.
fn evidence(rounds: &Path) -> BTreeMap<String, Vec<u8>> {
    let all = capitalbench_archive::public::public_files::files_below(rounds).expect("files");
    let told = |path: &String| {
        !path.starts_with(".capitalbench/")
            && !path.ends_with("/.lock")
            && !path.contains("/lease-")
    };
    all.into_iter()
        .filter(told)
        .map(|path| {
            let bytes = fs::read(rounds.join(&path)).expect("a file");
            (path, bytes)
        })
        .collect()
}

fn of_file(path: &str, what: &str, bytes: Option<Vec<u8>>) -> Attack {
    let inside = path.strip_prefix(NAME).and_then(|p| p.strip_prefix('/'));
    Attack {
        name: format!("{what} {path}"),
        change: Change::from([(path.to_owned(), bytes)]),
        place: inside.unwrap_or_default().to_owned(),
        reader: if path.ends_with(".head.json") {
            Known::Owner
        } else {
            Known::Nothing
        },
    }
}

/// Bits all over every file, and every file gone.
fn of_files(files: &BTreeMap<String, Vec<u8>>) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (path, bytes) in files {
        attacks.push(of_file(path, "delete", None));
        let mut places: Vec<usize> = (0..7).map(|part| bytes.len() * part / 7).collect();
        places.push(bytes.len().saturating_sub(1));
        places.dedup();
        for (number, place) in places.into_iter().enumerate() {
            let mut flipped = bytes.clone();
            if let Some(byte) = flipped.get_mut(place) {
                *byte ^= 1 << (number % 8);
                attacks.push(of_file(path, &format!("flip {place} of"), Some(flipped)));
            }
        }
    }
    attacks
}

/// Digits of prices, picks and instants in the place of each other.
fn of_digits(files: &BTreeMap<String, Vec<u8>>) -> Vec<Attack> {
    let wanted = ["/prices/", "/submissions/", "/attempts/", "acceptance.json"];
    let mut attacks = Vec::new();
    for (path, bytes) in files {
        if !wanted.iter().any(|part| path.contains(part)) {
            continue;
        }
        let digits = (1..bytes.len()).filter(|&at| {
            let pair = [bytes[at - 1], bytes[at]];
            pair.iter().all(u8::is_ascii_digit) && pair[0] != pair[1]
        });
        for at in digits.step_by(37).take(5) {
            let mut swapped = bytes.clone();
            swapped.swap(at - 1, at);
            attacks.push(of_file(
                path,
                &format!("swap digits at {at} of"),
                Some(swapped),
            ));
        }
    }
    attacks
}

#[test]
fn every_change_of_a_signed_round_is_found_and_named() {
    let round = SignedRound::resolved();
    let rounds = round.rounds();
    let reading = Reading::of(&round);
    for known in [Known::Nothing, Known::Owner, Known::Key, Known::Checkpoint] {
        let report = check(&rounds, &reading.reader(known)).expect("a report");
        assert_eq!(errors(&report), Vec::<&Finding>::new());
    }
    let files = evidence(&rounds);
    let mut attacks = of_files(&files);
    attacks.extend(of_digits(&files));
    attacks.extend(forgery::attacks(&Forgery::of(&rounds, &files)));
    assert!(attacks.len() >= 2000, "{} attacks", attacks.len());
    let part = attacks.len().div_ceil(rayon::current_num_threads() * 4);
    let seen = Seen::default();
    let survived: Vec<String> = attacks
        .par_chunks(part)
        .flat_map_iter(|attacks| {
            let copy = TempDir::new().expect("a folder");
            copy_tree(&rounds, copy.path());
            let found = attacks
                .iter()
                .filter_map(|attack| survives(copy.path(), attack, &reading, &seen));
            found.collect::<Vec<String>>()
        })
        .collect();
    assert_eq!(survived, Vec::<String>::new(), "of {}", attacks.len());
    let seen = seen.into_inner().expect("no panic");
    let unseen: Vec<&&str> = LOG_CODES
        .iter()
        .filter(|code| !seen.contains(**code))
        .collect();
    assert_eq!(unseen, Vec::<&&str>::new());
}

/// The page gets no heads of providers, and no private key.
fn for_the_page(attack: &Attack, reading: &Reading) -> Option<Value> {
    let more = match attack.reader {
        Known::Owner => return None,
        Known::Nothing => json!({}),
        Known::Key => json!({"key": reading.vkey.to_string()}),
        Known::Checkpoint => {
            let note = String::from_utf8_lossy(&reading.seen);
            json!({"since": [{"name": "kept", "note": note}]})
        }
    };
    Some(json!({"name": attack.name, "change": attack.change, "more": more}))
}

#[test]
fn the_page_in_a_browser_finds_changes_of_every_kind_too() {
    if !node() {
        return;
    }
    let round = SignedRound::resolved();
    let rounds = round.rounds();
    let test = round.test();
    test.run(&["build-site", "--rounds-dir", "signed", "--as-of", NOW])
        .code(0);
    let reading = Reading::of(&round);
    let files = evidence(&rounds);
    // Every deletion and every log that is written again; of changed bytes one in eight.
    let mut attacks = of_files(&files);
    attacks.extend(of_digits(&files));
    let mut place = 0;
    attacks.retain(|attack| {
        place += 1;
        attack.name.starts_with("delete") || place % 8 == 0
    });
    attacks.extend(forgery::attacks(&Forgery::of(&rounds, &files)));
    let changes: Vec<Value> = attacks
        .iter()
        .filter_map(|attack| for_the_page(attack, &reading))
        .collect();
    assert!(changes.len() >= 500, "{} attacks", changes.len());
    let folder = rounds.join(NAME).canonicalize().expect("a round");
    let folder = folder.display().to_string();
    let mut found = look_at_changes(test, &json!({"now": NOW}), &folder, &changes);
    let honest = found.remove(0);
    assert_eq!(honest["verdict"], "holds", "{honest}");
    assert_eq!(found.len(), changes.len());
    let survived: Vec<&Value> = found
        .iter()
        .filter(|own| own["verdict"] == "holds")
        .collect();
    assert!(survived.is_empty(), "{survived:?}");
}
