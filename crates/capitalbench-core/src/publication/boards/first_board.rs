//! The board that a track shows first, and what a reader should know beside it.
//!
//! It follows the league: it is that of the roster of the newest round. A roster that just changed
//! shares no resolved round yet; until it does, the set with most of its models is shown, and the
//! missing ones are named with their reason. Where the operator wrote sets for a track, those decide.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::comparison_set::{ComparisonSet, Origin, SetStatus};
use super::set_round::SetRound;
use crate::asking::missing_answer::NoAnswer;
use crate::publication::Publication;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

#[derive(Debug, Clone, PartialEq)]
pub struct FirstBoard<'a> {
    pub set: &'a ComparisonSet,
    /// The set with the most rounds, where it has more of them.
    pub larger: Option<&'a ComparisonSet>,
    /// Why models of the newest round's roster are not in the set, or keep rounds out of it.
    pub absences: Vec<Absence>,
}

/// Resolved rounds of a track that a model has no result in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    pub model_id: ModelId,
    /// The day of its first decision, where the track had rounds before.
    pub joined: Option<Date>,
    /// Resolved rounds since then.
    pub rounds: usize,
    /// Those of them without a valid answer, by reason.
    pub no_answer: BTreeMap<NoAnswer, usize>,
    /// Those of them that it was not asked in.
    pub not_asked: usize,
}

impl Publication {
    /// The board of a track that is shown first; none where the track has no set.
    pub fn first_board(&self, track: Track) -> Option<FirstBoard<'_>> {
        let rounds: Vec<SetRound<'_>> = self.rounds.iter().map(SetRound::of).collect();
        first_board(&self.comparison_sets, &rounds, track)
    }
}

pub(crate) fn first_board<'a>(
    sets: &'a [ComparisonSet],
    rounds: &[SetRound<'_>],
    track: Track,
) -> Option<FirstBoard<'a>> {
    let sets = || sets.iter().filter(|set| set.definition.track == track);
    if sets().any(|set| set.definition.origin == Origin::Policy) {
        let set = sets().max_by_key(|set| (set.status == SetStatus::Current, set.included.len()));
        return set.map(|set| FirstBoard {
            set,
            larger: None,
            absences: Vec::new(),
        });
    }
    let mut of_track: Vec<&SetRound<'_>> = rounds.iter().collect();
    of_track.retain(|round| round.track == Some(track) && !round.expected().is_empty());
    of_track.sort_by_key(|round| round.decided());
    let roster = of_track.last().map(|round| round.expected());
    let roster = roster.unwrap_or_default();
    let chosen = |set: &&ComparisonSet| {
        let members = set.definition.model_ids.iter();
        let (all, inside) = (
            members.len(),
            members.filter(|id| is_in(&roster, id)).count(),
        );
        let is_roster = inside == all && inside == roster.len();
        let shares = !set.included.is_empty();
        (shares, is_roster, inside, set.included.len())
    };
    let set = sets().max_by_key(chosen)?;
    let most = sets().max_by_key(|set| set.included.len());
    let absences = roster.iter().filter_map(|id| absence(id, &of_track));
    Some(FirstBoard {
        set,
        larger: most.filter(|most| most.included.len() > set.included.len()),
        absences: absences.collect(),
    })
}

fn is_in(roster: &[&ModelId], id: &ModelId) -> bool {
    roster.binary_search(&id).is_ok()
}

/// The resolved rounds that a model has no result in; none where there is no such round.
fn absence(id: &ModelId, rounds: &[&SetRound<'_>]) -> Option<Absence> {
    let took_part = |round: &&SetRound<'_>| is_in(&round.expected(), id);
    let first = rounds.iter().position(took_part)?;
    let resolved = |rounds: &[&SetRound<'_>]| {
        let own = rounds.iter().filter(|round| round.result.is_some());
        own.count()
    };
    let joined = rounds[first].decision_date;
    let mut found = Absence {
        model_id: id.clone(),
        joined: joined.filter(|_| resolved(&rounds[..first]) > 0),
        rounds: resolved(&rounds[first..]),
        no_answer: BTreeMap::new(),
        not_asked: 0,
    };
    for round in rounds[first..]
        .iter()
        .filter(|round| round.result.is_some())
    {
        if let Some((_, why)) = round.missing.iter().find(|(own, _)| *own == id) {
            *found.no_answer.entry(*why).or_default() += 1;
        } else if !round.roster.contains(&id) {
            found.not_asked += 1;
        }
    }
    let present = found.joined.is_none() && found.no_answer.is_empty() && found.not_asked == 0;
    (!present).then_some(found)
}
