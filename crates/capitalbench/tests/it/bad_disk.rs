//! Disks that are full or may not be written: a clear message, and the round as it was.
//!
//! Small disks are mounted in a mount namespace of their own, so that nothing of it is left.
//! Where the machine does not allow that, the case is skipped with its reason.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::harness::{PENDING, RUN, Ran, Test, WEEKLY, changes, copy_tree, fixtures, program};

/// A shell script's exit code when the program changed something that it should not have.
const CHANGED: i32 = 99;

/// Mounts `$1` as a small disk, copies the rounds of `$2` to it, runs `$3` to prepare it, then the
/// rest as the program; complains when the program left a trace.
const SCRIPT: &str = r#"
disk=$1; rounds=$2; prepare=$3; shift 3
mount -t tmpfs -o size=2m tmpfs "$disk" || exit 98
cp -r "$rounds"/. "$disk" && cd "$disk" || exit 98
state() { find . | sort; find . -type f -exec sha256sum {} + | sort; }
eval "$prepare" || exit 98
before=$(state)
"$@"
code=$?
[ "$before" = "$(state)" ] || { state >&2; exit 99; }
exit $code
"#;

const FULL: &str = "dd if=/dev/zero of=filler bs=4k 2>/dev/null; test -s filler";
/// One block is left: the first of several files fits, the next does not.
const NEARLY_FULL: &str = "dd if=/dev/zero of=filler bs=4k 2>/dev/null; truncate -s -4096 filler";
const READ_ONLY: &str = "mount -o remount,bind,ro .";

/// How to get a mount namespace here, or why there is none.
fn namespace() -> Result<&'static [&'static str], String> {
    let candidates: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-Urm"]];
    let mut reason = String::new();
    for words in candidates {
        let probe = tempfile::TempDir::new().expect("a temporary folder");
        let output = Command::new(words[0])
            .args(&words[1..])
            .args(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(probe.path())
            .output();
        match output {
            Ok(output) if output.status.success() => return Ok(words),
            Ok(output) => reason = String::from_utf8_lossy(&output.stderr).replace('\n', " "),
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason)
}

/// Runs the program on a small disk prepared by a shell command.
fn on_disk(rounds: &Path, prepare: &str, arguments: &[&str]) -> Option<Ran> {
    let words = match namespace() {
        Ok(words) => words,
        Err(reason) => {
            // Even on CI: no test can mount what the machine forbids.
            eprintln!("skipped: this machine lets us mount no small disk ({reason})");
            return None;
        }
    };
    let disk = tempfile::TempDir::new().expect("a temporary folder");
    let output = Command::new(words[0])
        .args(&words[1..])
        .args(["sh", "-c", SCRIPT, "sh"])
        .args([disk.path(), rounds])
        .arg(prepare)
        .arg(program())
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("unshare starts");
    Some(Ran::new(&arguments.join(" "), output))
}

/// The round before each command: what the command writes is not there yet.
fn before(verb: &str) -> Test {
    let test = Test::weekly();
    match verb {
        "score-round" => test.remove(&format!("{RUN}/results")),
        "validate-submissions" => test.remove(&format!("{RUN}/submissions/parsed")),
        // Its outcome is not known yet.
        "accept-run" => Test::round(PENDING),
        _ => test.remove("hashes.json"),
    }
}

const WRITERS: [&str; 4] = [
    "score-round",
    "validate-submissions",
    "hash-round",
    "accept-run",
];

/// A writer on the weekly round.
fn call(verb: &'static str) -> Vec<&'static str> {
    match verb {
        "accept-run" => vec![verb, "--round", PENDING, "--run-id", "official-1"],
        _ => vec![verb, "--round", WEEKLY],
    }
}

#[test]
fn a_full_disk_leaves_the_round_as_it_was() {
    for verb in WRITERS {
        let test = before(verb);
        let arguments = call(verb);
        let Some(ran) = on_disk(test.folder(), FULL, &arguments) else {
            return;
        };
        ran.code(2)
            .complains("no space left; free some space and run again");
    }
}

#[test]
fn a_disk_that_fills_up_half_way_leaves_the_round_as_it_was() {
    for verb in ["score-round", "validate-submissions"] {
        let part = Test::weekly().remove(&format!("{RUN}/results/outcomes.json"));
        for test in [before(verb), part] {
            let arguments = call(verb);
            let Some(ran) = on_disk(test.folder(), NEARLY_FULL, &arguments) else {
                return;
            };
            ran.code(2).complains("no space left");
        }
    }
}

/// The script must see a change, or the tests above prove nothing.
#[test]
fn a_disk_with_space_is_written_to() {
    let test = before("hash-round");
    let arguments = ["hash-round", "--round", WEEKLY];
    if let Some(ran) = on_disk(test.folder(), "true", &arguments) {
        ran.code(CHANGED);
    }
}

#[test]
fn a_read_only_disk_is_explained() {
    for verb in WRITERS {
        let test = before(verb);
        let arguments = call(verb);
        let Some(ran) = on_disk(test.folder(), READ_ONLY, &arguments) else {
            return;
        };
        ran.code(2)
            .complains("the disk is read-only or you may not write there");
    }
}

#[test]
fn reading_needs_no_writable_disk() {
    let rounds = fixtures().join("rounds");
    for arguments in [
        &["verify", "."][..],
        &["audit-round", "--round", WEEKLY],
        &["list-runs", "--round", WEEKLY],
        &["hash-round", "--round", WEEKLY, "--check"],
        &["score-round", "--round", WEEKLY, "--dry-run"],
        &["show-controls", "--round", WEEKLY],
    ] {
        let Some(ran) = on_disk(&rounds, READ_ONLY, arguments) else {
            return;
        };
        ran.code(0);
    }
}

/// A limit on the size of files needs no mount and no special user.
#[test]
fn a_write_that_the_system_cuts_short_leaves_nothing_behind() {
    for verb in WRITERS {
        let test = before(verb);
        let tree = test.tree();
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(program())
            .args(call(verb))
            .current_dir(test.folder())
            .output()
            .unwrap();
        let ran = Ran::new(verb, output).code(2).complains("File too large");
        assert_eq!(changes(&tree, &test.tree()), [""; 0], "{ran}");
    }
}

#[test]
fn a_forbidden_folder_is_explained() {
    // The build folder may be out of reach for others; a copy in a folder of its own is not.
    let home = tempfile::TempDir::new().unwrap();
    let copy = home.path().join("capitalbench");
    fs::copy(program(), &copy).unwrap();
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
    mode(home.path(), 0o755).unwrap();
    for (verb, folder) in [
        ("score-round", RUN),
        ("validate-submissions", "runs/official-1/submissions"),
        ("hash-round", "."),
        ("accept-run", RUN),
    ] {
        let test = before(verb);
        let forbidden = test.file(folder);
        let tree = test.tree();
        mode(test.folder(), 0o755).unwrap();
        mode(&forbidden, 0o555).unwrap();
        let output = as_ordinary_user(&test, &copy, &call(verb));
        mode(&forbidden, 0o755).unwrap();
        let Some(output) = output else { return };
        let ran = Ran::new(verb, output).code(2);
        let ran = ran.complains("you may not write there; check the permissions of the folder");
        assert_eq!(changes(&tree, &test.tree()), [""; 0], "{ran}");
    }
}

/// Runs the program as somebody whom permissions bind; none when there is nobody else to be.
fn as_ordinary_user(test: &Test, reachable: &Path, arguments: &[&str]) -> Option<Output> {
    let id = Command::new("id").arg("-u").output().ok()?;
    let mut command = if id.stdout == b"0\n" {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(reachable);
        command
    } else {
        Command::new(program())
    };
    let output = command.args(arguments).current_dir(test.folder()).output();
    output
        .inspect_err(|error| eprintln!("skipped: we cannot become somebody else ({error})"))
        .ok()
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let rounds = tempfile::TempDir::new().unwrap();
    copy_tree(&fixtures().join("rounds"), rounds.path());
    for arguments in [&["verify", "."][..], &["verify", ".", "--json"]] {
        let output = Command::new(program())
            .args(arguments)
            .current_dir(rounds.path())
            .stdout(fs::File::options().write(true).open(full).unwrap())
            .output()
            .unwrap();
        Ran::new(&arguments.join(" "), output)
            .code(2)
            .complains("standard output could not be written: No space left");
    }
}
