//! The figures of a round that rankings rest on, without its words and prices: small enough to hold
//! thousands of rounds, and quick to read back.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::calls::ModelCalls;
use super::facts::{self, Chance, RoundFacts};
use super::round_at::{Known, Since};
use super::visible::{Item, is_public};
use super::{PublishError, RoundKey};
use crate::asking::missing_answer::MissingAnswer;
use crate::decision::control::may_leave_universe;
use crate::decision::submission::Submission;
use crate::evidence::inference::daily::ActiveDays;
use crate::result::score::{Outcome, score};
use crate::round::ending::Ending;
use crate::round::lifecycle::Stage;
use crate::round::manifest::{Stream, Track, Window};
use crate::values::ids::{ModelId, RoundId, RunId};
use crate::values::time::WrittenInstant;
use crate::values::units::Return;

/// A round as rankings need it, with everything that is still hidden.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundOutline {
    pub(super) key: RoundKey,
    pub(super) round_id: RoundId,
    pub(super) track: Option<Track>,
    pub(super) stream: Stream,
    pub(super) rehearsal: bool,
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::optional")]
    pub(super) created: Option<Timestamp>,
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::optional")]
    pub(super) deadline: Option<Timestamp>,
    pub(super) decision_date: Option<Date>,
    pub(super) window: Option<Window>,
    /// Of its methodology.
    pub(super) label: Option<String>,
    /// The roster was frozen with the round.
    pub(super) fixed_roster: bool,
    pub(super) reference_name: String,
    /// When and how it ended without a record.
    ended: Option<(Ending, Timestamp)>,
    pub(super) record: Option<Record>,
    pub(super) result: Option<Figures>,
}

/// The run that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::publication) struct Record {
    pub(super) run_id: RunId,
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::optional")]
    pub(super) since: Option<Timestamp>,
    pub(super) models: Vec<ModelId>,
    pub(super) controls: Vec<ModelId>,
    /// Only of models to which the operator gave a name or a predecessor.
    pub(super) calls: Vec<ModelCalls>,
    pub(super) missing: Vec<MissingAnswer>,
}

/// The result of the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::publication) struct Figures {
    pub(super) reference: Return,
    pub(super) cash: Return,
    pub(super) oracle: Option<Return>,
    /// One per model of the record, with its gap to the reference.
    pub(super) models: Vec<(Return, Return)>,
    /// One per control of the record.
    pub(super) controls: Vec<(Return, Return)>,
    luck: Luck,
    #[serde(with = "facts::day_numbers")]
    pub(super) days: Vec<Option<ActiveDays>>,
    pub(super) reference_days: ActiveDays,
    /// Models of which no repeated call was valid.
    pub(super) without_replicate: Vec<ModelId>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Luck {
    /// The draws without their bins; none where the round cannot say.
    Drawn(Option<Chance>),
    /// What they follow from; it is never kept.
    #[serde(skip)]
    Undrawn(Box<RoundFacts>),
}

/// What of an outline is public at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineAt {
    pub(super) stage: Stage,
    /// Without a record or a result that is still hidden.
    pub(super) round: RoundOutline,
    /// Models of this round whose record goes on under another id, with that id.
    pub(super) continued: BTreeMap<ModelId, ModelId>,
}

impl OutlineAt {
    /// The id under which the record of one of its models stands today.
    pub(super) fn contestant<'a>(&'a self, id: &'a ModelId) -> &'a ModelId {
        self.continued.get(id).unwrap_or(id)
    }
}

impl RoundOutline {
    /// Between these two closes its returns count.
    pub fn window(&self) -> Option<Window> {
        self.window
    }

    /// Every model of the run that counts, whether or not its decision is public.
    pub(super) fn models(&self) -> &[ModelId] {
        self.record.as_ref().map_or(&[], |record| &record.models)
    }

    /// The same with those that gave no valid answer.
    pub(super) fn expected(&self) -> impl Iterator<Item = &ModelId> {
        let missing = self.record.iter().flat_map(|record| &record.missing);
        self.models().iter().chain(missing.map(|own| &own.model_id))
    }

    /// What luck would have given; drawn now where the facts came without it.
    pub(super) fn chance(&self) -> Option<Chance> {
        match &self.result.as_ref()?.luck {
            Luck::Drawn(chance) => chance.clone(),
            Luck::Undrawn(facts) => facts.draw(),
        }
    }

    /// Takes away what is hidden at an instant.
    pub(super) fn at(mut self, as_of: Timestamp) -> Result<OutlineAt, PublishError> {
        let known = Known {
            window: self.window,
            record: self.record.as_ref().map(|record| Since(record.since)),
            scored: self.result.is_some(),
            ended: self.ended,
        };
        let stage = known.stage(as_of);
        if !matches!(stage, Stage::Pending | Stage::Overdue | Stage::Resolved) {
            self.record = None;
        }
        if stage != Stage::Resolved {
            self.result = None;
        }
        if let Some(Record { calls, since, .. }) = &mut self.record {
            calls.retain(|_| is_public(Item::Calls { since: *since }, self.window, as_of));
        }
        if let (Some(record), Some(result)) = (&self.record, &self.result) {
            let models = record.models.iter().zip(&result.models);
            let controls = record.controls.iter().zip(&result.controls);
            let controls = controls.filter(|(id, _)| !may_leave_universe(id));
            for (model_id, (value, _)) in models.chain(controls) {
                score(*value, result.oracle).map_err(|error| PublishError::AboveOracle {
                    round_id: self.round_id.clone(),
                    model_id: model_id.clone(),
                    error,
                })?;
            }
        }
        Ok(OutlineAt {
            stage,
            round: self,
            continued: BTreeMap::new(),
        })
    }
}

impl From<RoundFacts> for RoundOutline {
    fn from(facts: RoundFacts) -> Self {
        let manifest = &facts.manifest;
        let instant = |written: &Option<WrittenInstant>| written.as_ref().map(WrittenInstant::at);
        let ids = |submissions: &[Submission]| -> Vec<ModelId> {
            let ids = submissions.iter().map(|own| own.model_id.clone());
            ids.collect()
        };
        let record = facts.record.as_ref().map(|record| Record {
            run_id: record.run_id.clone(),
            since: record.since,
            models: ids(&record.submissions),
            controls: ids(&record.controls),
            calls: record.calls.iter().filter_map(ModelCalls::naming).collect(),
            missing: record.missing.clone(),
        });
        let mut outline = Self {
            key: RoundKey::of(manifest),
            round_id: manifest.round_id.clone(),
            track: manifest.track(),
            stream: manifest.stream,
            rehearsal: facts.rehearsal,
            created: instant(&manifest.created_at),
            deadline: instant(&manifest.decision_deadline),
            decision_date: manifest.decision_date,
            window: manifest.window,
            label: manifest.methodology.label().map(str::to_owned),
            fixed_roster: manifest.roster.is_some(),
            reference_name: facts.universe.reference().name.clone(),
            ended: facts
                .tombstone
                .as_ref()
                .map(|own| (own.ending, own.ended_at.at())),
            record,
            result: facts.result.as_ref().map(|result| figures(&facts, result)),
        };
        let luck = facts.result.as_ref().map(|result| &result.luck);
        if let (Some(facts::Luck::Undrawn(_)), Some(result)) = (luck, &mut outline.result) {
            result.luck = Luck::Undrawn(Box::new(facts));
        }
        outline
    }
}

fn figures(facts: &RoundFacts, result: &facts::Result) -> Figures {
    let pairs = |outcomes: &[Outcome]| -> Vec<(Return, Return)> {
        let pairs = outcomes.iter().map(|own| (own.decision_return, own.alpha));
        pairs.collect()
    };
    let chance = match &result.luck {
        facts::Luck::Drawn(chance) => chance.clone(),
        facts::Luck::Undrawn(_) => None,
    };
    let mut without_replicate: Vec<ModelId> = facts
        .repeated
        .iter()
        .flat_map(|run| &run.models)
        .filter(|model| model.figures.is_none())
        .map(|model| model.model_id.clone())
        .collect();
    without_replicate.sort();
    without_replicate.dedup();
    Figures {
        reference: result.returns.reference(),
        cash: result.returns.cash(),
        oracle: result.returns.oracle(),
        models: pairs(&result.models),
        controls: pairs(&result.controls),
        luck: Luck::Drawn(chance.map(|chance| Chance {
            bins: Vec::new(),
            ..chance
        })),
        days: result.days.clone(),
        reference_days: result.reference_days.clone(),
        without_replicate,
    }
}
