//! A round of the demo's market, played step by step with a key.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::fake_clock::{FakeClock, Manner};
use crate::harness::{Ran, Test, copy_tree, program};

/// The round.
pub(crate) const NAME: &str = "SIGNED-2026-09-14-1W";
/// After everything.
pub(crate) const NOW: &str = "2026-09-25T12:00:00Z";

/// The steps up to the record.
const STEPS: [&str; 7] = [
    "keys init --rounds-dir signed --name log.example",
    "init-round --round-id SIGNED-2026-09-14-1W --horizon one+week --universe-version v1.5 \
     --models models.yaml --rounds-dir signed --synthetic \
     --decision-deadline 2026-09-14T13:25:00Z --now 2026-09-14T11:00:00Z",
    "import-research --round signed/SIGNED-2026-09-14-1W --market-fact-report research/facts.md \
     --audit-report research/audit.md --final-briefing research/briefing.md \
     --research-cutoff-utc 2026-09-14T11:10:00Z",
    "fetch-universe-performance --round signed/SIGNED-2026-09-14-1W --as-of-date 2026-09-11 \
     --source csv --histories histories",
    "hash-round --round signed/SIGNED-2026-09-14-1W --now 2026-09-14T11:30:00Z",
    "run-round --round signed/SIGNED-2026-09-14-1W --models models.yaml --mock --run-type official \
     --run-id official --seed 3 --retry-pause 0 --quiet --now 2026-09-14T12:00:00Z",
    "accept-run --round signed/SIGNED-2026-09-14-1W --run-id official --now 2026-09-14T12:30:00Z",
];
const RESOLUTION: &str =
    "resolve-due --rounds-dir signed --source csv --histories histories --now 2026-09-22T00:15:00Z";

/// The folder in which it was played.
pub(crate) struct SignedRound(Test);

/// Models, histories and research as `demo` of this very program makes them. The first test that
/// needs them makes them for all.
pub(crate) fn demo_inputs() -> PathBuf {
    let made = fs::metadata(program()).expect("the program");
    let time = made.modified().expect("a time");
    let time = time.duration_since(UNIX_EPOCH).expect("a time").as_nanos();
    let shared = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("demo-inputs-{time}"));
    if shared.is_dir() {
        return shared;
    }
    let test = Test::operator("");
    test.run(&["demo", "--no-serve", "--output", "stage"])
        .code(0);
    let fresh = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let stage = test.path("stage");
    for name in ["histories", "research"] {
        copy_tree(&stage.join(name), &fresh.path().join(name));
    }
    let models = "models.yaml";
    fs::copy(stage.join(models), fresh.path().join(models)).expect("a copied file");
    // Another test may have been quicker.
    if fs::rename(fresh.path(), &shared).is_ok() {
        let _ = fresh.keep();
    }
    assert!(shared.is_dir(), "no inputs of the demo");
    shared
}

impl SignedRound {
    /// An empty folder of rounds beside what the steps need.
    fn prepared() -> Self {
        let test = Test::operator("signed/SIGNED-2026-09-14-1W");
        copy_tree(&demo_inputs(), test.folder());
        fs::create_dir(test.path("signed")).expect("a folder");
        Self(test)
    }

    /// Played until a run is the record.
    pub(crate) fn accepted() -> Self {
        let round = Self::prepared();
        for step in STEPS {
            round.step(step);
        }
        round
    }

    /// Created two days before its entry, with these steps taken right after, and then accepted.
    pub(crate) fn claimed(claims: &[&str]) -> Self {
        let round = Self::claimed_and_asked(claims);
        round.step(STEPS[STEPS.len() - 1]);
        round
    }

    /// The same without the acceptance.
    pub(crate) fn claimed_and_asked(claims: &[&str]) -> Self {
        let round = Self::prepared();
        for step in &STEPS[..STEPS.len() - 1] {
            round.step(&step.replace("2026-09-14T11:00:00Z", "2026-09-12T11:00:00Z"));
            if step.starts_with("init-round") {
                for claim in claims {
                    round.step(claim);
                }
            }
        }
        round
    }

    /// Played until the result, with freeze, picks and result stamped by an outside clock.
    pub(crate) fn stamped(clock: &FakeClock) -> Self {
        Self::played(clock, "")
    }

    /// The same, promised by the manifest.
    pub(crate) fn anchored(clock: &FakeClock) -> Self {
        Self::played(clock, " --proof anchored")
    }

    fn played(clock: &FakeClock, promise: &str) -> Self {
        let round = Self::prepared();
        for step in STEPS {
            match step.split_once(' ') {
                Some(("init-round", _)) => round.step(&format!("{step}{promise}")),
                // A promised stamp of the picks can only follow.
                Some(("accept-run", _)) if !promise.is_empty() => drop(round.say(step)),
                _ => round.step(step),
            }
            if step.starts_with("hash-round") {
                round.stamp(clock, "2026-09-14T11:31:00Z");
            }
        }
        round.stamp(clock, "2026-09-14T12:31:00Z");
        round.step(RESOLUTION);
        round.stamp(clock, "2026-09-22T00:20:00Z");
        round
    }

    fn stamp(&self, clock: &FakeClock, at: &str) {
        clock.behave(Manner::At(at.parse().expect("an instant")));
        let (url, root) = (clock.url(), clock.root_file());
        let given = ["--tsa", &url, "--tsa-root", &root, "--now", at];
        self.0
            .run(&[&["anchor", "--rounds-dir", "signed"], &given[..]].concat())
            .code(0)
            .says("existed before");
    }

    /// Played until the result.
    pub(crate) fn resolved() -> Self {
        let round = Self::accepted();
        round.resolve();
        round
    }

    /// Plays on until the result.
    pub(crate) fn resolve(&self) {
        self.step(RESOLUTION);
    }

    fn step(&self, words: &str) {
        self.say(words).code(0);
    }

    pub(crate) fn say(&self, words: &str) -> Ran {
        let typed: Vec<String> = words
            .split_whitespace()
            .map(|word| word.replace('+', " "))
            .collect();
        let typed: Vec<&str> = typed.iter().map(String::as_str).collect();
        self.0.run(&typed)
    }

    /// Where it was played.
    pub(crate) fn test(&self) -> &Test {
        &self.0
    }

    /// The folder of rounds.
    pub(crate) fn rounds(&self) -> PathBuf {
        self.0.path("signed")
    }
}
