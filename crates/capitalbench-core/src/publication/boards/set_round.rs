//! A round as comparison sets, their statistics and names see it: who took part, and figures without
//! words. Whole rounds and outlines are seen alike.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use crate::asking::missing_answer::{MissingAnswer, NoAnswer};
use crate::evidence::inference::excess::Excess;
use crate::publication::calls::ModelCalls;
use crate::publication::facts::{Chance, Percentiles};
use crate::publication::outline::{Figures, OutlineAt, Record};
use crate::publication::{PublicRound, ResolvedRound, RoundKey, Standing};
use crate::round::lifecycle::Stage;
use crate::round::manifest::{Track, Window};
use crate::values::ids::{ModelId, RoundId, RunId};
use crate::values::time::WrittenInstant;
use crate::values::units::Return;

/// What sets and names need of a round.
#[derive(Debug)]
pub(crate) struct SetRound<'a> {
    pub(crate) key: &'a RoundKey,
    pub(crate) id: &'a RoundId,
    pub(crate) track: Option<Track>,
    pub(crate) stage: Stage,
    pub(crate) window: Option<Window>,
    pub(crate) decision_date: Option<Date>,
    pub(crate) deadline: Option<Timestamp>,
    /// Of its methodology.
    pub(crate) label: Option<&'a str>,
    /// The roster was frozen with the round.
    pub(crate) fixed_roster: bool,
    /// Models with a public decision, under the ids that they had.
    pub(crate) stored: Vec<&'a ModelId>,
    /// The same, under the ids that their records have today.
    pub(crate) roster: Vec<&'a ModelId>,
    /// Models of the record without a valid answer, under the ids of today.
    pub(crate) missing: Vec<(&'a ModelId, NoAnswer)>,
    /// What the operator said of their names.
    pub(crate) calls: &'a [ModelCalls],
    /// Its result, once there is one.
    pub(crate) result: Option<SetResult<'a>>,
}

/// The result of a round, in figures.
#[derive(Debug)]
pub(crate) struct SetResult<'a> {
    pub(crate) run_id: &'a RunId,
    pub(crate) reference: Return,
    pub(crate) cash: Return,
    pub(crate) oracle: Option<Return>,
    /// Return of the middle random portfolio.
    pub(crate) chance: Option<f64>,
    /// Daily returns of the reference.
    pub(crate) reference_days: &'a [(Date, f64)],
    /// In order of model id.
    models: Vec<SetStanding<'a>>,
    /// In their own order.
    pub(crate) controls: Vec<SetStanding<'a>>,
    /// Models of which no repeated call was valid, in order of id.
    pub(crate) without_replicate: Vec<&'a ModelId>,
}

/// One entrant's figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SetStanding<'a> {
    pub(crate) model_id: &'a ModelId,
    pub(crate) value: Return,
    pub(crate) alpha: Return,
    pub(crate) percentiles: Option<Percentiles>,
    pub(crate) days: Option<&'a [(Date, f64)]>,
    pub(crate) excess: Option<&'a Excess>,
}

/// Rounds by id.
pub(crate) type ById<'a> = BTreeMap<&'a RoundId, &'a SetRound<'a>>;

/// The rounds of these ids that are known.
pub(crate) fn chosen<'a>(rounds: &ById<'a>, ids: &[RoundId]) -> Vec<&'a SetRound<'a>> {
    ids.iter()
        .filter_map(|id| rounds.get(id).copied())
        .collect()
}

pub(crate) fn by_id<'a>(rounds: &'a [SetRound<'a>]) -> ById<'a> {
    rounds.iter().map(|round| (round.id, round)).collect()
}

impl<'a> SetRound<'a> {
    /// The view of a whole round.
    pub(crate) fn of(round: &'a PublicRound) -> Self {
        let manifest = &round.manifest;
        let stored = round.submissions().into_iter().map(|own| &own.model_id);
        let stored: Vec<&ModelId> = stored.collect();
        Self {
            key: &round.key,
            id: round.id(),
            track: round.track,
            stage: round.state.stage(),
            window: manifest.window,
            decision_date: manifest.decision_date,
            deadline: manifest.decision_deadline.as_ref().map(WrittenInstant::at),
            label: manifest.methodology.label(),
            fixed_roster: manifest.roster.is_some(),
            roster: stored.iter().map(|id| round.contestant(id)).collect(),
            missing: missing(round.missing(), |id| round.contestant(id)),
            stored,
            calls: round.calls(),
            result: round
                .resolved()
                .map(|resolved| SetResult::of(round, resolved)),
        }
    }

    /// The view of an outline, with what luck would have given where somebody wants to know it.
    pub(crate) fn of_outline(outline: &'a OutlineAt, chance: Option<&'a Chance>) -> Self {
        let OutlineAt { stage, round, .. } = outline;
        let record = round.record.as_ref();
        let result = record.zip(round.result.as_ref());
        Self {
            key: &round.key,
            id: &round.round_id,
            track: round.track,
            stage: *stage,
            window: round.window,
            decision_date: round.decision_date,
            deadline: round.deadline,
            label: round.label.as_deref(),
            fixed_roster: round.fixed_roster,
            stored: round.models().iter().collect(),
            roster: round
                .models()
                .iter()
                .map(|id| outline.contestant(id))
                .collect(),
            missing: record.map_or_else(Vec::new, |record| {
                missing(&record.missing, |id| outline.contestant(id))
            }),
            calls: record.map_or(&[], |record| &record.calls),
            result: result.map(|own| SetResult::of_outline(outline, own, chance)),
        }
    }

    /// Models with a public decision, in order of id.
    pub(crate) fn answered(&self) -> Vec<&'a ModelId> {
        let mut models = self.roster.clone();
        models.sort_unstable();
        models.dedup();
        models
    }

    /// Every model of the record, with an answer or without, in order of id.
    pub(crate) fn expected(&self) -> Vec<&'a ModelId> {
        let mut models = self.answered();
        if !self.missing.is_empty() {
            models.extend(self.missing.iter().map(|(id, _)| *id));
            models.sort_unstable();
        }
        models
    }

    /// Orders rounds by their decision.
    pub(crate) fn decided(&self) -> (Option<Date>, Option<Timestamp>) {
        (self.decision_date, self.deadline)
    }

    /// Models with a public decision and the models whose records they continue.
    pub(crate) fn continues(&self) -> impl Iterator<Item = (&'a ModelId, &'a ModelId)> {
        let named = self.calls.iter().filter_map(|calls| {
            let other = calls.continues.as_ref()?;
            (*other != calls.model_id).then_some((&calls.model_id, other))
        });
        named.filter(|(id, _)| self.stored.contains(id))
    }
}

impl<'a> SetResult<'a> {
    fn of(round: &'a PublicRound, resolved: &'a ResolvedRound) -> Self {
        let returns = &resolved.returns;
        let repeated = resolved.repeated.iter().flat_map(|run| &run.models);
        let without = repeated.filter(|model| model.figures.is_none());
        let without: BTreeSet<&ModelId> = without.map(|own| &own.model_id).collect();
        let models = resolved.models.iter().map(|own| SetStanding {
            model_id: round.contestant(own.model_id()),
            ..standing(own)
        });
        let mut models: Vec<SetStanding<'_>> = models.collect();
        // In order, so that one is found quickly.
        models.sort_by(|a, b| a.model_id.cmp(b.model_id));
        Self {
            run_id: &resolved.run_id,
            reference: returns.reference(),
            cash: returns.cash(),
            oracle: returns.oracle(),
            chance: resolved.chance.as_ref().map(|chance| chance.median),
            reference_days: &resolved.reference_days,
            models,
            controls: resolved.controls.iter().map(standing).collect(),
            without_replicate: without.into_iter().collect(),
        }
    }

    fn of_outline(
        round: &'a OutlineAt,
        (record, figures): (&'a Record, &'a Figures),
        chance: Option<&'a Chance>,
    ) -> Self {
        let standings = |ids: &'a [ModelId], figures: &[(Return, Return)]| {
            let entrants = ids.iter().zip(figures);
            let standing =
                |(model_id, (value, alpha)): (&'a ModelId, &(Return, Return))| SetStanding {
                    model_id,
                    value: *value,
                    alpha: *alpha,
                    percentiles: None,
                    days: None,
                    excess: None,
                };
            entrants.map(standing).collect::<Vec<_>>()
        };
        let mut models = standings(&record.models, &figures.models);
        let mut controls = standings(&record.controls, &figures.controls);
        for (standing, days) in models.iter_mut().zip(&figures.days) {
            standing.days = days.as_deref();
        }
        if let Some(chance) = chance {
            for (standing, own) in models.iter_mut().zip(&chance.models) {
                standing.percentiles = Some(*own);
            }
            for (standing, own) in models.iter_mut().zip(&chance.excesses) {
                standing.excess = own.as_ref();
            }
            for (standing, own) in controls.iter_mut().zip(&chance.controls) {
                standing.percentiles = Some(*own);
            }
        }
        for standing in &mut models {
            standing.model_id = round.contestant(standing.model_id);
        }
        models.sort_by(|a, b| a.model_id.cmp(b.model_id));
        Self {
            run_id: &record.run_id,
            reference: figures.reference,
            cash: figures.cash,
            oracle: figures.oracle,
            chance: chance.map(|chance| chance.median),
            reference_days: &figures.reference_days,
            models,
            controls,
            without_replicate: figures.without_replicate.iter().collect(),
        }
    }

    /// Every model with a result, in order of id.
    pub(crate) fn models(&self) -> &[SetStanding<'a>] {
        &self.models
    }

    /// The standing of a model, looked for first where it stands in a roster of the same models.
    pub(crate) fn of_near(&self, id: &ModelId, place: usize) -> Option<&SetStanding<'a>> {
        if let Some(found) = self.models.get(place).filter(|m| m.model_id == id) {
            return Some(found);
        }
        let place = self.models.partition_point(|m| m.model_id < id);
        self.models.get(place).filter(|m| m.model_id == id)
    }
}

fn missing<'a>(
    all: &'a [MissingAnswer],
    contestant: impl Fn(&'a ModelId) -> &'a ModelId,
) -> Vec<(&'a ModelId, NoAnswer)> {
    let all = all.iter();
    all.map(|own| (contestant(&own.model_id), own.why))
        .collect()
}

fn standing(standing: &Standing) -> SetStanding<'_> {
    SetStanding {
        model_id: standing.model_id(),
        value: standing.scored.outcome.decision_return,
        alpha: standing.scored.outcome.alpha,
        percentiles: standing.percentiles,
        days: standing.days.as_deref(),
        excess: standing.excess.as_ref(),
    }
}
