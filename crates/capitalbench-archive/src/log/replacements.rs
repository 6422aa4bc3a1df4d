//! Prices and results that replaced others, and acceptances that came too late.
//!
//! From the first exit prices on the outcome is known. After that, replacing prices or results needs
//! a correction in a leaf of its own that says why, and accepting a run is too late.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_proof::event::{Event, Fact, Files};
use capitalbench_proof::merkle::Hash;

use super::contradictions::{Found, Kind};
use super::replaced_kind;

#[derive(Default)]
pub(super) struct Replacements {
    /// The first leaf with exit prices.
    exit: Option<u64>,
    /// The first leaf with a result.
    score: Option<u64>,
    /// The last leaf with a result.
    last_score: Option<u64>,
    /// The latest event of each kind.
    last: BTreeMap<String, Latest>,
    corrections: Vec<Corrected>,
    /// Prices that replaced others, by their leaf and the one before; a correction may still follow
    /// until the next result.
    waiting: Vec<(u64, u64, &'static str)>,
    pub(super) found: Found,
}

/// The latest event of a kind.
struct Latest {
    leaf: u64,
    identity: Hash,
    files: Files,
}

struct Corrected {
    leaf: u64,
    /// The run whose results were replaced; none for prices.
    run: Option<String>,
    replaced: Files,
    results: Files,
}

impl Corrected {
    /// Whether it names every changed file with its old and its new digest.
    fn names_changes(&self, old: &Files, new: &Files) -> bool {
        let paths: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let mut changed = paths
            .into_iter()
            .filter(|path| old.get(*path) != new.get(*path));
        changed.all(|path| {
            self.replaced.get(path) == old.get(path) && self.results.get(path) == new.get(path)
        })
    }
}

impl Replacements {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        match &event.fact {
            Fact::Accepted { run, .. } => self.accepted(leaf, run),
            Fact::Correction {
                run,
                replaced,
                results,
                ..
            } => {
                self.waiting.clear();
                self.corrections.push(Corrected {
                    leaf,
                    run: run.clone(),
                    replaced: replaced.clone(),
                    results: results.clone(),
                });
            }
            Fact::EntryPrices { files, .. } | Fact::ExitPrices { files, .. } => {
                if let Some(before) = self.replaced(leaf, event, files) {
                    self.priced(leaf, event, &before, files);
                }
                if matches!(event.fact, Fact::ExitPrices { .. }) {
                    self.exit.get_or_insert(leaf);
                }
            }
            Fact::Score { run, results } => self.scored(leaf, run, event, results),
            Fact::Claim { files, .. } => self.claimed(leaf, event, files),
            _ => {}
        }
    }

    fn accepted(&mut self, leaf: u64, run: &str) {
        let (step, then) = match (self.exit, self.score) {
            (Some(exit), _) => ("the exit prices", exit),
            (None, Some(score)) => ("a result", score),
            (None, None) => return,
        };
        let text = format!("{run} was accepted after {step} of leaf {then}");
        self.found.add(Kind::Place, leaf, "run.accepted", text);
    }

    /// Prices are explained by a correction of prices that names them. Programs before 1.2 wrote
    /// only the correction of the results, after the prices.
    fn priced(&mut self, leaf: u64, event: &Event, before: &Latest, files: &Files) {
        let since = self.corrections.iter();
        let since = since.filter(|own| own.leaf > before.leaf);
        let (of_prices, of_results): (Vec<_>, Vec<_>) = since.partition(|own| own.run.is_none());
        match of_prices.last() {
            Some(own) if own.names_changes(&before.files, files) => {}
            Some(own) => {
                let text = format!(
                    "replaces the prices of leaf {}, and the correction of leaf {} names other files",
                    before.leaf, own.leaf
                );
                self.found
                    .add(Kind::Unexplained, leaf, event.fact.name(), text);
            }
            None if !of_results.is_empty() => {}
            None => self.waiting.push((leaf, before.leaf, event.fact.name())),
        }
    }

    fn scored(&mut self, leaf: u64, run: &str, event: &Event, results: &Files) {
        self.end_of_waiting();
        self.score.get_or_insert(leaf);
        self.last_score = Some(leaf);
        if self.exit.is_none() {
            let text = format!("{run} was scored before its exit prices were in the log");
            self.found.add(Kind::Place, leaf, "score", text);
        }
        let Some(before) = self.replaced(leaf, event, results) else {
            return;
        };
        let of_run = |own: &&Corrected| own.run.as_deref() == Some(run);
        let mut own = self.corrections.iter();
        let why = match own.rfind(|own| own.leaf > before.leaf && of_run(own)) {
            Some(own) if own.names_changes(&before.files, results) => return,
            Some(own) => format!(
                ", and the correction of leaf {} names other files",
                own.leaf
            ),
            None => " without a correction".to_owned(),
        };
        let text = format!("replaces the result of leaf {}{why}", before.leaf);
        self.found
            .add(Kind::Unexplained, leaf, &format!("score of {run}"), text);
    }

    /// A report may change after a new result; a report that changes alone is a warning.
    fn claimed(&mut self, leaf: u64, event: &Event, files: &Files) {
        let newest = self.last_score;
        if let Some(before) = self.replaced(leaf, event, files)
            && newest.is_none_or(|score| score < before.leaf)
        {
            let text = format!(
                "replaces the report of leaf {}, and no result changed",
                before.leaf
            );
            self.found.add(Kind::ClaimReplaced, leaf, "claim", text);
        }
    }

    /// The event that this one replaces, if it was different and the outcome was already known.
    fn replaced(&mut self, leaf: u64, event: &Event, files: &Files) -> Option<Latest> {
        let kind = replaced_kind(&event.fact)?;
        let identity = event.identity().ok()?;
        let now = Latest {
            leaf,
            identity,
            files: files.clone(),
        };
        let before = self.last.insert(kind, now);
        let before = before.filter(|other| other.identity != identity)?;
        self.exit.map(|_| before)
    }

    /// Reports the prices for which no correction came.
    pub(super) fn end_of_waiting(&mut self) {
        for (leaf, before, name) in std::mem::take(&mut self.waiting) {
            let text = format!("replaces the prices of leaf {before} without a correction");
            self.found.add(Kind::Unexplained, leaf, name, text);
        }
    }
}
