//! One builder for all tests: copy a fixture, spoil it, run the program, look at what it did.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::faulty_layer::clocked;

/// The resolved weekly round, the one that most tests start from.
pub(crate) const WEEKLY: &str = "weekly-portfolio-resolved";
/// The resolved monthly round with a consistency run.
pub(crate) const MONTHLY: &str = "monthly-single-pick-resolved";
/// A round that waits for its exit close in 2099.
pub(crate) const PENDING: &str = "weekly-portfolio-pending";
/// The official run of every fixture, inside its round.
pub(crate) const RUN: &str = "runs/official-1";

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The built program.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_capitalbench")
}

/// A number that `scripts/prove` raises.
pub(crate) fn raised(variable: &str, usual: usize) -> usize {
    let given = std::env::var(variable).ok();
    given.map_or(usual, |text| text.parse().expect("a number"))
}

/// The program with these arguments; `--now` of a command that writes a record sets the clock.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let (typed, clock) = clocked(arguments);
    let mut command = Command::new(program());
    command.args(typed).envs(clock);
    command
}

/// A temporary folder of rounds in which the program runs.
pub(crate) struct Test {
    folder: TempDir,
    /// The round that edits go to.
    round: &'static str,
}

impl Test {
    /// A copy of one good fixture.
    pub(crate) fn round(name: &'static str) -> Self {
        Self::copy("rounds", name)
    }

    /// A copy of one broken fixture.
    pub(crate) fn broken(name: &'static str) -> Self {
        Self::copy("broken", name)
    }

    /// A copy of the resolved weekly round.
    pub(crate) fn weekly() -> Self {
        Self::round(WEEKLY)
    }

    /// Copies of all good fixtures; edits go to the weekly one.
    pub(crate) fn all_rounds() -> Self {
        let test = Self::weekly();
        for name in [MONTHLY, PENDING] {
            copy_tree(&fixtures().join("rounds").join(name), &test.path(name));
        }
        test
    }

    /// A copy of what an operator starts from; edits go to a round that is not there yet.
    pub(crate) fn operator(round: &'static str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        copy_tree(&fixtures().join("operate"), folder.path());
        Self { folder, round }
    }

    /// A copy of any round under a name.
    pub(crate) fn round_at(path: &Path, name: &'static str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        copy_tree(path, &folder.path().join(name));
        Self {
            folder,
            round: name,
        }
    }

    /// A copy of everything as it is now, the modes of files included; in memory where the machine
    /// has a folder there, for tests that need hundreds.
    pub(crate) fn again(&self) -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
        let folder = folder.expect("a temporary folder");
        let copied = Command::new("cp")
            .arg("-a")
            .args([&self.folder().join("."), folder.path()])
            .status();
        assert!(copied.expect("cp starts").success());
        Self {
            folder,
            round: self.round,
        }
    }

    fn copy(kind: &str, name: &'static str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        copy_tree(&fixtures().join(kind).join(name), &folder.path().join(name));
        Self {
            folder,
            round: name,
        }
    }

    /// The folder in which the program runs.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path below that folder.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// A path inside the round.
    pub(crate) fn file(&self, relative: &str) -> PathBuf {
        self.path(self.round).join(relative)
    }

    /// The bytes of a file of the round.
    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.file(relative)).expect("a file of the round")
    }

    /// Writes a file of the round, and the folders above it.
    pub(crate) fn write(self, relative: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.file(relative);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a new folder");
        fs::write(path, bytes).expect("a written file");
        self
    }

    /// Replaces a text that must occur in a file of the round; every occurrence goes.
    pub(crate) fn replace(self, relative: &str, old: &str, new: &str) -> Self {
        let text = self.read(relative);
        assert!(text.contains(old), "{relative} does not contain {old:?}");
        let text = text.replace(old, new);
        self.write(relative, text)
    }

    /// Removes a file or folder of the round.
    pub(crate) fn remove(self, relative: &str) -> Self {
        let path = self.file(relative);
        if path.is_dir() {
            fs::remove_dir_all(path).expect("a removed folder");
        } else {
            fs::remove_file(path).expect("a removed file");
        }
        self
    }

    /// Moves a file or folder of the round out of it and leaves a link in its place.
    pub(crate) fn link(self, relative: &str) -> Self {
        let (inside, outside) = (self.file(relative), self.path("moved-away"));
        fs::rename(&inside, &outside).expect("a moved file");
        std::os::unix::fs::symlink(&outside, &inside).expect("a link");
        self
    }

    /// Copies a folder of the round to another name inside it.
    pub(crate) fn duplicate(self, from: &str, to: &str) -> Self {
        copy_tree(&self.file(from), &self.file(to));
        self
    }

    /// Gives an edited round the digests of what it holds now.
    pub(crate) fn freeze_again(self) -> Self {
        let test = self.remove("hashes.json");
        test.run(&["hash-round", "--round", test.round]).code(0);
        test
    }

    /// Runs the program in the folder of the rounds.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(&[], arguments)
    }

    /// The same with variables; those of whoever runs the tests that hold keys are taken away.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let (typed, clock) = clocked(arguments);
        self.run_as_typed(&[&pairs(&clock), variables].concat(), &typed)
    }

    /// The same with `--now` as it stands, which real rounds refuse where a record is written.
    pub(crate) fn run_as_typed(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let output = Command::new(program())
            .args(arguments)
            .env_remove("TIINGO_API_KEY")
            .env_remove("TIINGO_BASE_URL")
            .env_remove("TIINGO_PLAN")
            .env_remove("ALPHAVANTAGE_PLAN")
            .env_remove("DATABASE_URL")
            .env_remove("SUPABASE_URL")
            .env_remove("SUPABASE_SERVICE_ROLE_KEY")
            .env_remove("SUPABASE_ANON_KEY")
            .env_remove("CAPITALBENCH_STATE_DIR")
            .env_remove("CAPITALBENCH_TSA_URLS")
            .env_remove("CAPITALBENCH_WITNESSES")
            .env_remove("CAPITALBENCH_OTS_URLS")
            .env_remove("CAPITALBENCH_ANCHOR_MAX_AGE_HOURS")
            // Tests compare trees; those of the cache ask for it.
            .env("CAPITALBENCH_NO_CACHE", "1")
            // The secret of the caches lies apart from the folder of the test.
            .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
            // The fake servers of the tests stand at this machine.
            .env("CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES", "1")
            .envs(variables.iter().copied())
            .current_dir(self.folder())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        Ran {
            arguments: arguments.join(" "),
            output,
        }
    }

    /// Every path below the folder with what it holds, links and folders included.
    pub(crate) fn tree(&self) -> BTreeMap<String, String> {
        tree_of(self.folder())
    }

    /// Runs the program and checks that it left every file as it was, and nothing new.
    pub(crate) fn run_without_trace(&self, arguments: &[&str]) -> Ran {
        let before = self.tree();
        let ran = self.run(arguments);
        assert_eq!(changes(&before, &self.tree()), [""; 0], "{ran}");
        ran
    }

    /// Codes of errors and warnings that `verify` finds in the round, in order, each once.
    pub(crate) fn codes(&self) -> Vec<String> {
        codes_of(&self.findings(), &["error", "warning"])
    }

    /// All findings of the round as `verify --json` prints them.
    pub(crate) fn findings(&self) -> Vec<Value> {
        let report = self.run(&["verify", self.round, "--json"]).json();
        let findings = report["rounds"][0]["findings"].as_array();
        findings.expect("findings").clone()
    }
}

fn pairs(owned: &[(String, String)]) -> Vec<(&str, &str)> {
    let own = owned.iter();
    own.map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// The codes of findings of these severities, each once.
pub(crate) fn codes_of(findings: &[Value], severities: &[&str]) -> Vec<String> {
    let text = |finding: &Value, member: &str| {
        let text = finding[member].as_str();
        text.expect("a text").to_owned()
    };
    let mut codes: Vec<String> = findings
        .iter()
        .filter(|finding| severities.contains(&text(finding, "severity").as_str()))
        .map(|finding| text(finding, "code"))
        .collect();
    codes.dedup();
    codes
}

/// Paths that differ between two trees, with what happened to them.
pub(crate) fn changes(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (path, bytes) in before {
        match after.get(path) {
            None => found.push(format!("{path} is gone")),
            Some(now) if now != bytes => found.push(format!("{path} changed")),
            Some(_) => {}
        }
    }
    let new = after.keys().filter(|path| !before.contains_key(*path));
    found.extend(new.map(|path| format!("{path} is new")));
    found
}

/// What the program did.
pub(crate) struct Ran {
    arguments: String,
    output: Output,
}

impl Ran {
    /// Wraps the output of a program that was started another way.
    pub(crate) fn new(arguments: &str, output: Output) -> Self {
        Self {
            arguments: arguments.to_owned(),
            output,
        }
    }

    /// Standard output as text.
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).expect("text on standard output")
    }

    /// Standard error as text.
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.output.stderr.clone()).expect("text on standard error")
    }

    /// Whether a signal that nobody can catch ended it.
    pub(crate) fn was_killed(&self) -> bool {
        self.output.status.signal() == Some(9)
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn code(self, expected: i32) -> Self {
        assert_eq!(self.output.status.code(), Some(expected), "{self}");
        self
    }

    /// Checks that it does not hold or could not run, and did not crash.
    #[track_caller]
    pub(crate) fn fails(self) -> Self {
        let code = self.output.status.code();
        assert!(matches!(code, Some(1 | 2)), "{self}");
        self
    }

    /// Checks that standard output holds a text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout().contains(text), "no {text:?} in {self}");
        self
    }

    /// Checks that standard error holds a text.
    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr().contains(text), "no {text:?} in {self}");
        self
    }

    /// Checks the whole of standard output.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert_eq!(self.stdout(), text, "{self}");
        self
    }

    /// Standard output as one JSON document.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.output.stdout)
            .unwrap_or_else(|error| panic!("{error} in {self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.output.status;
        writeln!(f, "capitalbench {} ({code})", self.arguments)?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        writeln!(f, "--- output\n{}", text(&self.output.stdout))?;
        writeln!(f, "--- errors\n{}", text(&self.output.stderr))
    }
}

/// Copies a folder with everything in it.
pub(crate) fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a new folder");
    for entry in fs::read_dir(from).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_tree(&path, &target);
        } else {
            // Bytes only: a file that may not be written must not stay so in its copy.
            let bytes = fs::read(&path).expect("a readable file");
            fs::write(&target, bytes).expect("a copied file");
        }
    }
}

/// Every path below a folder with what it holds, links and folders included.
pub(crate) fn tree_of(folder: &Path) -> BTreeMap<String, String> {
    let mut tree = BTreeMap::new();
    collect(folder, folder, &mut tree);
    tree
}

fn collect(root: &Path, folder: &Path, tree: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.strip_prefix(root).expect("a path below");
        let name = name.display().to_string();
        if path.is_symlink() {
            let target = fs::read_link(&path).expect("a link");
            tree.insert(name, format!("-> {}", target.display()));
        } else if path.is_dir() {
            tree.insert(name, "folder".to_owned());
            collect(root, &path, tree);
        } else {
            let bytes = fs::read(&path).expect("a readable file");
            tree.insert(name, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
