//! Appending, crashing, appending again, and every file of the log changed or gone.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use capitalbench_proof::event::{Event, Fact, Instant};
use capitalbench_proof::merkle::verify_consistency;
use tempfile::TempDir;

use super::check::{LogCheck, check};
use super::*;

struct Rounds {
    folder: TempDir,
    key: LogKey,
}

fn key_file(folder: &TempDir) -> PathBuf {
    folder.path().join(layout::LOG_KEY)
}

fn rounds() -> Rounds {
    file_ops::stop_flushing();
    let folder = tempfile::tempdir().unwrap();
    let log = LogFolder::of_rounds(folder.path());
    let key = LogKey::create(&log, &key_file(&folder), "log.example", &[5; 32]).unwrap();
    Rounds { folder, key }
}

impl Rounds {
    fn log(&self) -> LogFolder {
        LogFolder::of_rounds(self.folder.path())
    }

    fn append(&self, numbers: std::ops::Range<u64>) -> Appended {
        let events: Vec<Event> = numbers.map(event).collect();
        self.log().append(&self.key, &events).unwrap()
    }

    fn check(&self) -> LogCheck {
        check(&self.log(), &mut |_, _| {}).unwrap()
    }

    /// Every file of the log with its bytes.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let root = self.folder.path().join(layout::LOG);
        let names = crate::public::public_files::files_below(&root).unwrap();
        let read = |name: String| (name.clone(), fs::read(root.join(name)).unwrap());
        names.into_iter().map(read).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "a test spoils a file")]
    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.folder.path().join(layout::LOG).join(name), bytes).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "a test removes a file")]
    fn take(&self, name: &str) {
        fs::remove_file(self.folder.path().join(layout::LOG).join(name)).unwrap();
    }
}

fn event(number: u64) -> Event {
    Event {
        round: format!("round_{}", number % 3),
        at: Instant::parse("2026-09-14T12:00:00Z").unwrap(),
        fact: Fact::Claim {
            statement: format!("statement {number}"),
            files: BTreeMap::new(),
        },
    }
}

#[test]
fn a_log_grows_and_proves_what_it_holds() {
    let rounds = rounds();
    let log = rounds.log();
    assert_eq!(log.checkpoint().unwrap(), None);
    let mut sizes = Vec::new();
    let mut size = 0;
    for step in [1, 2, 252, 1, 300, 44] {
        let appended = rounds.append(size..size + step);
        size += step;
        assert_eq!(appended, Appended { size, added: step });
        sizes.push(size);
    }
    let checked = rounds.check();
    assert_eq!(checked.problems, []);
    assert_eq!(checked.checkpoints, 6);
    let now = log.checkpoint().unwrap().unwrap();
    let key = log.verifier().unwrap().unwrap();
    for index in [0, 2, 255, 256, 599] {
        let leaf = log.leaf(index, size).unwrap().unwrap();
        assert_eq!(Event::parse(&leaf).unwrap(), event(index));
        let proof = log.prove(index, &now).unwrap().unwrap();
        proof.verify(&leaf, &key, &[]).unwrap();
    }
    assert_eq!(log.prove(600, &now).unwrap(), None);
    assert_eq!(log.leaf(600, size).unwrap(), None);
    let (new, root) = (now.checkpoint.size, now.checkpoint.root);
    for old in sizes {
        let before = log.checkpoint_at(old).unwrap().unwrap();
        let path = log.prove_growth(old, new).unwrap().unwrap();
        let old = (old, before.checkpoint.root);
        verify_consistency(old, (new, root), &path).unwrap();
        let index = before.checkpoint.size - 1;
        let proof = log.prove(index, &before).unwrap().unwrap();
        let leaf = log.leaf(index, size).unwrap().unwrap();
        proof.verify(&leaf, &key, &[]).unwrap();
    }
    let own = log.leaves_of_round("round_1").unwrap();
    let places: Vec<u64> = own.iter().map(|(index, _)| *index).collect();
    let expected: Vec<u64> = (0..600).filter(|number| number % 3 == 1).collect();
    assert_eq!(places, expected);
}

#[test]
fn partial_tiles_stay_until_the_full_one_is_there() {
    let rounds = rounds();
    rounds.append(0..3);
    rounds.append(3..5);
    let names: Vec<String> = rounds.files().into_keys().collect();
    let expected = [
        "checkpoint",
        "checkpoints/3",
        "checkpoints/5",
        "tile/0/000.p/3",
        "tile/0/000.p/5",
        "tile/entries/000.p/3",
        "tile/entries/000.p/5",
        "vkey",
    ];
    assert_eq!(names, expected);
    rounds.append(5..256);
    let names: Vec<String> = rounds.files().into_keys().collect();
    let tiles: Vec<&String> = names
        .iter()
        .filter(|name| name.starts_with("tile"))
        .collect();
    assert_eq!(tiles, ["tile/0/000", "tile/1/000.p/1", "tile/entries/000"]);
    assert!(rounds.check().holds());
}

#[test]
fn an_index_that_came_with_the_folder_hides_nothing() {
    let rounds = rounds();
    rounds.append(0..600);
    let log = rounds.log();
    let honest = log.leaves_of_round("round_1").unwrap();
    assert!(!honest.is_empty());
    // Whoever sends a folder keeps the key.
    file_ops::remove(&key_file(&rounds.folder)).unwrap();
    let index = rounds.folder.path().join(layout::LOG_STATE).join("index");
    for entry in fs::read_dir(index).unwrap() {
        file_ops::replace(&entry.unwrap().path(), b"").unwrap();
    }
    let found = log.leaves_of_round("round_1").unwrap();
    assert!(
        found == honest,
        "{} of {} leaves",
        found.len(),
        honest.len()
    );
}

#[test]
fn no_event_is_appended_twice() {
    let rounds = rounds();
    rounds.append(0..300);
    assert_eq!(rounds.append(290..310).added, 10);
    assert_eq!(rounds.append(0..310).added, 0);
    let twice = [event(400), event(400)];
    assert_eq!(rounds.log().append(&rounds.key, &twice).unwrap().added, 1);
    let state = rounds.folder.path().join(layout::LOG_STATE);
    fs::remove_dir_all(&state).unwrap();
    assert_eq!(rounds.append(0..310).added, 0);
    assert!(state.join("lock").exists());
    assert!(rounds.check().holds());
}

#[test]
fn a_crash_at_any_write_is_repaired_by_the_next_append() {
    let count = {
        let rounds = rounds();
        rounds.append(0..250);
        let present = rounds.log().checkpoint().unwrap();
        let leaves: Vec<Vec<u8>> = (250..520).map(|n| event(n).to_leaf().unwrap()).collect();
        let plan = rounds.log().plan(&rounds.key, present.as_ref(), &leaves);
        plan.unwrap().tiles.len()
    };
    assert!(count >= 6, "{count}");
    for writes in 0..=count {
        let rounds = rounds();
        rounds.append(0..250);
        let log = rounds.log();
        let present = log.checkpoint().unwrap();
        // The append that was cut off had other leaves than the one that comes after it.
        let leaves: Vec<Vec<u8>> = (700..970).map(|n| event(n).to_leaf().unwrap()).collect();
        let plan = log.plan(&rounds.key, present.as_ref(), &leaves).unwrap();
        log.write_tiles(&plan, writes).unwrap();
        assert_eq!(log.checkpoint().unwrap(), present, "the old log");
        assert!(rounds.check().holds());
        assert_eq!(rounds.append(250..254).size, 254);
        assert_eq!(rounds.append(254..530).size, 530);
        let checked = rounds.check();
        assert_eq!(checked.problems, [], "after {writes} writes");
    }
    let rounds = rounds();
    rounds.append(0..5);
    // The crash came between the checkpoint and its kept copy.
    rounds.take("checkpoints/5");
    rounds.append(5..6);
    assert!(rounds.check().holds());
    assert!(rounds.log().checkpoint_at(5).unwrap().is_some());
}

#[test]
fn every_changed_and_every_missing_file_is_found() {
    let rounds = rounds();
    rounds.append(0..200);
    rounds.append(200..300);
    rounds.append(300..301);
    assert!(rounds.check().holds());
    let files = rounds.files();
    assert!(files.len() >= 10);
    let mut mutations = 0;
    for (name, bytes) in &files {
        let places = [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1];
        for place in places {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            rounds.put(name, &changed);
            let found = rounds.check();
            assert!(!found.holds(), "{name}, byte {place}");
            mutations += 1;
        }
        rounds.put(name, &bytes[..bytes.len() - 1]);
        assert!(!rounds.check().holds(), "{name} cut");
        rounds.take(name);
        assert!(!rounds.check().holds(), "{name} removed");
        rounds.put(name, bytes);
        mutations += 2;
    }
    assert!(mutations > 60);
    rounds.put("tile/0/001.p/46", &[0; 46 * 32]);
    assert_eq!(rounds.check().problems[0].place, "tile/0/001.p/46");
    rounds.take("tile/0/001.p/46");
    rounds.put("checkpoints/302", &files["checkpoints/301"]);
    assert!(!rounds.check().holds());
    rounds.take("checkpoints/302");
    assert!(rounds.check().holds());
}

#[test]
fn leaves_that_changed_their_places_are_found() {
    let rounds = rounds();
    rounds.append(0..4);
    let good = rounds.files()["tile/entries/000.p/4"].clone();
    let leaves: Vec<&[u8]> = tiles::leaves_of(&good).unwrap();
    let orders: [&[usize]; 4] = [&[1, 0, 2, 3], &[0, 1, 2], &[0, 1, 2, 2], &[0, 1, 2, 3, 3]];
    for order in orders {
        let moved = tiles::bundle(order.iter().map(|place| leaves[*place])).unwrap();
        rounds.put("tile/entries/000.p/4", &moved);
        assert!(!rounds.check().holds(), "{order:?}");
    }
    rounds.put("tile/entries/000.p/4", &good);
    assert!(rounds.check().holds());
}

#[test]
fn nothing_is_appended_to_a_log_that_was_changed() {
    let rounds = rounds();
    rounds.append(0..4);
    let mut hashes = rounds.files()["tile/0/000.p/4"].clone();
    hashes[40] ^= 1;
    rounds.put("tile/0/000.p/4", &hashes);
    let refused = rounds.log().append(&rounds.key, &[event(9)]).unwrap_err();
    assert!(
        refused.to_string().contains("nothing was appended"),
        "{refused}"
    );
}

#[test]
fn the_key_is_private_and_the_log_has_one() {
    let rounds = rounds();
    let file = key_file(&rounds.folder);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = LogKey::load(&file).unwrap().unwrap();
    assert_eq!(again.verifier(), rounds.key.verifier());
    assert_eq!(again.salt("r", "p"), rounds.key.salt("r", "p"));
    assert_ne!(again.salt("r", "p"), again.salt("r", "q"));
    let second = LogKey::create(&rounds.log(), &file, "other.example", &[6; 32]);
    assert!(second.unwrap_err().to_string().contains("already"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let refused = LogKey::load(&file).unwrap_err().to_string();
    assert!(refused.contains("chmod 600"), "{refused}");
    let elsewhere = rounds.folder.path().join("other.key");
    let other = LogFolder::of_rounds(&rounds.folder.path().join("other"));
    let other = LogKey::create(&other, &elsewhere, "log.example", &[6; 32]).unwrap();
    let refused = rounds.log().append(&other, &[event(0)]).unwrap_err();
    assert!(refused.to_string().contains("another one"), "{refused}");
    assert_eq!(
        LogKey::load(Path::new("nowhere/log.key"))
            .unwrap()
            .map(|_| ()),
        None
    );
}

#[test]
fn a_key_without_its_public_half_is_taken_up() {
    let rounds = rounds();
    rounds.take("vkey");
    let key = LogKey::create(&rounds.log(), &key_file(&rounds.folder), "x", &[7; 32]).unwrap();
    assert_eq!(key.verifier(), rounds.key.verifier());
    assert!(rounds.log().verifier().unwrap().is_some());
}

#[test]
fn concurrent_appends_all_reach_the_log() {
    let rounds = rounds();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let rounds = &rounds;
            scope.spawn(move || {
                for number in 0..20 {
                    rounds.append(number..number + 2);
                    rounds.append(1000 * worker + number..1000 * worker + number + 1);
                }
            });
        }
    });
    let checked = rounds.check();
    assert_eq!(checked.problems, []);
    assert_eq!(checked.checkpoint.unwrap().size, 21 + 3 * 20);
}

#[test]
fn a_note_of_endless_leaves_costs_nothing() {
    let rounds = rounds();
    rounds.append(0..300);
    let note = rounds
        .folder
        .path()
        .join(layout::LOG_STATE)
        .join("intended");
    for endless in ["18446744073709551615", "-1", "soon"] {
        file_ops::replace(&note, endless.as_bytes()).unwrap();
        assert_eq!(rounds.check().problems, []);
        rounds.append(0..301);
    }
}

#[test]
fn a_key_lies_outside_of_repositories_and_is_missing_only_where_there_is_none() {
    let rounds = rounds();
    let ignore = rounds.folder.path().join(layout::STATE).join(".gitignore");
    assert_eq!(fs::read_to_string(ignore).unwrap(), "*\n");
    let file = key_file(&rounds.folder);
    assert!(
        LogKey::load(&file.with_file_name("other.key"))
            .unwrap()
            .is_none()
    );
    assert!(LogKey::load(&file.join("inside")).is_err());
}

#[test]
fn an_exported_log_matches_one_checkpoint_and_holds_no_key() {
    let rounds = rounds();
    rounds.append(0..300);
    rounds.put("log.key", b"secret");
    let (state, files) = rounds.log().public_files().unwrap().unwrap();
    assert_eq!(state.checkpoint.size, 300);
    assert!(!files.contains_key("log/log.key"));
    rounds.take("log.key");
    let mut expected: Vec<String> = rounds.files().into_keys().collect();
    expected.retain(|path| !path.starts_with("salts/"));
    let found: Vec<&str> = files
        .keys()
        .filter_map(|path| path.strip_prefix("log/"))
        .collect();
    assert_eq!(found, expected);
}
