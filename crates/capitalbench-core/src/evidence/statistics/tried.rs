//! What was tried besides what a set shows: other versions of the rules, and models that are gone.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::Retired;
use crate::publication::boards::set_round::SetRound;
use crate::round::manifest::Track;
use crate::values::ids::ModelId;
use crate::values::sums::{mean, real};

/// What was tried in all, whatever a set shows.
#[derive(Debug)]
pub(crate) struct Tried {
    /// How many labels resolved rounds follow: only those were tried.
    pub(super) versions: f64,
    /// Models that are asked no more, by track.
    pub(super) retired: BTreeMap<Track, Vec<Retired>>,
}

impl Tried {
    /// Of all rounds in order of their key.
    pub(crate) fn of(set_rounds: &[SetRound<'_>]) -> Self {
        let tried = set_rounds.iter().filter(|round| round.result.is_some());
        let labels: BTreeSet<Option<&str>> = tried.map(|round| round.label).collect();
        let retired = [Track::Weekly, Track::Monthly].map(|track| {
            let own = set_rounds.iter().filter(|round| round.track == Some(track));
            (track, retired(own))
        });
        Self {
            versions: real(labels.len().max(1)),
            retired: retired.into(),
        }
    }
}

/// The models of a track's resolved rounds that were not asked on the newest day of decision among
/// them, in order of id.
fn retired<'a>(rounds: impl Iterator<Item = &'a SetRound<'a>>) -> Vec<Retired> {
    let mut gaps: BTreeMap<&ModelId, Vec<f64>> = BTreeMap::new();
    let mut newest: (Option<Date>, BTreeSet<&ModelId>) = (None, BTreeSet::new());
    for round in rounds {
        let Some(result) = &round.result else {
            continue;
        };
        for standing in result.models() {
            let own = gaps.entry(standing.model_id).or_default();
            own.push(standing.alpha.get());
        }
        if newest.0 < round.decision_date {
            newest = (round.decision_date, BTreeSet::new());
        }
        if newest.0 == round.decision_date {
            newest.1.extend(round.roster.iter().copied());
        }
    }
    gaps.retain(|id, _| !newest.1.contains(id));
    let retired = gaps.into_iter().map(|(id, gaps)| Retired {
        model_id: id.clone(),
        rounds: gaps.len(),
        gap: mean(&gaps),
    });
    retired.collect()
}
