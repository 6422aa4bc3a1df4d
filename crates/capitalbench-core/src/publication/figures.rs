//! What rankings need of a round's facts: figures without words, small enough to keep thousands.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use super::facts::{Percentiles, RoundFacts};
use crate::decision::submission::Submission;
use crate::evidence::inference::daily::ActiveDays;
use crate::result::score::Outcome;
use crate::round::manifest::{Stream, Track, Window};
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// The figures of a round; [`super::standings::standings`] decides which of them may be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundFigures {
    /// Its id.
    pub round_id: RoundId,
    /// Weekly or monthly.
    pub track: Option<Track>,
    /// From which close to which.
    pub window: Option<Window>,
    /// The day of the decision.
    pub decision_date: Option<Date>,
    /// The deadline as it was written; a part of the key.
    pub deadline: Option<String>,
    /// When the round was made.
    pub created_at: Option<Timestamp>,
    /// The label of its methodology.
    pub label: Option<String>,
    /// The roster was frozen with the round.
    pub fixed_roster: bool,
    /// Of which stream it is.
    pub stream: Stream,
    /// Has runs, all of them rehearsals.
    pub rehearsal: bool,
    /// What the reference is called.
    pub reference_name: String,
    /// The run that counts.
    pub record: Option<RecordFigures>,
    /// The models of that run; rounds of one roster share it.
    pub models: Arc<[ModelId]>,
    /// Its control entrants.
    pub controls: Arc<[ModelId]>,
    /// Its result, once it was scored.
    pub result: Option<ResultFigures>,
}

/// The run that counts, without its decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordFigures {
    /// Since when it does.
    pub since: Option<Timestamp>,
}

/// The result in figures; `models` and `controls` run beside the lists of the round.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultFigures {
    /// Return of the reference.
    pub reference: Return,
    /// Return of cash.
    pub cash: Return,
    /// Return of the best option.
    pub oracle: Option<Return>,
    /// Return of the middle random portfolio.
    pub chance: Option<f64>,
    /// One per model.
    pub models: Vec<EntrantFigures>,
    /// One per control.
    pub controls: Vec<EntrantFigures>,
}

/// What one entrant made of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct EntrantFigures {
    /// Return of the decision.
    pub value: Return,
    /// Gain beyond the reference.
    pub alpha: Return,
    /// Where it stands among random portfolios.
    pub percentiles: Option<Percentiles>,
    /// Daily gains beyond the reference.
    pub days: Option<ActiveDays>,
}

impl RoundFigures {
    /// The figures among a round's facts.
    pub fn of(facts: RoundFacts) -> Self {
        let manifest = facts.manifest;
        let record = facts.record;
        let ids = |list: &[Submission]| list.iter().map(|s| s.model_id.clone()).collect();
        let none = Vec::new();
        let lists = record.as_ref().map(|r| (&r.submissions, &r.controls));
        let (submissions, controls) = lists.unwrap_or((&none, &none));
        let result = facts.result.map(|result| {
            let chance = result.chance.as_ref();
            let mut days = result.days.into_iter();
            let models = result.models.iter().enumerate().map(|(place, outcome)| {
                let percentiles = chance.and_then(|chance| chance.models.get(place).copied());
                entrant(outcome, percentiles, days.next().flatten())
            });
            let models = models.collect();
            let controls = result.controls.iter().enumerate().map(|(place, outcome)| {
                let percentiles = chance.and_then(|chance| chance.controls.get(place).copied());
                entrant(outcome, percentiles, None)
            });
            ResultFigures {
                reference: result.returns.reference(),
                cash: result.returns.cash(),
                oracle: result.returns.oracle(),
                chance: chance.map(|chance| chance.median),
                models,
                controls: controls.collect(),
            }
        });
        Self {
            track: manifest.track(),
            window: manifest.window,
            decision_date: manifest.decision_date,
            deadline: manifest
                .decision_deadline
                .map(|stamp| stamp.text().to_owned()),
            created_at: manifest.created_at.map(|stamp| stamp.at()),
            label: manifest.methodology.label().map(str::to_owned),
            fixed_roster: manifest.roster.is_some(),
            stream: manifest.stream,
            rehearsal: facts.rehearsal,
            reference_name: facts.universe.reference().name.clone(),
            record: record.as_ref().map(|record| RecordFigures {
                since: record.since,
            }),
            models: ids(submissions),
            controls: ids(controls),
            round_id: manifest.round_id,
            result,
        }
    }
}

fn entrant(
    outcome: &Outcome,
    percentiles: Option<Percentiles>,
    days: Option<ActiveDays>,
) -> EntrantFigures {
    EntrantFigures {
        value: outcome.decision_return,
        alpha: outcome.alpha,
        percentiles,
        days,
    }
}
