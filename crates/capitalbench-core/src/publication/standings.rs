//! Comparison sets from the outlines of rounds: all that a ranking on a terminal needs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use super::PublishError;
use super::facts::Chance;
use super::outline::{OutlineAt, RoundOutline};
use super::renames::Renames;
use super::round_at::Listing;
use crate::evidence::statistics::{Frames, SetStatistics, Tried, of_set};
use crate::publication::boards::comparison_set::{ComparisonSet, SetPolicy, comparison_sets};
use crate::publication::boards::first_board::{FirstBoard, first_board};
use crate::publication::boards::index::{IndexRow, rows};
use crate::publication::boards::name_in;
use crate::publication::boards::set_round::{SetRound, by_id};
use crate::publication::names::{give, names_of};
use crate::round::lifecycle::Stage;
use crate::round::manifest::{Track, Window};
use crate::values::ids::{ModelId, RoundId};

/// Comparison sets of an instant, and what is needed to tell of them.
#[derive(Debug, PartialEq)]
pub struct Standings {
    pub as_of: Timestamp,
    /// Every round is of an invented market.
    pub synthetic: bool,
    /// Names of models for people; the id where none is known.
    pub names: BTreeMap<ModelId, String>,
    /// Fixed rosters over the rounds all their models completed.
    pub comparison_sets: Vec<ComparisonSet>,
    rounds: Vec<OutlineAt>,
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

/// Computes the sets of an instant; the same rounds and instant give the same sets.
pub fn standings(
    outlines: Vec<RoundOutline>,
    policy: &SetPolicy,
    as_of: Timestamp,
) -> Result<Standings, PublishError> {
    let mut names = names_of(outlines.iter().flat_map(RoundOutline::models));
    let listing = Listing::of(outlines.iter().map(|own| own.stream), as_of);
    let listed =
        |own: &RoundOutline| !own.rehearsal && listing.has(own.stream, own.created, own.window);
    let rounds = outlines.into_iter().filter(listed).map(|own| own.at(as_of));
    let mut rounds: Vec<OutlineAt> = rounds.collect::<Result<_, _>>()?;
    rounds.sort_by(|a, b| a.round.key.cmp(&b.round.key));
    let renames = Renames::of_rounds(&set_rounds(&rounds));
    if !renames.is_empty() {
        for own in &mut rounds {
            own.continued = renames.among(own.round.expected());
        }
    }
    let set_rounds = set_rounds(&rounds);
    give(&mut names, &set_rounds, &renames);
    Ok(Standings {
        as_of,
        synthetic: listing.synthetic,
        comparison_sets: comparison_sets(&set_rounds, policy, (&names, &renames))?,
        names,
        rounds,
    })
}

fn set_rounds(rounds: &[OutlineAt]) -> Vec<SetRound<'_>> {
    let rounds = rounds.iter();
    rounds.map(|own| SetRound::of_outline(own, None)).collect()
}

impl Standings {
    /// A model's name for people.
    pub fn name<'a>(&'a self, model_id: &'a ModelId) -> &'a str {
        name_in(&self.names, model_id)
    }

    /// Every id with a public decision, with the id that its record has today.
    pub fn model_ids(&self) -> BTreeMap<&ModelId, &ModelId> {
        let rounds = self.rounds.iter();
        let models = rounds.flat_map(|own| {
            let models = own.round.models().iter();
            models.map(|id| (id, own.contestant(id)))
        });
        models.collect()
    }

    pub fn window(&self, id: &RoundId) -> Option<Window> {
        self.round(id)?.round.window
    }

    /// What the reference of a set is called; `reference` where its rounds are not known.
    pub fn reference_name(&self, set: &ComparisonSet) -> &str {
        let round = set.included.first().and_then(|id| self.round(id));
        round.map_or("reference", |own| &own.round.reference_name)
    }

    fn round(&self, id: &RoundId) -> Option<&OutlineAt> {
        self.rounds.iter().find(|own| own.round.round_id == *id)
    }

    /// The rounds as comparison sets see them.
    pub(super) fn set_rounds(&self) -> Vec<SetRound<'_>> {
        set_rounds(&self.rounds)
    }

    /// The board of a track that is shown first; none where the track has no set.
    pub fn first_board(&self, track: Track) -> Option<FirstBoard<'_>> {
        first_board(&self.comparison_sets, &self.set_rounds(), track)
    }

    /// Which rounds of a track the boards count, in order of id.
    pub fn index(&self, track: Track) -> Vec<IndexRow<'_>> {
        rows(&self.set_rounds(), track)
    }

    /// Rounds of these tracks that have no result.
    pub fn open_rounds(&self, tracks: &[Track]) -> OpenRounds {
        let mut found = OpenRounds::default();
        let listed = |own: &&OutlineAt| own.round.track.is_some_and(|own| tracks.contains(&own));
        for own in self.rounds.iter().filter(listed) {
            match own.stage {
                Stage::Overdue => found.overdue += 1,
                Stage::Pending => {
                    found.pending += 1;
                    let exit = own.round.window.map(|window| window.exit);
                    found.next_exit = found.next_exit.into_iter().chain(exit).min();
                }
                _ => {}
            }
        }
        found
    }

    /// What a set may claim, computed when asked for; none without a shared round.
    pub fn statistics(&self, set: &ComparisonSet) -> Option<SetStatistics> {
        if set.included.is_empty() {
            return None;
        }
        let tried = Tried::of(&self.set_rounds());
        let included: BTreeSet<&RoundId> = set.included.iter().collect();
        let rounds = self.rounds.iter();
        let rounds = rounds.filter(|own| included.contains(&own.round.round_id));
        let drawn: Vec<(&OutlineAt, Option<Chance>)> =
            rounds.map(|own| (own, own.round.chance())).collect();
        let rounds = drawn.iter();
        let rounds = rounds.map(|(own, chance)| SetRound::of_outline(own, chance.as_ref()));
        let rounds: Vec<SetRound<'_>> = rounds.collect();
        Some(of_set(set, &by_id(&rounds), &tried, &Frames::default()))
    }
}
