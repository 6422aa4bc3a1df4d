//! What the events of one round say against each other.
//!
//! A file is fixed from a moment on: the files of an attempt when they are first told, the
//! submissions and the acceptance of a run when it is accepted, the research at the last freeze before
//! anybody is asked, and everything that was kept because something else took its place. Salts follow
//! from the round and the path, so an unchanged file has one sealed digest for ever: the events can be
//! compared with each other without opening a seal, also for files that nobody may read yet.
//!
//! `verify` reports what is found here, and nothing is appended that would be reported.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::attempt::Slot;
use capitalbench_core::ids::ModelId;
use capitalbench_proof::event::{Event, Fact, Place, Sealed};

use super::instants::Instants;
use super::replacements::Replacements;
use crate::layout::{self, run};
use crate::ledger;

/// How two events contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file that was fixed has other bytes, or is gone.
    FileChanged,
    /// Prices or results took the place of others, and no correction says why.
    Unexplained,
    /// Something stands in the log at a place where it cannot have happened.
    Place,
}

/// One event that contradicts an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Contradiction {
    pub(crate) kind: Kind,
    /// The later of the two leaves.
    pub(crate) leaf: u64,
    /// The file or the step it is about.
    pub(crate) about: String,
    pub(crate) text: String,
}

/// Every contradiction between the events of one round, which are in the order of the log.
pub(crate) fn contradictions(events: &[(u64, Event)]) -> Vec<Contradiction> {
    let mut files = FixedFiles::default();
    let mut replacements = Replacements::default();
    let mut instants = Instants::default();
    let mut is_inventory = false;
    for (leaf, event) in events {
        let fact = &event.fact;
        if is_inventory && !matches!(fact, Fact::Inventory { .. }) {
            files.end_of_inventories();
        }
        is_inventory = matches!(fact, Fact::Inventory { .. });
        files.take(*leaf, fact);
        replacements.take(*leaf, event);
        instants.take(*leaf, event);
    }
    if is_inventory {
        files.end_of_inventories();
    }
    let mut found = files.found;
    found.extend(replacements.into_found());
    found.extend(instants.into_found());
    found
}

/// A file of a round, and the leaf that fixed it.
#[derive(Clone, Copy)]
struct Fixed {
    leaf: u64,
    sealed: Sealed,
}

#[derive(Default)]
struct FixedFiles {
    /// Files that may not change any more.
    fixed: BTreeMap<String, Fixed>,
    /// Those of them that an event of an attempt or an acceptance names.
    named: BTreeSet<String>,
    /// Every file as the inventories tell it.
    told: BTreeMap<String, Fixed>,
    /// How often each run asks a model.
    replicates: BTreeMap<String, u32>,
    /// Runs whose acceptance is not followed by an inventory yet.
    just_accepted: BTreeSet<String>,
    research: Research,
    /// Whether a request has left: no later freeze lets the research change.
    is_asked: bool,
    found: Vec<Contradiction>,
}

/// Whether the research may still change.
#[derive(Default, PartialEq, Eq)]
enum Research {
    #[default]
    Open,
    /// The next inventories tell what was frozen.
    Freezing,
    Frozen,
}

impl FixedFiles {
    fn take(&mut self, leaf: u64, fact: &Fact) {
        match fact {
            // Only the last freeze before the first request counts.
            Fact::Freeze { .. } if !self.is_asked => {
                self.research = Research::Freezing;
                self.found.retain(|found| !is_research(&found.about));
            }
            Fact::Slots {
                run, replicates, ..
            } => {
                self.replicates.insert(run.clone(), *replicates);
            }
            Fact::AttemptBegin {
                place,
                attempt,
                record,
                ..
            } => {
                self.is_asked = true;
                self.attempt(leaf, (place, *attempt), &[("begun.json", Some(*record))]);
            }
            Fact::AttemptEnd {
                place,
                attempt,
                answer,
                record,
                ..
            } => {
                let files = [("ended.json", Some(*record)), ("answer", *answer)];
                self.attempt(leaf, (place, *attempt), &files);
            }
            Fact::Accepted { run, record, .. } => {
                self.just_accepted.insert(run.clone());
                self.name(leaf, of_run(run, run::ACCEPTANCE), *record);
            }
            Fact::Pick {
                run,
                file,
                submission,
            } => self.name(leaf, of_run(run, file), *submission),
            Fact::Inventory { bodies, gone, .. } => self.inventory(leaf, bodies, gone),
            _ => {}
        }
    }

    fn attempt(
        &mut self,
        leaf: u64,
        (place, attempt): (&Place, u32),
        files: &[(&str, Option<Sealed>)],
    ) {
        let replicates = self.replicates.get(&place.run).copied().unwrap_or(1);
        let Ok(model_id) = ModelId::parse(&place.model) else {
            return self.report(leaf, &place.model, "is no name of a model");
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

    /// An event other than an inventory tells the digest of a file.
    fn name(&mut self, leaf: u64, path: String, sealed: Sealed) {
        self.fix(&path, Fixed { leaf, sealed });
        self.named.insert(path);
    }

    fn fix(&mut self, path: &str, now: Fixed) {
        match self.fixed.get(path) {
            None => {
                self.fixed.insert(path.to_owned(), now);
            }
            Some(then) if then.sealed == now.sealed => {}
            Some(then) => {
                let text = format!("was fixed by leaf {} with other bytes", then.leaf);
                self.report(now.leaf, path, text);
            }
        }
    }

    fn inventory(&mut self, leaf: u64, bodies: &BTreeMap<String, Sealed>, gone: &[String]) {
        for path in gone {
            self.told.remove(path);
            if let Some(then) = self.fixed.get(path) {
                let text = format!("was fixed by leaf {} and is gone", then.leaf);
                self.report(leaf, path, text);
            }
        }
        for (path, sealed) in bodies {
            let now = Fixed {
                leaf,
                sealed: *sealed,
            };
            self.told.insert(path.clone(), now);
            if is_fixed_at_once(path) || self.fixed.contains_key(path) {
                self.fix(path, now);
            } else if is_research(path) && self.research == Research::Frozen {
                self.report(leaf, path, "was added after the research was frozen");
            }
        }
    }

    /// What the last inventories told is the state that freezes and acceptances before them fix.
    fn end_of_inventories(&mut self) {
        let accepted = std::mem::take(&mut self.just_accepted);
        let freezes = self.research == Research::Freezing;
        if freezes {
            // A later freeze may find other research than the one before it.
            self.fixed.retain(|path, _| !is_research(path));
            self.research = Research::Frozen;
        }
        let told: Vec<(String, Fixed)> = self
            .told
            .iter()
            .filter(|(path, _)| (freezes && is_research(path)) || is_submission_of(path, &accepted))
            .map(|(path, told)| (path.clone(), *told))
            .collect();
        for (path, told) in told {
            self.fix(&path, told);
        }
        self.missing();
    }

    /// Files that events name and inventories leave out were never told whole.
    fn missing(&mut self) {
        for path in std::mem::take(&mut self.named) {
            if !self.told.contains_key(&path)
                && let Some(then) = self.fixed.get(&path)
            {
                let leaf = then.leaf;
                self.report(leaf, &path, "is in no inventory that follows its event");
            }
        }
    }

    fn report(&mut self, leaf: u64, about: &str, text: impl Into<String>) {
        self.found.push(Contradiction {
            kind: Kind::FileChanged,
            leaf,
            about: about.to_owned(),
            text: text.into(),
        });
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

/// The run of a path and what lies inside it.
fn inside_run(path: &str) -> Option<(&str, &str)> {
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

/// Files that nobody ever writes twice: the ledger, and what was kept of things that were replaced.
fn is_fixed_at_once(path: &str) -> bool {
    let of_run = inside_run(path).is_some_and(|(_, inside)| {
        inside == run::SLOTS || is_below(inside, run::ATTEMPTS) || is_below(inside, run::SUPERSEDED)
    });
    of_run || is_below(path, layout::REPLACED_PRICES)
}
