//! Comparison sets alone: what a terminal shows of many rounds, without the words of any of them.
//!
//! A [`super::Publication`] holds everything of every round. Most of that is text and prices that
//! no ranking looks at, so sets can be had from [`RoundFigures`] in a fraction of time and memory.
//! Both ways go through the same functions and give the same figures.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use super::figures::{EntrantFigures, RecordFigures, ResultFigures, RoundFigures};
use super::{PublishError, RoundKey};
use crate::evidence::statistics::{Frames, SetStatistics, methodology_versions, of_set};
use crate::publication::boards::comparison_set::{ComparisonSet, SetPolicy, comparison_sets};
use crate::publication::boards::set_round::{SetResult, SetRound, SetStanding, by_id};
use crate::result::score::score;
use crate::round::lifecycle::{Due, due};
use crate::round::manifest::{Stream, Track, Window};
use crate::values::ids::{ModelId, RoundId};

/// Comparison sets of an instant, and what is needed to tell of them.
#[derive(Debug, PartialEq)]
pub struct Standings {
    /// The instant.
    pub as_of: Timestamp,
    /// Every round is of an invented market.
    pub synthetic: bool,
    /// Names of models for people; the id where none is known.
    pub names: BTreeMap<ModelId, String>,
    /// Fixed rosters over the rounds all their models completed.
    pub comparison_sets: Vec<ComparisonSet>,
    rounds: Vec<StandingRound>,
}

/// A round at the instant.
#[derive(Debug, PartialEq)]
struct StandingRound {
    key: RoundKey,
    figures: RoundFigures,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Draft,
    Open(Due),
    Resolved,
}

/// Rounds without a result at the instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenRounds {
    /// Rounds whose exit is still to come.
    pub pending: usize,
    /// Rounds that should have a result.
    pub overdue: usize,
    /// The earliest exit that is still to come.
    pub next_exit: Option<Date>,
}

impl Standings {
    /// A model's name for people.
    pub fn name<'a>(&'a self, model_id: &'a ModelId) -> &'a str {
        self.names.get(model_id).map_or(model_id.as_str(), |n| n)
    }

    /// Everybody with a public decision.
    pub fn model_ids(&self) -> BTreeSet<&ModelId> {
        let seen = |round: &&StandingRound| round.state != State::Draft;
        let rounds = self.rounds.iter().filter(seen);
        rounds.flat_map(|round| &*round.figures.models).collect()
    }

    /// The window of a round.
    pub fn window(&self, id: &RoundId) -> Option<Window> {
        self.round(id)?.figures.window
    }

    /// What the reference of a set is called; `reference` where its rounds are not known.
    pub fn reference_name(&self, set: &ComparisonSet) -> &str {
        let round = set.included.first().and_then(|id| self.round(id));
        round.map_or("reference", |round| &round.figures.reference_name)
    }

    fn round(&self, id: &RoundId) -> Option<&StandingRound> {
        self.rounds
            .iter()
            .find(|round| round.figures.round_id == *id)
    }

    /// Rounds of these tracks that have no result.
    pub fn open_rounds(&self, tracks: &[Track]) -> OpenRounds {
        let mut found = OpenRounds::default();
        for round in &self.rounds {
            if !round
                .figures
                .track
                .is_some_and(|track| tracks.contains(&track))
            {
                continue;
            }
            match round.state {
                State::Open(Due::Overdue) => found.overdue += 1,
                State::Open(Due::NotYet) => {
                    found.pending += 1;
                    let exit = round.figures.window.map(|window| window.exit);
                    let earlier = found.next_exit.into_iter().chain(exit).min();
                    found.next_exit = earlier;
                }
                State::Draft | State::Resolved => {}
            }
        }
        found
    }

    /// What a set may claim, computed when asked for; none without a shared round.
    pub fn statistics(&self, set: &ComparisonSet) -> Option<SetStatistics> {
        if set.included.is_empty() {
            return None;
        }
        let mut rounds = self.set_rounds();
        let versions = methodology_versions(&rounds);
        rounds.retain(|round| round.track == Some(set.definition.track));
        Some(of_set(set, &by_id(&rounds), versions, &Frames::default()))
    }

    pub(super) fn set_rounds(&self) -> Vec<SetRound<'_>> {
        self.rounds.iter().map(StandingRound::view).collect()
    }
}

impl StandingRound {
    fn view(&self) -> SetRound<'_> {
        let figures = &self.figures;
        let result = figures.result.as_ref();
        SetRound {
            key: &self.key,
            id: &figures.round_id,
            track: figures.track,
            window: figures.window,
            decision_date: figures.decision_date,
            fixed_roster: figures.fixed_roster,
            label: figures.label.as_deref(),
            roster: match self.state {
                State::Draft => Vec::new(),
                State::Open(_) | State::Resolved => figures.models.iter().collect(),
            },
            result: result
                .filter(|_| self.state == State::Resolved)
                .map(|result| figures.view(result)),
        }
    }
}

impl RoundFigures {
    fn view<'a>(&'a self, result: &'a ResultFigures) -> SetResult<'a> {
        let both = |ids: &'a [ModelId], figures: &'a [EntrantFigures]| {
            let both = ids.iter().zip(figures);
            let view = |(model_id, own): (&'a ModelId, &'a EntrantFigures)| SetStanding {
                model_id,
                value: own.value,
                alpha: own.alpha,
                percentiles: own.percentiles,
                days: own.days.as_deref(),
            };
            both.map(view).collect()
        };
        SetResult::new(
            (result.reference, result.cash, result.oracle),
            result.chance,
            both(&self.models, &result.models),
            both(&self.controls, &result.controls),
        )
    }
}

/// Computes the sets of an instant; the same figures and instant give the same sets as
/// [`super::publish`].
pub fn standings(
    rounds: Vec<RoundFigures>,
    names: BTreeMap<ModelId, String>,
    policy: &SetPolicy,
    as_of: Timestamp,
) -> Result<Standings, PublishError> {
    let synthetic = super::all_synthetic(rounds.iter().map(|figures| figures.stream));
    let stream = if synthetic {
        Stream::Synthetic
    } else {
        Stream::Primary
    };
    let mut public = Vec::with_capacity(rounds.len());
    for figures in rounds {
        let began = figures.created_at.is_none_or(|began| began <= as_of);
        if figures.stream == stream && !figures.rehearsal && began {
            let deadline = figures.deadline.as_deref();
            let key = RoundKey::from_parts(figures.window, deadline, &figures.round_id);
            let state = state(&figures, as_of)?;
            public.push(StandingRound {
                key,
                figures,
                state,
            });
        }
    }
    public.sort_by(|a, b| a.key.cmp(&b.key));
    let mut found = Standings {
        as_of,
        synthetic,
        names,
        comparison_sets: Vec::new(),
        rounds: public,
    };
    found.comparison_sets = comparison_sets(&found.set_rounds(), policy, &found.names)?;
    Ok(found)
}

fn state(figures: &RoundFigures, as_of: Timestamp) -> Result<State, PublishError> {
    let seen = |record: &RecordFigures| record.since.is_none_or(|since| since <= as_of);
    if !figures.record.as_ref().is_some_and(seen) {
        return Ok(State::Draft);
    }
    match &figures.result {
        Some(result) if super::is_over(figures.window, as_of) => {
            for (ids, own) in [
                (&figures.models, &result.models),
                (&figures.controls, &result.controls),
            ] {
                for (model_id, own) in ids.iter().zip(own) {
                    score(own.value, result.oracle).map_err(|error| PublishError::AboveOracle {
                        round_id: figures.round_id.clone(),
                        model_id: model_id.clone(),
                        error,
                    })?;
                }
            }
            Ok(State::Resolved)
        }
        _ => Ok(State::Open(due(figures.window, as_of))),
    }
}
