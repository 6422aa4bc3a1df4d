//! Links, pipes and bombs in the place of what the program expects: each is named and refused, and
//! nothing waits, follows or fills the memory.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use capitalbench_core::encoding::tar;

use crate::fake_models::{Answer, AskedRound, FakeModels, Wire};
use crate::faulty_layer::FaultyLayer;
use crate::harness::{MONTHLY, Ran, Test, WEEKLY, command, copy_tree, fixtures, program};
use crate::operator::{NOW, ROUND, frozen};
use crate::signed_round::{NAME, SignedRound};

/// Makes a pipe; whoever opens it waits for its other end.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo starts").success());
}

/// Runs the program, which must end by itself.
fn ends(test: &Test, arguments: &[&str]) -> Ran {
    let child = command(arguments)
        .current_dir(test.folder())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (ended, end) = channel();
    let process = child.id();
    thread::spawn(move || ended.send(child.wait_with_output()));
    let Ok(output) = end.recv_timeout(Duration::from_mins(1)) else {
        let _ = Command::new("kill").arg(process.to_string()).status();
        panic!("{arguments:?} waits for something that never comes");
    };
    Ran::new(&arguments.join(" "), output.expect("an ended process"))
}

#[test]
fn a_round_that_is_a_link_is_refused_by_name() {
    let test = Test::weekly();
    fs::create_dir(test.path("rounds")).expect("a folder");
    fs::create_dir(test.path("away")).expect("a folder");
    for name in [WEEKLY, MONTHLY] {
        let from = fixtures().join("rounds").join(name);
        let place = if name == WEEKLY { "away" } else { "rounds" };
        copy_tree(&from, &test.path(&format!("{place}/{name}")));
    }
    let link = format!("rounds/{WEEKLY}");
    symlink(format!("../away/{WEEKLY}"), test.path(&link)).expect("a link");
    let slash = format!("{link}/");
    for path in [&link, &slash] {
        for command in [
            &["audit-round", "--round", path][..],
            &["score-round", "--round", path],
            &["list-runs", "--round", path],
            &["hash-round", "--round", path, "--check"],
            &["publish-report", "--round", path],
        ] {
            test.run_without_trace(command)
                .code(2)
                .complains(&format!(
                    "{link}: is a symbolic link; a round is a plain folder"
                ))
                .complains("name the folder itself");
        }
    }
    for command in [
        &["status", "--rounds-dir", "rounds"][..],
        &["leaderboard", "--rounds-dir", "rounds"],
        &["resolve-due", "--rounds-dir", "rounds"],
        &["export", "--rounds-dir", "rounds", "--output", "out"],
    ] {
        test.run_without_trace(command)
            .code(2)
            .complains(&format!("{link}: is a symbolic link"));
    }
    // Verification names the link and goes on with the others.
    for path in ["rounds", &link, &slash] {
        test.run_without_trace(&["verify", path])
            .code(1)
            .says("unreadable-file  .\n")
            .says("is a symbolic link");
    }
    test.run(&["verify", "rounds"]).code(1).says(MONTHLY);
}

#[test]
fn folders_of_replaced_files_must_not_be_links() {
    for folder in ["prices/replaced", "runs/official-1/results/superseded"] {
        let test = Test::weekly();
        fs::create_dir(test.path("away")).expect("a folder");
        symlink(test.path("away"), test.file(folder)).expect("a link");
        test.run_without_trace(&["score-round", "--round", WEEKLY, "--correct", "x"])
            .code(2)
            .complains(&format!("{folder}: is a symbolic link"));
        test.run_without_trace(&["verify", WEEKLY]).code(1);
    }
}

#[test]
fn a_log_that_is_a_link_is_refused_by_name() {
    let round = SignedRound::resolved();
    for folder in [
        "log",
        "log/checkpoints",
        "log/anchors",
        "log/salts",
        "log/tile",
    ] {
        let test = round.test().again();
        let place = test.path("signed").join(folder);
        fs::create_dir_all(&place).expect("a folder");
        fs::rename(&place, test.path("moved")).expect("a moved folder");
        symlink(test.path("moved"), &place).expect("a link");
        let path = format!("signed/{NAME}");
        for command in [
            &["verify", "signed"][..],
            &["verify", &path],
            &["bundle", &path, "--output", "b.tar.zst"],
            &[
                "anchor",
                "--rounds-dir",
                "signed",
                "--tsa",
                "http://127.0.0.1:9",
            ],
        ] {
            let ran = test.run_without_trace(command).fails();
            let said = ran.stdout() + &ran.stderr();
            assert!(
                said.contains(&format!("{folder} is a symbolic link")),
                "{ran}"
            );
        }
    }
}

#[test]
fn a_manifest_that_is_not_a_file_is_an_error_and_not_a_missing_round() {
    type Make = fn(&Path);
    let kinds: [Make; 3] = [
        pipe,
        |path| fs::create_dir(path).expect("a folder"),
        |path| drop(UnixListener::bind(path).expect("a socket")),
    ];
    for make in kinds {
        let test = Test::all_rounds().remove("manifest.yaml");
        make(&test.file("manifest.yaml"));
        for command in [
            &["status", "--rounds-dir", "."][..],
            &["leaderboard", "--rounds-dir", "."],
            &["audit-round", "--round", WEEKLY],
            &["score-round", "--round", WEEKLY],
        ] {
            ends(&test, command)
                .code(2)
                .complains("manifest.yaml is not a regular file");
        }
        for path in [".", WEEKLY] {
            ends(&test, &["verify", path])
                .code(1)
                .says("unreadable-file  manifest.yaml")
                .says("is not a regular file");
        }
    }
}

#[test]
fn a_lock_must_be_a_plain_file() {
    let ask = |test: &Test, more: &[&str]| {
        let usual = "run-round --models models.yaml --mock --run-id r --round";
        let usual: Vec<&str> = usual.split(' ').chain([ROUND, "--now", NOW]).collect();
        ends(test, &[&usual, more].concat())
    };
    let begun = frozen();
    ask(&begun, &[]).code(0);
    let begun = begun.remove("runs/r/run_manifest.yaml");
    let new = frozen().write("runs/note.txt", "");
    for (start, lock, more) in [
        (&new, "runs/.lock", &[][..]),
        (&begun, "runs/r/.lock", &["--resume"]),
    ] {
        let made = || {
            let test = start.again();
            // Only a run that was begun has its lock already.
            let _ = fs::remove_file(test.file(lock));
            test
        };
        let test = made();
        pipe(&test.file(lock));
        ask(&test, more)
            .code(2)
            .complains("a pipe or a device; remove it");
        // A link is not followed: nothing is made where it leads.
        let test = made();
        symlink(test.path("elsewhere"), test.file(lock)).expect("a link");
        ask(&test, more)
            .code(2)
            .complains("a pipe or a device; remove it");
        assert!(!test.path("elsewhere").exists());
    }
}

/// A frame of one-byte runs that claims to be a gigabyte of files.
fn bomb() -> Vec<u8> {
    const BLOCK: u32 = 128 << 10;
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
    let mut block = |kind: u32, size: u32, content: &[u8]| {
        bytes.extend_from_slice(&(kind << 1 | size << 3).to_le_bytes()[..3]);
        bytes.extend_from_slice(content);
    };
    for file in 0..46 {
        let size = 500 * BLOCK;
        let name = format!("log/{file:03}");
        let head = tar::header(&name, usize::try_from(size).expect("a size")).expect("a header");
        block(0, 512, &head);
        (0..500).for_each(|_| block(1, BLOCK, b"x"));
    }
    block(0, 0, b"");
    bytes
}

#[test]
fn a_small_bundle_does_not_fill_the_memory() {
    let test = Test::weekly();
    let bomb = bomb();
    assert!((90_000..120_000).contains(&bomb.len()), "{}", bomb.len());
    fs::write(test.path("bomb.tar.zst"), bomb).expect("a bomb");
    // Half a gigabyte of addresses is enough for everything else.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 524288; exec \"$0\" \"$@\""])
        .arg(program())
        .args(["verify", "bomb.tar.zst"])
        .current_dir(test.folder())
        .output()
        .expect("the program starts");
    Ran::new("verify bomb.tar.zst", output)
        .code(2)
        .complains("bomb.tar.zst: unpacks to more than 2");
}

#[test]
fn the_file_of_this_machine_wins_over_the_shared_one() {
    let test = Test::weekly();
    let checked = |variables: &[(&str, &str)]| test.run_with(variables, &["db", "check"]).fails();
    let is_refused = |ran: &Ran| ran.stderr().contains("DATABASE_URL is not the address");
    let url = |word: &str| format!("DATABASE_URL={word}\n");
    let address = "postgresql://u@127.0.0.1:9/d";
    fs::write(test.path(".env"), url(address)).expect("a file");
    let shared = checked(&[]);
    assert!(!is_refused(&shared), "{shared}");
    // What the other file holds is no address, so whoever reads it says so.
    fs::write(test.path(".env.local"), url("local")).expect("a file");
    let local = checked(&[]);
    assert!(is_refused(&local), "{local}");
    let given = checked(&[("DATABASE_URL", address)]);
    assert!(!is_refused(&given), "{given}");
    // A file that cannot be read is no missing one.
    fs::remove_file(test.path(".env.local")).expect("a removed file");
    pipe(&test.path(".env.local"));
    ends(&test, &["db", "check"])
        .code(2)
        .complains(".env.local is not a regular file");
}

#[test]
fn a_deadline_that_passes_at_the_prompt_writes_no_run() {
    let server = FakeModels::start(Answer::decision);
    let round = AskedRound::new(&server, &[(Wire::ALL[0], "m", "")]);
    let test = round.test();
    let layer = FaultyLayer::build();
    let clock = test.path("clock");
    let asked = |run: &str, later: &str| {
        fs::write(&clock, "0").expect("a clock");
        let mut child = round
            .command_without_yes(run)
            .env("LD_PRELOAD", layer.path())
            .env("CLOCK_FILE", &clock)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = BufReader::new(child.stderr.take().expect("its words")).lines();
        while !said
            .next()
            .expect("a prompt")
            .expect("a line")
            .contains("type yes")
        {}
        fs::write(&clock, later).expect("a clock");
        let mut answer = child.stdin.take().expect("its input");
        answer.write_all(b"yes\n").expect("an answer");
        let rest: Vec<String> = said.map_while(Result::ok).collect();
        let status = child.wait().expect("an ended process");
        (status.code(), rest.join("\n"))
    };
    // Ten years: the deadline of the round is past then.
    let (code, said) = asked("late", "315360000");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the decision deadline has passed"), "{said}");
    assert_eq!(server.calls().len(), 0);
    assert!(!test.file("runs/late").exists());
    let (code, said) = asked("early", "5");
    assert_eq!(code, Some(0), "{said}");
    assert!(test.file("runs/early/slots.json").exists());
}
