//! A round as comparison sets and their statistics see it: who took part, and figures without words.

use std::collections::BTreeMap;

use jiff::civil::Date;

use crate::evidence::inference::excess::Excess;
use crate::publication::facts::Percentiles;
use crate::publication::{PublicRound, ResolvedRound, RoundKey, Standing};
use crate::round::manifest::{Track, Window};
use crate::values::ids::{ModelId, RoundId};
use crate::values::units::Return;

/// What sets need of a round.
#[derive(Debug)]
pub(crate) struct SetRound<'a> {
    pub(crate) key: &'a RoundKey,
    pub(crate) id: &'a RoundId,
    pub(crate) track: Option<Track>,
    pub(crate) window: Option<Window>,
    pub(crate) decision_date: Option<Date>,
    /// The roster was frozen with the round.
    pub(crate) fixed_roster: bool,
    /// Models with a public decision.
    pub(crate) roster: Vec<&'a ModelId>,
    /// Its result, once there is one.
    pub(crate) result: Option<SetResult<'a>>,
}

/// The result of a round, in figures.
#[derive(Debug)]
pub(crate) struct SetResult<'a> {
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

impl<'a> SetResult<'a> {
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

impl<'a> SetRound<'a> {
    /// The view of a whole round.
    pub(crate) fn of(round: &'a PublicRound) -> Self {
        let submissions = round.submissions();
        Self {
            key: &round.key,
            id: round.id(),
            track: round.track,
            window: round.manifest.window,
            decision_date: round.manifest.decision_date,
            fixed_roster: round.manifest.roster.is_some(),
            roster: submissions.into_iter().map(|s| &s.model_id).collect(),
            result: round.resolved().map(result),
        }
    }
}

fn result(resolved: &ResolvedRound) -> SetResult<'_> {
    let returns = &resolved.returns;
    let mut models: Vec<SetStanding<'_>> = resolved.models.iter().map(standing).collect();
    // In order, so that one is found quickly.
    models.sort_by(|a, b| a.model_id.cmp(b.model_id));
    SetResult {
        reference: returns.reference(),
        cash: returns.cash(),
        oracle: returns.oracle(),
        chance: resolved.chance.as_ref().map(|chance| chance.median),
        reference_days: &resolved.reference_days,
        models,
        controls: resolved.controls.iter().map(standing).collect(),
    }
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
