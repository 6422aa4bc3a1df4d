//! The layer of `tests/prove/faults.c` below the program: calls that fail, kill, or tell another time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use tempfile::TempDir;

use crate::harness::{Ran, Test};

/// The built layer.
pub(crate) struct FaultyLayer(PathBuf);

impl FaultyLayer {
    /// The layer of this source; the first test that needs it compiles it for all of them.
    pub(crate) fn build() -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/prove/faults.c");
        let text = fs::read(&source).expect("the source of the layer");
        let name = format!("faults-{}.so", &Digest::of(&text).to_hex()[..16]);
        let layer = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if layer.exists() {
            return Self(layer);
        }
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
        let fresh = folder.path().join("faults.so");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&fresh)
            .args([source.as_os_str(), "-ldl".as_ref()])
            .output()
            .expect("the C compiler that also links this test");
        assert!(built.status.success(), "{built:?}");
        fs::rename(&fresh, &layer).expect("a layer under its name");
        Self(layer)
    }

    /// The library to load below a program.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs the program above it, with what the layer is told.
    pub(crate) fn run(&self, test: &Test, told: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let layer = self.0.display().to_string();
        test.run_with(
            &[&[("LD_PRELOAD", layer.as_str())], told].concat(),
            arguments,
        )
    }
}

/// Commands that write the record of a round; for real rounds they take no `--now`.
const RECORDING: [&str; 12] = [
    "accept-run",
    "automation-cancel",
    "automation-retry",
    "fetch-prices",
    "hash-round",
    "publish-report",
    "publish-round-summary",
    "resolve-due",
    "run-round",
    "score-round",
    "update-interim-performance",
    "void-round",
];

/// Variables that stop the machine's clock at an instant for a program, however slow the machine is.
pub(crate) fn still_clock(at: Timestamp) -> [(&'static str, String); 3] {
    let layer = FaultyLayer::build().path().display().to_string();
    [
        ("LD_PRELOAD", layer),
        ("CLOCK_START", at.as_second().to_string()),
        ("CLOCK_STILL", "1".to_owned()),
    ]
}

/// The arguments without `--now`, and the variables that set the machine's clock to that instant
/// instead: what the tests of recording commands do to the time. The clock stands there, so that no
/// second passes on a slow machine; `CLOCK_STILL=0` lets it go on.
pub(crate) fn clocked<'a>(arguments: &[&'a str]) -> (Vec<&'a str>, Vec<(String, String)>) {
    let given = arguments.iter().position(|word| *word == "--now");
    let records = arguments
        .first()
        .is_some_and(|verb| RECORDING.contains(verb));
    let (Some(at), true) = (given, records) else {
        return (arguments.to_vec(), Vec::new());
    };
    let instant = arguments.get(at + 1).and_then(|text| text.parse().ok());
    let Some(instant): Option<Timestamp> = instant else {
        return (arguments.to_vec(), Vec::new());
    };
    let rest = [&arguments[..at], &arguments[at + 2..]].concat();
    let clock = still_clock(instant).map(|(name, value)| (name.to_owned(), value));
    (rest, clock.to_vec())
}
