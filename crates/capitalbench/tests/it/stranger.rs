//! A reader who trusts nobody: the log of a stamped round under other people's tools.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::public::public_files::files_below;
use capitalbench_archive::verify::{Reader, Severity, verify_for};
use ct_merkle::mem_backed_tree::MemoryBackedTree;
use ct_merkle::{InclusionProof, RootHash};
use jiff::Timestamp;
use sha2::Sha256;
use signed_note::{Note, StandardVerifier, VerifierList};

use crate::fake_clock::{FakeClock, Manner};
use crate::fake_witness::FakeWitness;
use crate::harness::fixtures;
use crate::signed_round::{NAME, NOW, SignedRound};

#[test]
fn a_stamped_round_is_proved_without_trusting_the_operator() {
    let clock = FakeClock::start(Manner::True);
    let round = SignedRound::stamped(&clock);
    cosign(&round);
    our_program_says_proved(&round, &clock);
    libraries_of_others_read_the_log(&round);
    documented_commands_work_and_notice_a_change(&round, &clock);
    changed_answers_of_clocks_are_named(&round);
}

fn cosign(round: &SignedRound) {
    let vkey = fs::read_to_string(round.rounds().join("log/vkey")).expect("a key");
    let witness = FakeWitness::start("w.example", 5, &vkey, NOW).named();
    let ask = ["anchor", "--rounds-dir", "signed", "--now", NOW];
    let ran = round
        .test()
        .run(&[&ask[..], &["--witness", &witness]].concat());
    ran.code(0).says("the quorum holds: 1 of 1");
}

fn our_program_says_proved(round: &SignedRound, clock: &FakeClock) {
    let (test, root) = (round.test(), clock.root_file());
    let folder = format!("signed/{NAME}");
    let look = ["verify", &folder, "--now", NOW, "--tsa-root", &root];
    test.run(&look)
        .code(0)
        .says(&format!(
            "{NAME}  PROVED  by \"Stamper\", whom you vouch for"
        ))
        .says("before 2026-09-14T11:31:00Z by 1 outside clock")
        .says("before 2026-09-14T12:31:00Z by 1 outside clock, before the entry close");
    let said = test.run(&[&look[..], &["--json"]].concat()).code(0).json();
    let proof = &said["rounds"][0]["proof"];
    assert_eq!(proof["level"], "proved", "{said}");
    assert_eq!(proof["score"]["before_utc"], "2026-09-22T00:20:00Z");

    test.run(&["bundle", &folder, "--output", "round.tar.zst"])
        .code(0);
    test.run(&["verify", "round.tar.zst", "--now", NOW, "--tsa-root", &root])
        .code(0)
        .says("PROVED");

    // Whoever vouches for another authority, or for none, is told that the operator chose this one.
    let other = FakeClock::start(Manner::True).root_file();
    for more in [&[][..], &["--tsa-root", &other]] {
        let look = [&["verify", &folder, "--now", NOW], more].concat();
        test.run(&look)
            .code(0)
            .says(&format!(
                "{NAME}  STAMPED  by \"Stamper\", an authority you have"
            ))
            .says("authority-not-vouched");
        let said = test.run(&[&look[..], &["--json"]].concat()).json();
        let proof = &said["rounds"][0]["proof"];
        assert_eq!(proof["level"], "stamped", "{said}");
        assert_eq!(proof["authorities"][0]["vouched"], false, "{said}");
    }
}

fn libraries_of_others_read_the_log(round: &SignedRound) {
    let read = |name: &str| fs::read(round.rounds().join(name)).expect("a file of the log");
    let vkey = String::from_utf8(read("log/vkey")).expect("text");
    let key = StandardVerifier::new(vkey.trim_end()).expect("a key that others read");
    let keys = VerifierList::new(vec![Box::new(key)]);
    let note = Note::from_bytes(&read("log/checkpoint")).expect("a note that others read");
    let (signed, unknown) = note
        .verify(&keys)
        .expect("a signature that holds for others");
    assert_eq!(
        (signed.len(), unknown.len()),
        (1, 1),
        "the log and a witness"
    );

    let text = String::from_utf8(note.text().to_vec()).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "log.example");
    let size: u64 = lines[1].parse().expect("a size");
    let log = LogFolder::of_rounds(&round.rounds());
    let state = log.checkpoint().expect("a log").expect("a state");
    assert_eq!(
        (
            state.checkpoint.size,
            state.checkpoint.root.to_base64().as_str()
        ),
        (size, lines[2])
    );

    let mut tree: MemoryBackedTree<Sha256, Vec<u8>> = MemoryBackedTree::new();
    for leaf in entries(&round.rounds(), size) {
        tree.push(leaf);
    }
    let root = RootHash::<Sha256>::new((*state.checkpoint.root.as_bytes()).into(), size);
    assert_eq!(tree.root(), root, "others compute the root that was signed");
    for (index, leaf) in (0..size).zip(entries(&round.rounds(), size)) {
        let ours = log.prove(index, &state).expect("a log").expect("a proof");
        let path: Vec<u8> = ours.path.iter().flat_map(|hash| *hash.as_bytes()).collect();
        let proof = InclusionProof::<Sha256>::try_from_bytes(path).expect("a path of hashes");
        root.verify_inclusion(&leaf, index, &proof)
            .expect("a proof that holds for others");
        let mut other = leaf;
        other.push(b' ');
        assert!(root.verify_inclusion(&other, index, &proof).is_err());
    }
}

/// The entries as tlog-tiles lays them out, read without our reader.
fn entries(rounds: &Path, size: u64) -> Vec<Vec<u8>> {
    assert!(size < 256, "one bundle");
    let file = rounds.join(format!("log/tile/entries/000.p/{size}"));
    let bytes = fs::read(file).expect("a bundle of entries");
    let mut rest = bytes.as_slice();
    let mut found = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let (leaf, after) = after.split_at(u16::from_be_bytes(*length).into());
        found.push(leaf.to_vec());
        rest = after;
    }
    assert_eq!(found.len() as u64, size);
    found
}

/// The commands of the documentation, one block after the other.
fn blocks() -> Vec<String> {
    let file = fixtures().join("../docs/verify.md");
    let text = fs::read_to_string(file).expect("the documentation");
    let parts = text.split("```sh\n").skip(1);
    let block = |part: &str| part.split("```").next().map(str::to_owned);
    parts.filter_map(block).collect()
}

fn shell(block: &str, round: &SignedRound, root: &str) -> Output {
    let apart = round.test().path("apart");
    fs::create_dir_all(&apart).expect("a folder");
    Command::new("bash")
        .args(["-euo", "pipefail", "-c", block])
        .current_dir(round.rounds())
        .env("TMP", apart)
        .env("ROOT", root)
        .output()
        .expect("a shell")
}

fn documented_commands_work_and_notice_a_change(round: &SignedRound, clock: &FakeClock) {
    let root = clock.root_file();
    let told = [
        "Signature Verified Successfully",
        "Verification: OK",
        "w.example cosigned ",
        "entries are those that log.example signed",
    ];
    let blocks = blocks();
    assert_eq!(blocks.len(), told.len());
    for (block, words) in blocks.iter().zip(told) {
        let output = shell(block, round, &root);
        assert!(output.status.success(), "{block}{output:?}");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.contains(words), "{said}");
    }

    // Another root in the checkpoint, another stamped checkpoint, another entry.
    let log = round.rounds().join("log");
    let size = fs::read_to_string(log.join("checkpoint")).expect("a checkpoint");
    let size = size.lines().nth(1).expect("a size").to_owned();
    let places = [
        "checkpoint".to_owned(),
        format!("checkpoints/{size}"),
        format!("checkpoints/{size}"),
        format!("tile/entries/000.p/{size}"),
    ];
    for (block, place) in blocks.iter().zip(places) {
        let file = log.join(&place);
        let before = fs::read(&file).expect("a file of the log");
        let mut bytes = before.clone();
        bytes[20] ^= 1;
        fs::write(&file, bytes).expect("a changed file");
        let output = shell(block, round, &root);
        assert!(!output.status.success(), "{place}: {output:?}");
        fs::write(&file, before).expect("a mended file");
    }
}

/// The places of errors, by the roots that lie in the log.
fn wrong(round: &SignedRound) -> Vec<String> {
    let now: Timestamp = NOW.parse().expect("an instant");
    let report = verify_for(&Reader::default(), &round.rounds(), now, &|| {});
    let log = report.expect("a report").log.expect("a log");
    let errors = log.findings.into_iter();
    let errors = errors.filter(|finding| finding.severity() == Severity::Error);
    errors.map(|finding| finding.place).collect()
}

fn changed_answers_of_clocks_are_named(round: &SignedRound) {
    let calendar = FakeClock::start(Manner::Calendar);
    let ask = ["anchor", "--rounds-dir", "signed", "--now", NOW];
    let url = calendar.url();
    let test = round.test();
    test.run(&[&ask[..], &["--ots", &url]].concat()).code(0);
    assert_eq!(wrong(round), [""; 0]);
    let anchors = round.rounds().join("log/anchors");
    let mut changes = 0;
    for path in files_below(&anchors).expect("answers") {
        let file = anchors.join(&path);
        let before = fs::read(&file).expect("an answer");
        let (name, ending) = path.rsplit_once('.').expect("an ending");
        if ending == "cosig" {
            continue;
        }
        // Of a calendar's file only the digest is ours; its path is for the calendar to keep.
        let (length, removed) = match ending {
            "ots" => (60, vec![]),
            _ => (before.len(), vec![None]),
        };
        let flipped = (0..8).map(|part| {
            let mut bytes = before.clone();
            bytes[length * part / 8] ^= 1;
            Some(bytes)
        });
        for bytes in flipped.chain(removed) {
            match &bytes {
                Some(bytes) => fs::write(&file, bytes).expect("a changed file"),
                None => fs::remove_file(&file).expect("a removed file"),
            }
            let places = wrong(round);
            let place = format!("log/anchors/{name}.");
            assert!(
                places.iter().any(|own| own.starts_with(&place)),
                "{path}, {bytes:?}: {places:?}"
            );
            changes += 1;
        }
        fs::write(&file, before).expect("a mended file");
    }
    assert_eq!(changes, 3 * 2 * 9 + 8);
}
