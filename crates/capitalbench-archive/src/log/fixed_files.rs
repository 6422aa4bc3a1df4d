//! Files that must not change after an event has fixed them.
//!
//! The files of an attempt are fixed by the first event that names them; the decisions of a run and
//! its acceptance when it is accepted; inputs and research at the last freeze before a provider is
//! asked; a replaced file that is kept, at once. Salts follow from the round and the path, so an
//! unchanged file always has the same sealed digest: events can be compared with each other without
//! opening a seal, also for files that are not public yet.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::values::ids::ModelId;
use capitalbench_proof::event::{Event, Fact, Files, Instant, Place, Sealed};

use super::contradictions::{Found, Kind};
use crate::disk::layout::{self, run};
use crate::round::ending::exception_path;
use crate::run::ledger::{self, Repair};

/// A file of a round, and the leaf that fixed it.
#[derive(Clone, Copy)]
struct Fixed {
    leaf: u64,
    sealed: Sealed,
}

#[derive(Default)]
pub(super) struct FixedFiles {
    /// Files that must not change any more.
    fixed: BTreeMap<String, Fixed>,
    /// The fixed files that an event of an attempt or an acceptance names.
    named: BTreeSet<String>,
    /// Every file by the latest inventory that lists it.
    told: BTreeMap<String, Fixed>,
    /// The inventories of one append, which share an instant and name each file once.
    batch: Option<Batch>,
    /// Replicates of each run.
    replicates: BTreeMap<String, u32>,
    /// Runs with invented answers; they asked no provider.
    rehearsals: BTreeSet<String>,
    /// Accepted runs, before and after the inventory that follows the acceptance.
    just_accepted: BTreeSet<String>,
    accepted: BTreeSet<String>,
    /// The inputs of the last freeze.
    inputs: BTreeSet<String>,
    inputs_are: Inputs,
    /// Whether a request has left: no later freeze lets inputs and research change.
    is_asked: bool,
    /// Whether there is a result; it rests on the operator's exceptions for prices.
    is_scored: bool,
    pub(super) found: Found,
}

struct Batch {
    at: Instant,
    paths: BTreeSet<String>,
}

/// Whether inputs and research may still change.
#[derive(Default, PartialEq, Eq)]
enum Inputs {
    #[default]
    Open,
    /// The next inventories list what was frozen.
    Freezing,
    Frozen,
}

impl FixedFiles {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        if !self.continues(event) {
            self.end_of_batch();
        }
        if let Some((path, sealed)) = record_of(&event.fact) {
            self.name(leaf, path, sealed);
        }
        match &event.fact {
            // Only the last freeze before the first request counts.
            Fact::Freeze { inputs, .. } if !self.is_asked => self.freeze(inputs),
            Fact::Slots {
                run,
                replicates,
                calls,
                ..
            } => {
                self.replicates.insert(run.clone(), *replicates);
                if calls == "mock" {
                    self.rehearsals.insert(run.clone());
                }
            }
            Fact::AttemptBegin {
                place,
                attempt,
                record,
                ..
            } => {
                self.is_asked |= !self.rehearsals.contains(&place.run);
                self.attempt(leaf, place, *attempt, &[("begun.json", Some(*record))]);
            }
            Fact::AttemptEnd {
                place,
                attempt,
                answer,
                record,
                ..
            } => {
                let files = [("ended.json", Some(*record)), ("answer", *answer)];
                self.attempt(leaf, place, *attempt, &files);
            }
            Fact::Accepted { run, .. } => {
                self.just_accepted.insert(run.clone());
            }
            Fact::Score { .. } => self.is_scored = true,
            Fact::Correction { .. } => self.correct(),
            Fact::Inventory { bodies, gone, .. } => {
                self.join_batch(&event.at, bodies.keys().chain(gone));
                self.inventory(leaf, bodies, gone);
            }
            _ => {}
        }
    }

    /// Other prices and results need other exceptions.
    fn correct(&mut self) {
        self.fixed.retain(|path, _| !is_exception(path));
        self.is_scored = false;
    }

    /// Adds the paths of an inventory to the batch of its append.
    fn join_batch<'p>(&mut self, at: &Instant, paths: impl Iterator<Item = &'p String>) {
        let batch = self.batch.get_or_insert_with(|| Batch {
            at: at.clone(),
            paths: BTreeSet::new(),
        });
        batch.paths.extend(paths.cloned());
    }

    fn freeze(&mut self, inputs: &Files) {
        let before = std::mem::take(&mut self.inputs);
        let found = &mut self.found.0;
        found.retain(|found| !is_research(&found.about) && !before.contains(&found.about));
        // A later freeze may have other inputs.
        self.fixed
            .retain(|path, _| !is_research(path) && !before.contains(path));
        self.inputs = inputs.keys().cloned().collect();
        self.inputs.insert(layout::HASHES.to_owned());
        self.inputs.insert(layout::MODEL_INPUT.to_owned());
        self.inputs_are = Inputs::Freezing;
    }

    fn is_input(&self, path: &str) -> bool {
        is_research(path) || self.inputs.contains(path)
    }

    fn attempt(
        &mut self,
        leaf: u64,
        place: &Place,
        attempt: u32,
        files: &[(&str, Option<Sealed>)],
    ) {
        let replicates = self.replicates.get(&place.run).copied().unwrap_or(1);
        let Ok(model_id) = ModelId::parse(&place.model) else {
            return self.report(leaf, &place.model, "is not a model id");
        };
        let slot = Slot {
            model_id,
            replicate: place.replicate,
        };
        for (ending, sealed) in files {
            if let Some(sealed) = sealed {
                let path = ledger::path_of_attempt(replicates, &slot, attempt, ending);
                self.name(leaf, of_run(&place.run, &path), *sealed);
            }
        }
    }

    /// Fixes a file whose digest an event other than an inventory names.
    fn name(&mut self, leaf: u64, path: String, sealed: Sealed) {
        self.fix(&path, Fixed { leaf, sealed });
        self.named.insert(path);
    }

    fn fix(&mut self, path: &str, now: Fixed) {
        let then = *self.fixed.entry(path.to_owned()).or_insert(now);
        if then.sealed != now.sealed {
            let text = format!("was fixed by leaf {} with other bytes", then.leaf);
            self.report(now.leaf, path, text);
        }
    }

    fn inventory(&mut self, leaf: u64, bodies: &BTreeMap<String, Sealed>, gone: &[String]) {
        for path in gone {
            self.told.remove(path);
            if let Some(then) = self.fixed.get(path) {
                let text = format!("was fixed by leaf {} and is missing", then.leaf);
                self.report(leaf, path, text);
            }
        }
        for (path, sealed) in bodies {
            let sealed = *sealed;
            let now = Fixed { leaf, sealed };
            self.told.insert(path.clone(), now);
            if is_fixed_at_once(path) || self.fixed.contains_key(path) {
                self.fix(path, now);
            } else if self.is_input(path) && self.inputs_are == Inputs::Frozen {
                self.report(leaf, path, "was added after the freeze");
            } else if is_submission_of(path, &self.accepted) {
                self.report(leaf, path, "was added after its run was accepted");
            }
        }
    }

    /// Whether an event continues the batch of inventories before it.
    fn continues(&self, event: &Event) -> bool {
        match (&self.batch, &event.fact) {
            (None, _) => true,
            (Some(batch), Fact::Inventory { bodies, gone, .. }) => {
                let mut paths = bodies.keys().chain(gone);
                batch.at == event.at && !paths.any(|path| batch.paths.contains(path))
            }
            (Some(_), _) => false,
        }
    }

    /// Fixes the files of a finished batch of inventories that the freeze, the acceptances or the
    /// result before it cover.
    pub(super) fn end_of_batch(&mut self) {
        if self.batch.take().is_none() {
            return;
        }
        let accepted = std::mem::take(&mut self.just_accepted);
        let freezes = self.inputs_are == Inputs::Freezing;
        if freezes {
            self.inputs_are = Inputs::Frozen;
        }
        let is_due = |path: &str| {
            (freezes && self.is_input(path))
                || is_decided_in(path, &accepted)
                || (self.is_scored && is_exception(path) && !self.fixed.contains_key(path))
        };
        let told: Vec<(String, Fixed)> = self
            .told
            .iter()
            .filter(|(path, _)| is_due(path))
            .map(|(path, told)| (path.clone(), *told))
            .collect();
        self.accepted.extend(accepted);
        for (path, told) in told {
            self.fix(&path, told);
        }
        self.missing();
    }

    /// Reports files that an event names and no later inventory lists.
    fn missing(&mut self) {
        for path in std::mem::take(&mut self.named) {
            let fixed = self.fixed.get(&path).map(|then| then.leaf);
            if let Some(leaf) = fixed.filter(|_| !self.told.contains_key(&path)) {
                self.report(leaf, &path, "is in no inventory that follows its event");
            }
        }
    }

    fn report(&mut self, leaf: u64, about: &str, text: impl Into<String>) {
        self.found.add(Kind::FileChanged, leaf, about, text);
    }
}

/// The file that an event records, other than those of an attempt.
fn record_of(fact: &Fact) -> Option<(String, Sealed)> {
    match fact {
        Fact::Repaired {
            run,
            number,
            record,
            ..
        } => Some((of_run(run, &Repair::path(*number)), *record)),
        Fact::Accepted { run, record, .. } => Some((of_run(run, run::ACCEPTANCE), *record)),
        Fact::Pick {
            run,
            file,
            submission,
        } => Some((of_run(run, file), *submission)),
        Fact::Ended { record, .. } => Some((layout::TOMBSTONE.to_owned(), *record)),
        Fact::Explained { number, record, .. } => Some((exception_path(*number), *record)),
        _ => None,
    }
}

fn of_run(run: &str, file: &str) -> String {
    format!("{}/{run}/{file}", layout::RUNS)
}

fn is_research(path: &str) -> bool {
    is_below(path, layout::RESEARCH)
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// The run of a path, and the path inside the run.
pub(crate) fn inside_run(path: &str) -> Option<(&str, &str)> {
    let inside = path.strip_prefix(layout::RUNS)?.strip_prefix('/')?;
    inside.split_once('/')
}

fn is_submission_of(path: &str, runs: &BTreeSet<String>) -> bool {
    inside_run(path).is_some_and(|(run, inside)| {
        runs.contains(run)
            && inside != run::ERRORS
            && (is_below(inside, run::RAW) || is_below(inside, run::PARSED))
    })
}

/// Whether a file of one of these runs records the questions and decisions. Results come later, and
/// a new validation writes its summary again.
fn is_decided_in(path: &str, runs: &BTreeSet<String>) -> bool {
    inside_run(path).is_some_and(|(run, inside)| {
        let is_derived = [run::SUMMARY, run::ERRORS, run::CORRECTIONS].contains(&inside);
        runs.contains(run) && !is_derived && !is_below(inside, run::RESULTS)
    })
}

/// The operator's exceptions for prices, on which a result rests.
fn is_exception(path: &str) -> bool {
    let words = [layout::CROSS_CHECK_ACCEPTANCE, layout::UNPROVED_ACCEPTANCE];
    let fetched = [layout::SOURCE_EXCEPTION, layout::MOVE_EXCEPTION];
    words.contains(&path) || fetched.contains(&path)
}

/// Files that the program writes only once: the ledger, and kept copies of replaced files.
fn is_fixed_at_once(path: &str) -> bool {
    let of_run = inside_run(path).is_some_and(|(_, inside)| {
        let folders = [run::ATTEMPTS, run::REPAIRS, run::SUPERSEDED];
        inside == run::SLOTS || folders.iter().any(|folder| is_below(inside, folder))
    });
    let folders = [layout::REPLACED_PRICES, layout::LISTING_CHANGES];
    of_run || folders.iter().any(|folder| is_below(path, folder))
}
