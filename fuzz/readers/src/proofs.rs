//! What a stranger hands us to prove something: notes, tiles, leaves, proofs, tokens, archives.

use std::path::{Component, Path};

use capitalbench_archive::entering::delivered::Delivered;
use capitalbench_archive::entering::portfolio;
use capitalbench_archive::public::bundle as bundles;
use capitalbench_core::decision::entering::registration::Registration;
use capitalbench_core::decision::entering::sealed::SealedEntry;
use capitalbench_core::encoding::tar;
use capitalbench_proof::checkpoint::Checkpoint;
use capitalbench_proof::event::Event;
use capitalbench_proof::merkle::leaf_hash;
use capitalbench_proof::note::{KeyKind, Note, SignerKey, VerifierKey};
use capitalbench_proof::tiles::{self, Tile};
use capitalbench_proof::timestamp::{self, Question, Root};
use capitalbench_proof::tlog_proof::TlogProof;
use capitalbench_proof::witness::{self, WitnessRule, known_size};
use capitalbench_proof::{canonical, opentimestamps};
use jiff::Timestamp;

use crate::is_in_proportion;

/// A signed note, a checkpoint or a key in text form.
pub fn note(bytes: &[u8]) {
    match Note::parse(bytes) {
        Ok(note) => {
            assert_eq!(note.to_string().as_bytes(), bytes);
            if let Ok(checkpoint) = Checkpoint::parse(note.text()) {
                assert_eq!(checkpoint.to_string(), note.text());
            }
        }
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        if let Ok(key) = VerifierKey::parse(text) {
            assert_eq!(key.to_string(), text);
        }
        if let Some(tile) = Tile::parse(text) {
            assert_eq!(tile.path(), text);
            let largest = Tile::at_size(tile.content, tile.index, u64::MAX);
            let fits = tile.index <= u64::MAX / tiles::WIDTH;
            assert!(fits || largest.is_none(), "{text}");
        }
    }
}

/// The rule for witnesses, and what one of them answers about a checkpoint.
pub fn cosignature(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match WitnessRule::parse(text) {
        Ok(rule) => assert_eq!(WitnessRule::parse(&rule.to_string()).as_ref(), Ok(&rule)),
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
    let _ = known_size(text);
    let log = SignerKey::from_seed("log.example", &[1; 32], KeyKind::Note);
    let signer = SignerKey::from_seed("w.example", &[2; 32], KeyKind::Cosignature);
    let (Ok(log), Ok(signer)) = (log, signer) else {
        return;
    };
    let checkpoint = Checkpoint {
        origin: "log.example".to_owned(),
        size: 1,
        root: leaf_hash(b"leaf"),
        extensions: Vec::new(),
    };
    let Ok(note) = checkpoint.sign(&log) else {
        return;
    };
    let key = signer.verifier();
    match witness::cosignature(&note.to_string(), text, &key, Timestamp::MAX) {
        Ok(own) => assert!(text.contains(own.line.trim_end())),
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
}

/// A tile of hashes, a bundle of leaves, and the leaves in it.
pub fn tile(bytes: &[u8]) {
    if let Some(hashes) = tiles::hashes_of(bytes) {
        assert_eq!(tiles::hash_tile(&hashes), bytes);
    }
    if let Some(leaves) = tiles::leaves_of(bytes) {
        let again = tiles::bundle(leaves.iter().copied());
        assert_eq!(again.as_deref(), Some(bytes));
    }
}

/// A leaf of the log.
pub fn leaf(bytes: &[u8]) {
    match Event::parse(bytes) {
        Ok(event) => assert_eq!(event.to_leaf().as_deref(), Ok(bytes)),
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
    if let Ok(value) = canonical::parse(bytes) {
        assert_eq!(canonical::to_bytes(&value).as_deref(), Ok(bytes));
    }
}

/// A proof of inclusion in text form.
pub fn tlog_proof(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match TlogProof::parse(text) {
        Ok(proof) => assert_eq!(proof.to_string(), text),
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
}

/// A file that an entrant brought: a registration, a sealed entry, an opening; or its portfolio.
pub fn entrant_file(bytes: &[u8]) {
    match Delivered::read(bytes) {
        Ok(Delivered::Opening(own)) => assert_eq!(own.to_bytes(), bytes),
        Ok(Delivered::Registration(own)) => {
            assert_eq!(Registration::parse(&own.to_text()), Ok(own));
        }
        Ok(Delivered::Entry(own)) => assert_eq!(SealedEntry::parse(&own.to_text()), Ok(own)),
        Err(refusal) => is_in_proportion(&refusal.to_string(), bytes),
    }
    if let Err(fault) = portfolio::parse(bytes) {
        is_in_proportion(&fault.to_string(), bytes);
    }
}

/// A time stamp: reply, query, roots, and the proof of a calendar.
pub fn time_stamp(bytes: &[u8]) {
    let question = Question {
        digest: [7; 32],
        nonce: Some(1),
    };
    if let Err(refusal) = timestamp::check(bytes, &question, &[], Timestamp::UNIX_EPOCH) {
        is_in_proportion(&refusal.to_string(), bytes);
    } else {
        panic!("a token without a root was trusted");
    }
    let _ = timestamp::reply_time(bytes);
    if let Ok(asked) = Question::from_query(bytes) {
        let again = Question::from_query(&asked.to_query());
        assert_eq!(again, Ok(asked));
    }
    let _ = Root::from_pem(bytes);
    if let Some(digest) = bytes.first_chunk::<32>() {
        let _ = opentimestamps::read(bytes, digest);
        let _ = opentimestamps::proof_file(digest, &[1; 16], &bytes[32..]);
    }
}

/// An archive of files.
pub fn archive(bytes: &[u8]) {
    match tar::read(bytes) {
        Ok(files) => {
            assert_eq!(tar::write(&files).as_deref(), Ok(bytes));
            for name in files.keys() {
                assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".."));
            }
        }
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
}

/// A bundle of a round: what is unpacked, and where it may lie.
pub fn bundle(bytes: &[u8]) {
    let file = Path::new("round.tar.zst");
    let files = match bundles::read_files(bytes) {
        Ok(files) => files,
        Err(text) => return is_in_proportion(&text, bytes),
    };
    let again = bundles::write_files(&files).expect("names that were read");
    assert_eq!(bundles::read_files(&again).as_ref(), Ok(&files));
    match bundles::open_files(files, file) {
        Ok(opened) => {
            let round = opened.round();
            let name = round.file_name().expect("a name of its own");
            assert!(name != ".." && round.components().all(|part| part != Component::ParentDir));
        }
        Err(error) => is_in_proportion(&error.to_string(), bytes),
    }
}
