//! Models whose record goes on under another id.
//!
//! The operator says so before the first call: `continues` of the models file is frozen in the plan of
//! the run, and the log holds the digest of that plan. From that round on both ids are one contestant,
//! under the newest id; rounds keep the ids that they were stored with. A word that would merge two
//! models of one round, close a circle or take a record that somebody else continues is refused.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use super::boards::set_round::SetRound;
use super::{PublicRound, Publication};
use crate::values::ids::{ModelId, RoundId};

/// Who took part in a round, and which records they continue.
#[derive(Debug, Clone)]
pub struct Cast<'a> {
    pub round_id: &'a RoundId,
    /// Day and deadline of the decision; a record is continued from the earlier to the later.
    pub decided: (Option<Date>, Option<Timestamp>),
    pub models: Vec<&'a ModelId>,
    /// A model and the one whose record it continues.
    pub continues: Vec<(&'a ModelId, &'a ModelId)>,
}

impl<'a> Cast<'a> {
    fn of(round: &SetRound<'a>) -> Self {
        Self {
            round_id: round.id,
            decided: round.decided(),
            models: round.stored.clone(),
            continues: round.continues().collect(),
        }
    }
}

/// A word of the operator that does not count, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRename {
    pub round_id: RoundId,
    pub model_id: ModelId,
    pub continues: ModelId,
    pub why: WhyRefused,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyRefused {
    #[error("{0} takes part in the same round")]
    StillPlays(ModelId),
    #[error("{0} and {1} both took part in {2}, and one round cannot count twice for one model")]
    SharedRound(ModelId, ModelId, RoundId),
    #[error("{0} is continued by {1} already")]
    ContinuedBefore(ModelId, ModelId),
    #[error("{0} was itself continued by {1}, so the records would form a circle")]
    Circle(ModelId, ModelId),
}

/// Which model goes on as which.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    next: BTreeMap<ModelId, ModelId>,
    pub refused: Vec<RefusedRename>,
}

impl Renames {
    /// Reads the word of every round in order of decision.
    pub fn of(mut casts: Vec<Cast<'_>>) -> Self {
        if casts.iter().all(|cast| cast.continues.is_empty()) {
            return Self::default();
        }
        casts.sort_by(|a, b| (a.decided, a.round_id).cmp(&(b.decided, b.round_id)));
        let mut found = Self::default();
        for (place, cast) in casts.iter().enumerate() {
            for (model_id, other) in &cast.continues {
                if found.newest(other) == *model_id {
                    continue;
                }
                match found.refusal((*model_id, *other), &casts[..=place]) {
                    None => drop(found.next.insert((*other).clone(), (*model_id).clone())),
                    Some(why) => found.refuse(cast.round_id, (*model_id, *other), why),
                }
            }
        }
        found.part(&casts);
        found
    }

    pub(crate) fn of_rounds(rounds: &[SetRound<'_>]) -> Self {
        // Most records continue nothing; then nobody has to be looked at.
        if rounds
            .iter()
            .all(|round| round.continues().next().is_none())
        {
            return Self::default();
        }
        Self::of(rounds.iter().map(Cast::of).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.next.is_empty()
    }

    /// The id under which a model's record stands.
    pub fn newest<'a>(&'a self, id: &'a ModelId) -> &'a ModelId {
        let mut newest = id;
        // Circles are refused, so this ends.
        while let Some(next) = self.next.get(newest) {
            newest = next;
        }
        newest
    }

    /// The model whose record a model continues.
    pub fn before(&self, id: &ModelId) -> Option<&ModelId> {
        let mut all = self.next.iter();
        all.find_map(|(old, new)| (new == id).then_some(old))
    }

    /// Those of some models that go on under another id, with that id.
    pub(crate) fn among<'a>(
        &self,
        models: impl IntoIterator<Item = &'a ModelId>,
    ) -> BTreeMap<ModelId, ModelId> {
        let models = models.into_iter().filter(|id| self.next.contains_key(*id));
        models
            .map(|id| (id.clone(), self.newest(id).clone()))
            .collect()
    }

    fn refuse(&mut self, round: &RoundId, (model, other): (&ModelId, &ModelId), why: WhyRefused) {
        self.refused.push(RefusedRename {
            round_id: round.clone(),
            model_id: model.clone(),
            continues: other.clone(),
            why,
        });
    }

    /// Why a model cannot continue another in the last of these rounds.
    fn refusal(
        &self,
        (model, other): (&ModelId, &ModelId),
        casts: &[Cast<'_>],
    ) -> Option<WhyRefused> {
        let plays = |cast: &Cast<'_>, id: &ModelId| {
            let found = cast
                .models
                .iter()
                .find(|own| self.newest(own) == self.newest(id));
            found.map(|own| (*own).clone())
        };
        let last = casts.last()?;
        if self.newest(model) == self.newest(other) {
            let by = self.newest(model).clone();
            return Some(WhyRefused::Circle(model.clone(), by));
        }
        if let Some(own) = plays(last, other) {
            return Some(WhyRefused::StillPlays(own));
        }
        if let Some(by) = self.next.get(other) {
            return Some(WhyRefused::ContinuedBefore(other.clone(), by.clone()));
        }
        if let Some(by) = self.next.get(model) {
            return Some(WhyRefused::Circle(model.clone(), by.clone()));
        }
        casts.iter().find_map(|cast| {
            let (a, b) = (plays(cast, model)?, plays(cast, other)?);
            Some(WhyRefused::SharedRound(a, b, cast.round_id.clone()))
        })
    }

    /// Takes records apart again that a later round would merge with themselves.
    fn part(&mut self, casts: &[Cast<'_>]) {
        let mut parted: BTreeSet<ModelId> = BTreeSet::new();
        let mut refused = Vec::new();
        for cast in casts {
            let mut seen: BTreeMap<&ModelId, &ModelId> = BTreeMap::new();
            for id in cast.models.iter().copied() {
                let newest = self.newest(id);
                if let Some(other) = seen.insert(newest, id).filter(|other| *other != id) {
                    let (old, new) = if self.next.contains_key(id) {
                        (id, other)
                    } else {
                        (other, id)
                    };
                    refused.push((cast.round_id, (new.clone(), old.clone())));
                    parted.insert(newest.clone());
                }
            }
        }
        let apart: Vec<ModelId> = self
            .next
            .keys()
            .filter(|id| parted.contains(self.newest(id)))
            .cloned()
            .collect();
        self.next.retain(|id, _| !apart.contains(id));
        for (round, (new, old)) in refused {
            let why = WhyRefused::StillPlays(old.clone());
            self.refuse(round, (&new, &old), why);
        }
    }
}

impl PublicRound {
    /// The id under which the record of one of its models stands today.
    pub fn contestant<'a>(&'a self, id: &'a ModelId) -> &'a ModelId {
        self.continued.get(id).unwrap_or(id)
    }

    /// The id under which a contestant took part here; the same id where it has no other.
    pub fn stored<'a>(&'a self, id: &'a ModelId) -> &'a ModelId {
        let mut continued = self.continued.iter();
        let found = continued.find_map(|(own, newest)| (newest == id).then_some(own));
        found.unwrap_or(id)
    }
}

impl Publication {
    /// Every id with a public decision, with the id that its record has today.
    pub fn contestants(&self) -> BTreeMap<&ModelId, &ModelId> {
        let mut found = BTreeMap::new();
        for round in &self.rounds {
            let ids = round.submissions().into_iter().map(|own| &own.model_id);
            found.extend(ids.map(|id| (id, round.contestant(id))));
        }
        found
    }

    /// Which model goes on as which.
    pub fn renames(&self) -> Renames {
        let seen: Vec<SetRound<'_>> = self.rounds.iter().map(SetRound::of).collect();
        Renames::of_rounds(&seen)
    }
}

/// Notes in every round which of its models go on under another id.
///
/// Whoever puts rounds of a publication together from their parts calls this last.
pub fn continue_records(rounds: &mut [PublicRound]) -> Renames {
    let seen: Vec<SetRound<'_>> = rounds.iter().map(SetRound::of).collect();
    let renames = Renames::of_rounds(&seen);
    if !renames.is_empty() {
        for round in rounds {
            let models = round.submissions().into_iter().map(|own| &own.model_id);
            round.continued =
                renames.among(models.chain(round.missing().iter().map(|own| &own.model_id)));
        }
    }
    renames
}

#[cfg(test)]
mod tests;
