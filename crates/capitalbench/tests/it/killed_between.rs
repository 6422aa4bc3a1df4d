//! kill -9 right before each file operation of a command, one operation at a time: what is there is
//! whole, and the next call of the same command does what the dead one owed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::check::check;

use crate::accept_run::unmarked;
use crate::due_rounds::{DUE, due_rounds, job, market};
use crate::faulty_layer::FaultyLayer;
use crate::harness::{RUN, Ran, Test, WEEKLY, changes, copy_tree, fixtures};
use crate::market::Row;
use crate::operator::{ARGUMENTS, NAME, NOW, ROUND, frozen};

/// Kills the command before each of its calls, each time in a fresh copy of a folder, and looks
/// at every state that this leaves; says how many states there were.
fn kill_at_every_call(start: &Test, arguments: &[&str], look: impl Fn(&Killed<'_>)) -> usize {
    kill_at_calls(start, arguments, 1, look)
}

/// The same before every so many calls.
fn kill_at_calls(
    start: &Test,
    arguments: &[&str],
    stride: usize,
    look: impl Fn(&Killed<'_>),
) -> usize {
    let layer = FaultyLayer::build();
    let mut seen = vec![traces(start)];
    for call in (1..).step_by(stride) {
        let test = start.again();
        let at = call.to_string();
        let ran = layer.run(&test, &[("KILL_AT", &at), QUICK], arguments);
        if !ran.was_killed() {
            ran.code(0);
            break;
        }
        let traces = traces(&test);
        if !seen.contains(&traces) {
            seen.push(traces);
            look(&Killed {
                test,
                layer: &layer,
            });
        }
    }
    seen.len() - 1
}

/// Flushing to the disk is for power cuts.
const QUICK: (&str, &str) = ("NO_FLUSH", "1");

/// A folder in which a command was killed.
struct Killed<'a> {
    test: Test,
    layer: &'a FaultyLayer,
}

impl Killed<'_> {
    fn run(&self, arguments: &[&str]) -> Ran {
        self.layer.run(&self.test, &[QUICK], arguments)
    }

    /// Runs a command that must leave everything as it is.
    fn run_without_trace(&self, arguments: &[&str]) -> Ran {
        let before = self.test.tree();
        let ran = self.run(arguments);
        assert_eq!(changes(&before, &self.test.tree()), [""; 0], "{ran}");
        ran
    }
}

/// A folder by what tells one state from another: of what never got its name, only that it is there.
fn traces(test: &Test) -> BTreeMap<String, String> {
    let hidden = |part: &str| match part.strip_prefix(".capitalbench-") {
        Some(_) => ".capitalbench-".to_owned(),
        None => part.to_owned(),
    };
    let named = test.tree().into_iter().map(|(path, text)| {
        let parts: Vec<String> = path.split('/').map(hidden).collect();
        let is_open = path.contains(".tmp") || path.contains("automation/lease-");
        (parts.join("/"), if is_open { String::new() } else { text })
    });
    named.collect()
}

/// Everything but whose turn it is and what only the log tells.
fn record_of(test: &Test) -> BTreeMap<String, String> {
    let mut tree = test.tree();
    tree.retain(|path, _| {
        let name = path.rsplit('/').next().unwrap_or_default();
        !path.contains("automation/lease-")
            && !path.contains(".capitalbench")
            && name != "log"
            && !path.split('/').any(|part| part == "log")
    });
    tree
}

/// The same of a log that holds.
fn signed_events(rounds: &Path, round: &str) -> Vec<String> {
    let found = check(&LogFolder::of_rounds(rounds), &mut |_, _| {}).expect("a log");
    assert_eq!(found.problems, []);
    events(rounds, round)
}

/// The events of a round, each as often as the log holds it.
fn events(rounds: &Path, round: &str) -> Vec<String> {
    let log = LogFolder::of_rounds(rounds);
    let leaves = log.leaves_of_round(round).expect("a log").into_iter();
    let name = |(_, leaf): (u64, Vec<u8>)| {
        let leaf: serde_json::Value = serde_json::from_slice(&leaf).expect("a leaf");
        ["event", "run_id", "model", "file"]
            .map(|member| leaf[member].to_string())
            .join(" ")
    };
    let mut all: Vec<String> = leaves.map(name).collect();
    // An inventory is taken whenever something is new, so a kill may make it two.
    all.retain(|event| !event.starts_with("\"round.files\""));
    all.sort_unstable();
    all
}

#[test]
fn a_half_made_round_is_ignored_and_the_next_call_makes_it() {
    let start = Test::operator(ROUND);
    copy_tree(
        &fixtures().join("rounds").join(WEEKLY),
        &start.path(&format!("rounds/{WEEKLY}")),
    );
    let init = [&["init-round", "--now", NOW], &ARGUMENTS[..]].concat();
    let whole = start.again();
    whole.run(&init).code(0);
    let staged = std::cell::Cell::new(0);
    let kills = kill_at_every_call(&start, &init, |killed| {
        let test = &killed.test;
        let entries = fs::read_dir(test.path("rounds"))
            .expect("a folder")
            .flatten();
        let hidden = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        let drafts = hidden
            .filter(|entry| entry.path().join("manifest.yaml").is_file())
            .count();
        staged.set(staged.get() + drafts);
        let made = test.path(ROUND).exists();
        for list in [&["status", "--json"][..], &["verify", "rounds", "--json"]] {
            let told = killed.run(list).code(0).json();
            let rounds = told["rounds"].as_array().expect("rounds");
            assert_eq!(rounds.len(), 1 + usize::from(made), "{list:?}");
        }
        let boards = ["leaderboard", "--rounds-dir", "rounds"];
        killed.run(&boards).code(0);
        let again = killed.run(&init);
        if made {
            again.code(2).complains("already exists");
        } else {
            again.code(0);
        }
        assert_eq!(changes(&record_of(&whole), &record_of(test)), [""; 0]);
    });
    assert!(kills > 10, "{kills}");
    assert!(staged.get() > 0, "no kill left a round half made");
}

#[test]
fn a_killed_end_of_a_round_is_signed_by_the_next_attempt() {
    let start = frozen();
    let keys = "keys init --rounds-dir rounds --name log.example";
    let keys: Vec<&str> = keys.split_whitespace().collect();
    start.run(&keys).code(0);
    start.run(&["hash-round", "--round", ROUND]).code(0);
    let void = ["void-round", ROUND, "--reason", "no", "--now", NOW];
    let whole = start.again();
    whole.run(&void).code(0);
    let expected = signed_events(&whole.path("rounds"), NAME);
    assert!(expected.len() > 2, "{expected:?}");
    let unsigned = std::cell::Cell::new(0);
    let kills = kill_at_every_call(&start, &void, |killed| {
        let test = &killed.test;
        let known = events(&test.path("rounds"), NAME).len();
        let buried = test.file("tombstone.json").exists();
        unsigned.set(unsigned.get() + usize::from(buried && known < expected.len()));
        killed.run(&void).code(0);
        assert_eq!(changes(&record_of(&whole), &record_of(test)), [""; 0]);
        assert_eq!(signed_events(&test.path("rounds"), NAME), expected);
    });
    assert!(kills > 5, "{kills}");
    assert!(unsigned.get() > 0, "no kill between tombstone and log");
}

#[test]
fn a_killed_acceptance_is_completed_scheduled_once_and_signed() {
    let folder = unmarked()
        .remove("automation")
        .remove(&format!("{RUN}/results"));
    let folder = folder.remove("prices");
    let keys = ["keys", "init", "--rounds-dir", ".", "--name", "log.example"];
    folder.run(&keys).code(0);
    folder.run(&["hash-round", "--round", WEEKLY]).code(0);
    let accept = [
        "accept-run",
        "--round",
        WEEKLY,
        "--run-id",
        "official-1",
        "--now",
        "2026-03-02T18:30:00Z",
        "--json",
    ];
    let whole = folder.again();
    whole.run(&accept).code(0);
    let expected = signed_events(whole.folder(), WEEKLY);
    let (job, acceptance) = (
        "automation/resolution_job.yaml",
        format!("{RUN}/acceptance.json"),
    );
    let unsigned = std::cell::Cell::new(0);
    let between = std::cell::Cell::new(0);
    let kills = kill_at_every_call(&folder, &accept, |killed| {
        let test = &killed.test;
        let accepted = test.file(&acceptance).exists();
        let scheduled = test.file(job).exists();
        assert!(scheduled || !accepted, "a record that nobody will resolve");
        between.set(between.get() + usize::from(scheduled && !accepted));
        let known = events(test.folder(), WEEKLY).len();
        unsigned.set(unsigned.get() + usize::from(accepted && known < expected.len()));
        // The dead process held the round; nobody waits for it.
        let again = killed.run(&accept);
        assert_eq!(again.code(0).json()["accepted"], true);
        assert_eq!(changes(&record_of(&whole), &record_of(test)), [""; 0]);
        assert_eq!(signed_events(test.folder(), WEEKLY), expected);
        killed.run_without_trace(&accept).code(0);
    });
    assert!(kills > 20, "{kills}");
    assert!(between.get() > 0, "no kill between job and acceptance");
    assert!(unsigned.get() > 0, "no kill between acceptance and log");
}

#[test]
fn a_killed_run_is_finished_and_signed() {
    let start = frozen();
    start
        .run(&["keys", "init", "--name", "log.example"])
        .code(0);
    let mut words: Vec<&str> = "run-round --models models.yaml --mock --run-type retrospective \
        --run-id r1 --retry-pause 0 --round"
        .split_whitespace()
        .collect();
    words.push(ROUND);
    let resume = [&words[..], &["--resume"]].concat();
    let unsigned = std::cell::Cell::new(0);
    let kills = kill_at_calls(&start, &words, 4, |killed| {
        let begun = killed.test.file("runs/r1/slots.json").exists();
        let unlogged = || {
            let told = killed.run(&["verify", "rounds", "--json"]).json();
            let findings = told["rounds"][0]["findings"].as_array().expect("findings");
            let of_log = |finding: &&serde_json::Value| finding["code"] == "file-not-logged";
            findings.iter().filter(of_log).count()
        };
        let finished = killed.test.file("runs/r1/validation_summary.json").exists();
        unsigned.set(unsigned.get() + usize::from(finished && unlogged() > 0));
        killed.run(if begun { &resume } else { &words }).code(0);
        assert_eq!(unlogged(), 0);
        killed
            .run_without_trace(&resume)
            .code(0)
            .says("r1 is finished");
    });
    assert!(kills > 20, "{kills}");
    assert!(unsigned.get() > 0, "no kill between run and log");
}

/// One round whose rows are final, in a folder with a key, and its market as files.
pub(crate) fn due() -> Test {
    let test = due_rounds(1);
    let folder = test.path("march");
    fs::create_dir(&folder).expect("a new folder");
    for (symbol, rows) in market() {
        let line = |row: &Row| {
            let (close, adjusted) = (row.close, row.adjusted);
            format!(
                "{},{close},{adjusted},{},{}\n",
                row.day, row.dividend, row.split
            )
        };
        let lines: String = rows.iter().map(line).collect();
        let history = format!("date,close,adj_close,dividend,split\n{lines}");
        fs::write(folder.join(format!("{symbol}.csv")), history).expect("a history");
    }
    let keys = [
        "keys",
        "init",
        "--rounds-dir",
        "rounds",
        "--name",
        "log.example",
    ];
    test.run(&keys).code(0);
    test.run(&["hash-round", "--round", "rounds/DUE-00"])
        .code(0);
    test
}

pub(crate) const MARCH: [&str; 6] = ["--source", "csv", "--histories", "march", "--now", DUE];

#[test]
fn a_killed_price_fetch_is_completed_and_signed() {
    let start = due();
    let fetch = [&["fetch-prices", "--round", "rounds/DUE-00"], &MARCH[..]].concat();
    let whole = start.again();
    whole.run(&fetch).code(0);
    let expected = signed_events(&whole.path("rounds"), "DUE-00");
    let unsigned = std::cell::Cell::new(0);
    let kills = kill_at_every_call(&start, &fetch, |killed| {
        let test = &killed.test;
        let rounds = test.path("rounds");
        let fetched = test.file("prices/provenance.json").exists();
        let known = events(&rounds, "DUE-00").len();
        unsigned.set(unsigned.get() + usize::from(fetched && known < expected.len()));
        let again = killed.run(&fetch);
        assert!(!again.stderr().contains("is held by"), "{again}");
        assert_eq!(signed_events(&rounds, "DUE-00"), expected, "{again}");
        assert_eq!(killed.run_without_trace(&fetch).code(2).stdout(), "");
    });
    assert!(kills > 20, "{kills}");
    assert!(unsigned.get() > 0, "no kill between prices and log");
}

#[test]
fn the_next_resolver_makes_the_boards_that_a_killed_one_owed() {
    let start = due();
    let resolve = [&["resolve-due", "--rounds-dir", "rounds"], &MARCH[..]].concat();
    let whole = start.again();
    whole.run(&resolve).code(0);
    let boards = |test: &Test| {
        let mut tree = test.tree();
        // Reports say as of when they are.
        let is_csv = |path: &str| Path::new(path).extension().is_some_and(|end| end == "csv");
        tree.retain(|path, _| path.starts_with("boards/") && is_csv(path));
        tree
    };
    let expected = boards(&whole);
    assert!(!expected.is_empty());
    let owed = std::cell::Cell::new(0);
    let kills = kill_at_calls(&start, &resolve, 5, |killed| {
        let test = &killed.test;
        let succeeded = job(test, "DUE-00")["status"] == "succeeded";
        owed.set(owed.get() + usize::from(succeeded && boards(test).is_empty()));
        // An attempt that died is tried again after a pause.
        let resolve = [&resolve[..7], &["--now", "2026-03-12T00:15:00Z"]].concat();
        killed.run(&resolve).code(0);
        assert_eq!(job(test, "DUE-00")["status"], "succeeded");
        assert_eq!(boards(test), expected);
        killed.run(&resolve).code(0).prints("nothing is due\n");
    });
    assert!(kills > 40, "{kills}");
    assert!(owed.get() > 0, "no kill between result and boards");
}

#[test]
fn a_dead_holder_is_replaced_at_once_and_a_living_one_is_waited_for() {
    let start = due();
    let fetch = [&["fetch-prices", "--round", "rounds/DUE-00"], &MARCH[..]].concat();
    // A lease of this very system, as the program writes it.
    let model = start.again();
    model.run(&fetch).code(0);
    let automation = fs::read_dir(model.file("automation"))
        .expect("a folder")
        .flatten();
    let mut leases = automation.map(|entry| entry.path());
    let lease = leases
        .find(|path| path.to_string_lossy().contains("lease-"))
        .expect("a lease");
    let lease = fs::read(lease).expect("a file");
    let lease: serde_json::Value = serde_json::from_slice(&lease).expect("a lease");
    let held_by = |pid: u32, host: Option<&str>| {
        let mut lease = lease.clone();
        lease["pid"] = pid.into();
        lease["released_at_utc"] = serde_json::Value::Null;
        lease["expires_at_utc"] = "2999-01-01T00:00:00Z".into();
        if let Some(host) = host {
            lease["host"] = host.into();
        }
        start
            .again()
            .write("automation/lease-000009.json", lease.to_string())
    };
    let mut child = Command::new("true").spawn().expect("a process");
    let dead = child.id();
    child.wait().expect("its end");
    held_by(dead, None).run(&fetch).code(0);
    let waits = |test: Test| {
        let before = test.tree();
        let ran = test
            .run(&fetch)
            .code(2)
            .complains("the round is free at 2999-01-01T00:00:00Z");
        assert_eq!(changes(&before, &test.tree()), [""; 0], "{ran}");
    };
    waits(held_by(std::process::id(), None));
    // Whether a process of another machine lives cannot be seen from here.
    waits(held_by(dead, Some("elsewhere/1/2")));
}
