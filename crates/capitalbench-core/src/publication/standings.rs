//! Comparison sets: the first step to a [`super::Publication`], and all that a ranking on a terminal needs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use super::facts::RoundFacts;
use super::round_at::{RoundsAt, draw};
use super::{PublicRound, PublishError, RoundState};
use crate::evidence::inference::null::Volatility;
use crate::evidence::statistics::{Frames, SetStatistics, Tried, of_set};
use crate::publication::boards::comparison_set::{ComparisonSet, SetPolicy, comparison_sets};
use crate::publication::boards::index::{IndexRow, index};
use crate::publication::boards::name_in;
use crate::publication::boards::set_round::{SetRound, by_id};
use crate::publication::names::{give, names_of};
use crate::round::lifecycle::Due;
use crate::round::manifest::{Track, Window};
use crate::values::ids::{ModelId, RoundId};

/// Comparison sets of an instant, and what is needed to tell of them.
///
/// Its rounds may come from a [`RoundOutline`](super::outline::RoundOutline), so nothing here shows their words or prices.
#[derive(Debug, PartialEq)]
pub struct Standings {
    pub as_of: Timestamp,
    /// Every round is of an invented market.
    pub synthetic: bool,
    /// Names of models for people; the id where none is known.
    pub names: BTreeMap<ModelId, String>,
    /// Fixed rosters over the rounds all their models completed.
    pub comparison_sets: Vec<ComparisonSet>,
    pub(super) rounds: Vec<PublicRound>,
    /// What it takes to draw the luck of rounds whose facts came without it.
    pub(super) undrawn: BTreeMap<RoundId, Volatility>,
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

/// Computes the sets of an instant; the same facts and instant give the same sets.
pub fn standings(
    facts: Vec<RoundFacts>,
    policy: &SetPolicy,
    as_of: Timestamp,
) -> Result<Standings, PublishError> {
    let records = facts.iter().filter_map(|facts| facts.record.as_ref());
    let submissions = records.flat_map(|record| &record.submissions);
    let mut names = names_of(submissions.map(|submission| &submission.model_id));
    let found = RoundsAt::new(facts, as_of)?;
    give(&mut names, &found.rounds);
    let set_rounds: Vec<SetRound<'_>> = found.rounds.iter().map(SetRound::of).collect();
    Ok(Standings {
        as_of,
        synthetic: found.synthetic,
        comparison_sets: comparison_sets(&set_rounds, policy, &names)?,
        names,
        rounds: found.rounds,
        undrawn: found.undrawn,
    })
}

impl Standings {
    /// A model's name for people.
    pub fn name<'a>(&'a self, model_id: &'a ModelId) -> &'a str {
        name_in(&self.names, model_id)
    }

    /// Everybody with a public decision.
    pub fn model_ids(&self) -> BTreeSet<&ModelId> {
        let submissions = self.rounds.iter().flat_map(PublicRound::submissions);
        submissions.map(|submission| &submission.model_id).collect()
    }

    pub fn window(&self, id: &RoundId) -> Option<Window> {
        self.round(id)?.manifest.window
    }

    /// What the reference of a set is called; `reference` where its rounds are not known.
    pub fn reference_name(&self, set: &ComparisonSet) -> &str {
        let round = set.included.first().and_then(|id| self.round(id));
        round.map_or("reference", |round| &round.universe.reference().name)
    }

    fn round(&self, id: &RoundId) -> Option<&PublicRound> {
        self.rounds.iter().find(|round| round.id() == id)
    }

    /// Which rounds of a track the boards count, in order of id.
    pub fn index(&self, track: Track) -> Vec<IndexRow<'_>> {
        index(&self.rounds, track)
    }

    /// Rounds of these tracks that have no result.
    pub fn open_rounds(&self, tracks: &[Track]) -> OpenRounds {
        let mut found = OpenRounds::default();
        let listed = |round: &&PublicRound| round.track.is_some_and(|own| tracks.contains(&own));
        for round in self.rounds.iter().filter(listed) {
            let RoundState::Open(open) = &round.state else {
                continue;
            };
            match open.due {
                Due::Overdue => found.overdue += 1,
                Due::NotYet => {
                    found.pending += 1;
                    let exit = round.manifest.window.map(|window| window.exit);
                    found.next_exit = found.next_exit.into_iter().chain(exit).min();
                }
            }
        }
        found
    }

    /// What a set may claim, computed when asked for; none without a shared round.
    pub fn statistics(&self, set: &ComparisonSet) -> Option<SetStatistics> {
        if set.included.is_empty() {
            return None;
        }
        let drawn = |id: &RoundId| {
            let volatility = self.undrawn.get(id)?;
            let mut round = self.round(id)?.clone();
            draw(&mut round, volatility);
            Some((id.clone(), round))
        };
        let drawn: BTreeMap<RoundId, PublicRound> = set.included.iter().filter_map(drawn).collect();
        let included: BTreeSet<&RoundId> = set.included.iter().collect();
        let rounds = self.rounds.iter().filter(|r| included.contains(r.id()));
        let rounds = rounds.map(|round| SetRound::of(drawn.get(round.id()).unwrap_or(round)));
        let rounds: Vec<SetRound<'_>> = rounds.collect();
        let all: Vec<SetRound<'_>> = self.rounds.iter().map(SetRound::of).collect();
        let tried = Tried::of(&self.rounds, &all);
        Some(of_set(set, &by_id(&rounds), &tried, &Frames::default()))
    }
}
