//! The figures of a round that comparison sets rest on, without its words and prices: small enough
//! to hold thousands of rounds, and quick to read back.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::calls::ModelCalls;
use super::facts::{Luck, OfficialRun, RepeatedRun, Result, RoundFacts};
use crate::decision::submission::{Decision, Forecast, RunFields, Submission};
use crate::market::universe::Universe;
use crate::result::score::{Outcome, Spread};
use crate::round::manifest::Manifest;
use crate::values::ids::{ModelId, OptionId, RoundId, RunId};
use crate::values::units::{BasisPoints, Return};

/// What [`RoundFacts::outline`] leaves of a round, besides its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundOutline {
    rehearsal: bool,
    record: Option<Record>,
    /// Its words and prices are gone; its lists of outcomes are in `record`.
    result: Option<Result>,
    repeated: Vec<RepeatedRun>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Record {
    run_id: RunId,
    since: Option<Timestamp>,
    models: Vec<Entrant>,
    controls: Vec<Entrant>,
    /// Only of models to which the operator gave a name or a predecessor.
    calls: Vec<ModelCalls>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entrant {
    model_id: ModelId,
    /// Breaks ties of order.
    confidence: f64,
    figures: Option<Figures>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Figures {
    value: Return,
    alpha: Return,
    regret: Option<Return>,
}

impl RoundFacts {
    /// The rules of the round without their words, and its figures.
    #[must_use]
    pub fn outline(self) -> (Manifest, RoundOutline) {
        let mut manifest = self.manifest;
        if let Some(roster) = &mut manifest.roster {
            roster.model_ids = Vec::new();
        }
        manifest.title = String::new();
        manifest.entry_rule = String::new();
        manifest.exit_rule = String::new();
        let mut result = self.result;
        let (mut models, mut controls) = (Vec::new(), Vec::new());
        if let Some(result) = &mut result {
            models = std::mem::take(&mut result.models);
            controls = std::mem::take(&mut result.controls);
            result.returns.forget_options();
            if let Luck::Drawn(Some(chance)) = &mut result.luck {
                chance.bins = Vec::new();
            }
        }
        let record = self.record.map(|record| Record {
            run_id: record.run_id,
            since: record.since,
            models: entrants(record.submissions, models),
            controls: entrants(record.controls, controls),
            calls: record
                .calls
                .into_iter()
                .filter_map(ModelCalls::naming)
                .collect(),
        });
        let outline = RoundOutline {
            rehearsal: self.rehearsal,
            record,
            result,
            repeated: self.repeated,
        };
        (manifest, outline)
    }
}

fn entrants(submissions: Vec<Submission>, outcomes: Vec<Outcome>) -> Vec<Entrant> {
    let mut outcomes = outcomes.into_iter();
    let entrant = |submission: Submission| Entrant {
        model_id: submission.model_id,
        confidence: submission.confidence,
        figures: outcomes.next().map(|outcome| Figures {
            value: outcome.decision_return,
            alpha: outcome.alpha,
            regret: outcome.regret,
        }),
    };
    submissions.into_iter().map(entrant).collect()
}

impl RoundOutline {
    /// Facts from which the same standings follow; whatever the outline left out is blank.
    pub fn into_facts(self, manifest: Manifest, universe: Arc<Universe>) -> RoundFacts {
        let mut result = self.result;
        let record = self.record.map(|record| {
            let blank = Blank {
                round_id: &manifest.round_id,
                primary: &universe.reference().id,
            };
            if let Some(result) = &mut result {
                result.models = blank.outcomes(&record.models);
                result.controls = blank.outcomes(&record.controls);
            }
            OfficialRun {
                run_id: record.run_id,
                since: record.since,
                submissions: blank.submissions(record.models),
                controls: blank.submissions(record.controls),
                calls: record.calls,
                missing: Vec::new(),
            }
        });
        RoundFacts {
            frozen: None,
            rehearsal: self.rehearsal,
            record,
            entry: None,
            result,
            interim: Vec::new(),
            repeated: self.repeated,
            tombstone: None,
            exceptions: Vec::new(),
            universe,
            manifest,
        }
    }
}

/// What stands in the fields that need some id.
#[derive(Clone, Copy)]
struct Blank<'a> {
    round_id: &'a RoundId,
    primary: &'a OptionId,
}

impl Blank<'_> {
    fn submissions(self, entrants: Vec<Entrant>) -> Vec<Submission> {
        let submission = |entrant: Entrant| Submission {
            round_id: self.round_id.clone(),
            model_id: entrant.model_id,
            provider: String::new(),
            mode: String::new(),
            decision: Decision::Portfolio(Vec::new()),
            confidence: entrant.confidence,
            rationale_summary: String::new(),
            portfolio_rationale: None,
            key_risks: Vec::new(),
            forecast: Forecast::default(),
            ledger: None,
            run: RunFields::default(),
            usage: None,
            cost_usd: None,
            metadata: Map::new(),
        };
        entrants.into_iter().map(submission).collect()
    }

    fn outcomes(self, entrants: &[Entrant]) -> Vec<Outcome> {
        let outcome = |figures: Figures| Outcome {
            primary: self.primary.clone(),
            primary_return: Return::from_fraction(0.0),
            decision_return: figures.value,
            alpha: figures.alpha,
            regret: figures.regret,
            pick_rank: None,
            beats_reference: false,
            beats_cash: false,
            alpha_per_dollar: None,
            spread: Spread {
                holdings: 0,
                largest: BasisPoints::default(),
                cash: BasisPoints::default(),
                reference: BasisPoints::default(),
                hhi: 0.0,
            },
        };
        let figures = entrants.iter().filter_map(|entrant| entrant.figures);
        figures.map(outcome).collect()
    }
}
