//! Logs that somebody writes again: without the key, and with a key of his own.

use std::collections::BTreeMap;
use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::merkle::{Edge, Hash, leaf_hash};
use capitalbench_proof::note::{KeyKind, SignerKey};
use capitalbench_proof::tiles;

use super::{Attack, Change, Known};
use crate::signed_round::NAME;

/// A log as its attacker knows it.
pub(super) struct Forgery {
    leaves: Vec<Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
    own: SignerKey,
}

impl Forgery {
    pub(super) fn of(rounds: &Path, files: &BTreeMap<String, Vec<u8>>) -> Self {
        let log = LogFolder::of_rounds(rounds);
        let signed = log.checkpoint().expect("a log").expect("a state");
        let size = signed.checkpoint.size;
        assert!(size < tiles::WIDTH, "one tile is enough for these tests");
        let all: Vec<u64> = (0..size).collect();
        let leaves = log.leaves(&all, size).expect("leaves");
        let of_log = files.iter().filter(|(path, _)| path.starts_with("log/"));
        let name = signed.checkpoint.origin;
        Self {
            leaves: leaves.into_iter().map(|(_, leaf)| leaf).collect(),
            files: of_log
                .map(|(path, bytes)| (path.clone(), bytes.clone()))
                .collect(),
            own: SignerKey::from_seed(&name, &[3; 32], KeyKind::Note).expect("a key"),
        }
    }

    /// The files of a log with these leaves; signed anew, or with the checkpoint as it was.
    fn log_of(&self, leaves: &[Vec<u8>], signs: bool) -> Change {
        let replaced = |path: &&String| {
            path.starts_with("log/tile/") || (signs && path.starts_with("log/checkpoints/"))
        };
        let gone = self.files.keys().filter(replaced);
        let mut change: Change = gone.map(|path| (path.clone(), None)).collect();
        let mut edge = Edge::default();
        let hashes: Vec<Hash> = leaves.iter().map(|leaf| leaf_hash(leaf)).collect();
        for hash in &hashes {
            edge.append(*hash, |_, _, _| {});
        }
        let size = leaves.len() as u64;
        let bundle = tiles::bundle(leaves.iter().map(Vec::as_slice)).expect("short leaves");
        change.insert(format!("log/tile/entries/000.p/{size}"), Some(bundle));
        let hashes = tiles::hash_tile(&hashes);
        change.insert(format!("log/tile/0/000.p/{size}"), Some(hashes));
        if signs {
            let checkpoint = Checkpoint {
                origin: self.own.name().to_owned(),
                size,
                root: edge.root(),
                extensions: vec!["previous 0".to_owned()],
            };
            let note = checkpoint.sign(&self.own).expect("a note").to_string();
            let vkey = format!("{}\n", self.own.verifier());
            change.insert("log/vkey".to_owned(), Some(vkey.into_bytes()));
            for path in [
                "log/checkpoint".to_owned(),
                format!("log/checkpoints/{size}"),
            ] {
                change.insert(path, Some(note.clone().into_bytes()));
            }
        }
        change
    }

    fn attack(&self, name: &str, leaves: &[Vec<u8>], known: Known) -> Attack {
        Attack {
            name: name.to_owned(),
            change: self.log_of(leaves, known != Known::Nothing),
            place: String::new(),
            reader: known,
        }
    }

    /// The log as it was at an older checkpoint, which the real key signed.
    fn rolled_back(&self, size: u64) -> Attack {
        let kept = &self.files[&format!("log/checkpoints/{size}")];
        let later = |path: &&String| {
            let last = path.rsplit('/').next().and_then(|name| name.parse().ok());
            let counted = path.starts_with("log/tile/") || path.starts_with("log/checkpoints/");
            counted && last.is_some_and(|last: u64| last > size)
        };
        let gone = self.files.keys().filter(later);
        let mut change: Change = gone.map(|path| (path.clone(), None)).collect();
        change.insert("log/checkpoint".to_owned(), Some(kept.clone()));
        Attack {
            name: format!("roll back to {size}"),
            change,
            place: String::new(),
            reader: Known::Nothing,
        }
    }
}

/// Leaves dropped, doubled, moved and changed; the log cut off and rolled back; another key.
pub(super) fn attacks(log: &Forgery) -> Vec<Attack> {
    let mut attacks = Vec::new();
    for known in [Known::Nothing, Known::Key, Known::Checkpoint] {
        for at in 0..log.leaves.len() {
            let mut dropped = log.leaves.clone();
            dropped.remove(at);
            attacks.push(log.attack(&format!("drop leaf {at}"), &dropped, known));
            let mut doubled = log.leaves.clone();
            doubled.insert(at, log.leaves[at].clone());
            attacks.push(log.attack(&format!("double leaf {at}"), &doubled, known));
            let mut moved = log.leaves.clone();
            let leaf = moved.remove(at);
            moved.insert((at + 1) % (moved.len() + 1), leaf);
            attacks.push(log.attack(&format!("move leaf {at}"), &moved, known));
            let cut = &log.leaves[..at];
            if at > 0 {
                attacks.push(log.attack(&format!("cut off at {at}"), cut, known));
            }
            let mut redated = log.leaves.clone();
            let text = String::from_utf8(redated[at].clone()).expect("JSON");
            redated[at] = text
                .replacen("\"at\":\"2026", "\"at\":\"2025", 1)
                .into_bytes();
            attacks.push(log.attack(&format!("date leaf {at}"), &redated, known));
        }
    }
    for known in [Known::Key, Known::Checkpoint] {
        attacks.push(log.attack("another key", &log.leaves, known));
    }
    let renamed: Vec<Vec<u8>> = log
        .leaves
        .iter()
        .map(|leaf| {
            let text = String::from_utf8(leaf.clone()).expect("JSON");
            text.replace(NAME, "ANOTHER").into_bytes()
        })
        .collect();
    attacks.push(log.attack("another round", &renamed, Known::Key));
    let reversed: Vec<Vec<u8>> = log.leaves.iter().rev().cloned().collect();
    attacks.push(log.attack("turn round", &reversed, Known::Key));
    let size = log.leaves.len();
    let stamp = ["tsq", "tsr"].map(|ending| {
        let path = format!("log/anchors/{size}/clock.example.{ending}");
        (path, Some(b"no stamp".to_vec()))
    });
    attacks.push(Attack {
        name: "an invented stamp".to_owned(),
        change: Change::from(stamp),
        place: format!("log/anchors/{size}/clock.example.tsr"),
        reader: Known::Nothing,
    });
    let kept = log.files.keys();
    let sizes = kept.filter_map(|path| path.strip_prefix("log/checkpoints/")?.parse().ok());
    let last = log.leaves.len() as u64;
    let older = sizes.filter(|size: &u64| *size < last);
    attacks.extend(older.map(|size| log.rolled_back(size)));
    attacks
}
