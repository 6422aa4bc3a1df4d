//! What a comparison may claim, in one sentence that follows the evidence.

use crate::evidence::explanation::words::{counted, or_from};
use crate::evidence::inference::excess::LuckTest;
use crate::evidence::inference::overlap::INFORMATIVE_WINDOWS;
use crate::evidence::inference::ties::holm;
use crate::evidence::statistics::{Estimate, LEVEL, ModelStatistics, Retired, SetStatistics};
use crate::market::reference_name::ReferenceName;
use crate::values::ids::ModelId;
use crate::values::units::signed_percent;

/// Said where luck cannot be tested.
pub const NO_LUCK_TEST: &str = "Luck is not tested: the test needs two rounds that froze 60 daily \
                                returns before the decision.";

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
    /// Whether luck is tested at all: rounds must have frozen daily returns.
    pub luck_tested: bool,
    /// Whether the windows are enough for intervals of scores to tell something.
    pub informative_scores: bool,
}

/// Who is missing from a table because they are asked no more, and what that does to the rest; none
/// where nobody is.
pub fn retired_sentence(
    retired: &[Retired],
    reference: &str,
    name: impl Fn(&ModelId) -> String,
) -> Option<String> {
    let the = ReferenceName::from(reference).the();
    let one = |model: &Retired| {
        let (gap, many) = (signed_percent(model.gap), counted(model.rounds, "round"));
        format!(
            "{} ({gap} a round against {the}, {many})",
            name(&model.model_id)
        )
    };
    let all: Vec<String> = retired.iter().map(one).collect();
    (!all.is_empty()).then(|| {
        format!(
            "Asked no more and not in the table: {}. Those who stay look better than all who began, \
             since a model that did badly is replaced sooner.",
            all.join(", ")
        )
    })
}

impl Claim {
    /// What the statistics of a set allow to say.
    pub fn of(statistics: &SetStatistics) -> Self {
        let below = 1.0 - LEVEL;
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
            .map(|m| m.luck_test.as_ref().map_or(1.0, LuckTest::p_apart))
            .collect();
        let lucky = models.iter().zip(holm(&luck)).filter(|(model, p)| {
            let better = model.luck_test.is_some_and(|luck| luck.z > 0.0);
            *p < below && better
        });
        Self {
            separable_pairs: statistics.pairs.iter().filter(|pair| pair.apart()).count(),
            pairs: statistics.pairs.len(),
            above_reference: above,
            below_reference: under,
            beyond_luck: lucky.map(|(model, _)| model.model_id.clone()).collect(),
            luck_tested: models.iter().any(|m| m.luck_test.is_some()),
            informative_scores: statistics.effective_windows >= INFORMATIVE_WINDOWS,
        }
    }

    /// The claim in words; `reference` and `name` say how things are called.
    pub fn sentence(&self, reference: &str, name: impl Fn(&ModelId) -> String) -> String {
        let list = |ids: &[ModelId]| ids.iter().map(&name).collect::<Vec<_>>().join(", ");
        let the = ReferenceName::from(reference).the();
        let mut inseparable = Vec::new();
        let mut parts = Vec::new();
        match (self.separable_pairs, self.pairs) {
            (_, 0) => {}
            (0, _) => inseparable.push("the others".to_owned()),
            (some, all) => parts.push(format!("{some} of {all} pairs of models are separable.")),
        }
        if self.above_reference.is_empty() && self.below_reference.is_empty() {
            inseparable.push(the.clone());
        }
        if self.luck_tested && self.beyond_luck.is_empty() {
            inseparable.push("random portfolios".to_owned());
        }
        for (words, ids) in [
            (format!("Above {the}"), &self.above_reference),
            (format!("Below {the}"), &self.below_reference),
            ("Better than random portfolios".into(), &self.beyond_luck),
        ] {
            if !ids.is_empty() {
                parts.push(format!("{words}: {}.", list(ids)));
            }
        }
        if let Some(from) = or_from(inseparable) {
            parts.insert(0, format!("No model is separable from {from}."));
        }
        if !self.luck_tested {
            parts.push(NO_LUCK_TEST.to_owned());
        }
        if !self.informative_scores {
            parts.push(format!(
                "Below {INFORMATIVE_WINDOWS} effective windows scores have no interval."
            ));
        }
        parts.join(" ")
    }
}

#[cfg(test)]
mod tests;
