//! What a comparison may claim, in one sentence that follows the evidence.

use crate::evidence::explanation::words::or_from;
use crate::evidence::inference::null::Stouffer;
use crate::evidence::inference::overlap::INFORMATIVE_WINDOWS;
use crate::evidence::inference::ties::holm;
use crate::evidence::statistics::{Estimate, LEVEL, ModelStatistics, SetStatistics};
use crate::values::ids::ModelId;

/// What can be told apart in a set, every family of tests corrected after Holm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Pairs of models that can be told apart.
    pub separable_pairs: usize,
    /// All pairs.
    pub pairs: usize,
    /// Models above the reference by more than chance explains.
    pub above_reference: Vec<ModelId>,
    /// Models below it by more than chance explains.
    pub below_reference: Vec<ModelId>,
    /// Models better than random portfolios.
    pub beyond_luck: Vec<ModelId>,
    /// Whether the windows are enough for intervals of scores to tell something.
    pub informative_scores: bool,
}

impl Claim {
    /// What the statistics of a set allow to say.
    pub fn of(statistics: &SetStatistics) -> Self {
        let below = 1.0 - LEVEL;
        let adjusted =
            |pair: &&crate::evidence::statistics::Pair| pair.p_adjusted.is_some_and(|p| p < below);
        let models: Vec<&ModelStatistics> = statistics.models.iter().map(|m| &m.model).collect();
        let apart: Vec<f64> = models
            .iter()
            .map(|m| m.alpha.as_ref().map_or(1.0, Estimate::p_apart))
            .collect();
        let (mut above, mut under) = (Vec::new(), Vec::new());
        for (model, p) in models.iter().zip(holm(&apart)) {
            let gap = model.alpha.as_ref().map_or(0.0, |alpha| alpha.value);
            if p < below && gap > 0.0 {
                above.push(model.model_id.clone());
            } else if p < below {
                under.push(model.model_id.clone());
            }
        }
        let luck: Vec<f64> = models
            .iter()
            .map(|m| m.luck.as_ref().map_or(1.0, Stouffer::p_apart))
            .collect();
        let lucky = models.iter().zip(holm(&luck)).filter(|(model, p)| {
            let better = model.luck.as_ref().is_some_and(|luck| luck.z > 0.0);
            *p < below && better
        });
        Self {
            separable_pairs: statistics.pairs.iter().filter(adjusted).count(),
            pairs: statistics.pairs.len(),
            above_reference: above,
            below_reference: under,
            beyond_luck: lucky.map(|(model, _)| model.model_id.clone()).collect(),
            informative_scores: statistics.effective_windows >= INFORMATIVE_WINDOWS,
        }
    }

    /// The claim in words; `reference` and `name` say how things are called.
    pub fn sentence(&self, reference: &str, name: impl Fn(&ModelId) -> String) -> String {
        let list = |ids: &[ModelId]| ids.iter().map(&name).collect::<Vec<_>>().join(", ");
        let mut inseparable = Vec::new();
        let mut parts = Vec::new();
        match (self.separable_pairs, self.pairs) {
            (_, 0) => {}
            (0, _) => inseparable.push("the others".to_owned()),
            (some, all) => parts.push(format!("{some} of {all} pairs of models are separable.")),
        }
        if self.above_reference.is_empty() && self.below_reference.is_empty() {
            inseparable.push(format!("the {reference}"));
        }
        if self.beyond_luck.is_empty() {
            inseparable.push("random portfolios".to_owned());
        }
        for (words, ids) in [
            (format!("Above the {reference}"), &self.above_reference),
            (format!("Below the {reference}"), &self.below_reference),
            ("Better than random portfolios".into(), &self.beyond_luck),
        ] {
            if !ids.is_empty() {
                parts.push(format!("{words}: {}.", list(ids)));
            }
        }
        if let Some(from) = or_from(inseparable) {
            parts.insert(0, format!("No model is separable from {from}."));
        }
        if !self.informative_scores {
            parts.push(format!(
                "Below {INFORMATIVE_WINDOWS} separate windows the intervals of scores are not \
                 informative."
            ));
        }
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests;
