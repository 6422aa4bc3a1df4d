//! Some models side by side, chosen by whoever asks.

use super::PublishError;
use super::standings::Standings;
use crate::evidence::statistics::SetStatistics;
use crate::publication::boards::comparison_set::{
    ComparisonSet, Origin, RosterRule, SetDefinition, SetPolicy, evaluate,
};
use crate::round::manifest::Track;
use crate::values::ids::ModelId;

/// Some models side by side, on the rounds they share.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Their rows, as a set that nobody named.
    pub set: ComparisonSet,
    /// What it may claim; none without a shared round.
    pub statistics: Option<SetStatistics>,
}

impl Standings {
    /// Compares models of a track on the resolved rounds that all of them completed; none where
    /// the track has no round.
    pub fn compare(
        &self,
        track: Track,
        model_ids: &[ModelId],
    ) -> Result<Option<Comparison>, PublishError> {
        let rounds = self.set_rounds();
        let Some(first) = rounds.iter().find(|round| round.track == Some(track)) else {
            return Ok(None);
        };
        let mut model_ids = model_ids.to_vec();
        model_ids.sort();
        model_ids.dedup();
        let definition = SetDefinition {
            set_id: format!("{}-comparison", track.as_str()),
            track,
            label: "Comparison".to_owned(),
            started_round_id: first.id.clone(),
            model_ids,
            rule: RosterRule::Contains,
            origin: Origin::Discovered,
        };
        let set = evaluate(
            &rounds,
            &definition,
            None,
            &SetPolicy::default(),
            &self.names,
        )?;
        let statistics = self.statistics(&set);
        Ok(Some(Comparison { set, statistics }))
    }
}
