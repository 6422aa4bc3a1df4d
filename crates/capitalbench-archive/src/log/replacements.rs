//! Prices and results that took the place of others, and acceptances that came too late.
//!
//! From the first exit prices on the outcome is known. Whoever replaces prices or results after that
//! must say why, in a correction of its own leaf, and nobody accepts a run any more.

use std::collections::BTreeMap;

use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::merkle::Hash;

use super::contradictions::{Contradiction, Kind};
use super::replaced_kind;

#[derive(Default)]
pub(super) struct Replacements {
    /// The first leaf with exit prices.
    exit: Option<u64>,
    /// The first leaf with a result.
    score: Option<u64>,
    /// The last leaf with a result.
    last_score: Option<u64>,
    /// The last word of each kind.
    last: BTreeMap<String, (u64, Hash)>,
    corrections: Vec<Corrected>,
    /// Prices that took the place of others, by their leaf and the one before; a correction that
    /// follows before the next result explains them too.
    waiting: Vec<(u64, u64, &'static str)>,
    found: Vec<Contradiction>,
}

struct Corrected {
    leaf: u64,
    /// The run whose results were replaced; none for prices.
    run: Option<String>,
}

impl Replacements {
    pub(super) fn take(&mut self, leaf: u64, event: &Event) {
        match &event.fact {
            Fact::Accepted { run, .. } => self.accepted(leaf, run),
            Fact::Correction { run, .. } => {
                self.waiting.clear();
                self.corrections.push(Corrected {
                    leaf,
                    run: run.clone(),
                });
            }
            Fact::EntryPrices { .. } | Fact::ExitPrices { .. } => {
                if let Some(before) = self.replaced(leaf, event)
                    && !self.corrections.iter().any(|own| own.leaf > before)
                {
                    self.waiting.push((leaf, before, event.fact.name()));
                }
                if matches!(event.fact, Fact::ExitPrices { .. }) {
                    self.exit.get_or_insert(leaf);
                }
            }
            Fact::Score { run, .. } => self.scored(leaf, run, event),
            Fact::Claim { .. } => self.claimed(leaf, event),
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
        self.report(Kind::Place, leaf, "run.accepted", text);
    }

    fn scored(&mut self, leaf: u64, run: &str, event: &Event) {
        self.end_of_waiting();
        self.score.get_or_insert(leaf);
        self.last_score = Some(leaf);
        if self.exit.is_none() {
            let text = format!("{run} was scored before its exit prices were in the log");
            self.report(Kind::Place, leaf, "score", text);
        }
        let of_run = |own: &Corrected| own.run.as_deref() == Some(run);
        if let Some(before) = self.replaced(leaf, event)
            && !self
                .corrections
                .iter()
                .any(|own| own.leaf > before && of_run(own))
        {
            let text = format!("replaces the result of leaf {before} without a correction");
            self.report(Kind::Unexplained, leaf, &format!("score of {run}"), text);
        }
    }

    /// A report may follow new results; one that changes although nothing else did is told.
    fn claimed(&mut self, leaf: u64, event: &Event) {
        let newest = self.last_score;
        if let Some(before) = self.replaced(leaf, event)
            && newest.is_none_or(|score| score < before)
        {
            let text = format!("replaces the report of leaf {before}, and no result changed");
            self.report(Kind::ClaimReplaced, leaf, "claim", text);
        }
    }

    /// The leaf that said something else before, where the outcome was known already.
    fn replaced(&mut self, leaf: u64, event: &Event) -> Option<u64> {
        let kind = replaced_kind(&event.fact)?;
        let identity = event.identity().ok()?;
        let before = self.last.insert(kind, (leaf, identity));
        let (before, _) = before.filter(|(_, other)| *other != identity)?;
        self.exit.map(|_| before)
    }

    fn end_of_waiting(&mut self) {
        for (leaf, before, name) in std::mem::take(&mut self.waiting) {
            let text = format!("replaces the prices of leaf {before} without a correction");
            self.report(Kind::Unexplained, leaf, name, text);
        }
    }

    fn report(&mut self, kind: Kind, leaf: u64, about: &str, text: String) {
        self.found.push(Contradiction {
            kind,
            leaf,
            about: about.to_owned(),
            text,
        });
    }

    pub(super) fn into_found(mut self) -> Vec<Contradiction> {
        self.end_of_waiting();
        self.found
    }
}
