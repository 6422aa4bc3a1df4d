//! Some models side by side, chosen by whoever asks.

use super::{Publication, PublishError};
use crate::boards::comparison_set::{
    ComparisonSet, Origin, RosterRule, SetDefinition, SetPolicy, evaluate,
};
use crate::ids::ModelId;
use crate::manifest::Track;
use crate::statistics::{Frames, SetStatistics, methodology_versions, of_set};

/// Some models side by side, on the rounds they share.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Their rows, as a set that nobody named.
    pub set: ComparisonSet,
    /// What it may claim; none without a shared round.
    pub statistics: Option<SetStatistics>,
}

impl Publication {
    /// Compares models of a track on the resolved rounds that all of them completed; none where
    /// the track has no round.
    pub fn compare(
        &self,
        track: Track,
        model_ids: &[ModelId],
    ) -> Result<Option<Comparison>, PublishError> {
        let mut of_track = self.rounds.iter().filter(|r| r.track == Some(track));
        let Some(first) = of_track.next() else {
            return Ok(None);
        };
        let mut model_ids = model_ids.to_vec();
        model_ids.sort();
        model_ids.dedup();
        let definition = SetDefinition {
            set_id: format!("{}-comparison", track.as_str()),
            track,
            label: "Comparison".to_owned(),
            started_round_id: first.id().clone(),
            model_ids,
            rule: RosterRule::Contains,
            origin: Origin::Discovered,
        };
        let policy = SetPolicy::default();
        let set = evaluate(&self.rounds, &definition, None, &policy, &self.names)?;
        let statistics = (!set.included.is_empty()).then(|| {
            let by_id = self
                .rounds
                .iter()
                .map(|round| (round.id(), round))
                .collect();
            of_set(
                &set,
                &by_id,
                methodology_versions(&self.rounds),
                &Frames::default(),
            )
        });
        Ok(Some(Comparison { set, statistics }))
    }
}
