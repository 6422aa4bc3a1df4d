//! Judgment rounds: a fixed candidate slate, ranked assessments, and the portfolio that follows.
//!
//! The model ranks and labels candidates; the weights come from a rule, so the same judgment
//! always gives the same portfolio.

use serde_json::{Map, Value, json};

use crate::decision::submission::{Problem, RUN_FIELDS};
use crate::market::universe::Universe;

mod assess;
mod slate;

pub use assess::{Assessment, Interpretation};
pub use slate::{Candidate, ContextRow, Lane, Slate, SlateError};

/// The option that takes every unused slot.
pub const REFERENCE_ID: &str = "SP500";
/// Slot weights in percent, best rank first.
pub const SLOTS_PCT: [u32; 3] = [35, 35, 30];
/// A pick must be thought to beat the reference with at least this probability.
pub const HURDLE_PCT: f64 = 55.0;
const LABEL: &str = "portfolio-v3.0";
/// Stored beside every derived confidence; part of the file format.
const CONFIDENCE_NOTE: &str =
    "mean selected-active p_beat_spy_pct; 0.5 when all slots fall back to SPY";
/// Stored as the rationale of the reference's share; part of the file format.
const FALLBACK_NOTE: &str =
    "Deterministic SPY fallback for V3 slots without an eligible active candidate.";

/// What the rule decided about one assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Took a slot.
    Picked,
    /// Would qualify, but all slots were taken.
    NoSlotLeft,
    /// Is the reference itself.
    Reference,
    /// Was not called an overreaction.
    NotOverreaction,
    /// Probability below the hurdle.
    BelowHurdle,
}

impl Verdict {
    fn reason(self) -> &'static str {
        match self {
            Self::Picked => "eligible",
            Self::NoSlotLeft => "outside_available_slots",
            Self::Reference => "benchmark_fallback",
            Self::NotOverreaction => "not_overreaction",
            Self::BelowHurdle => "below_probability_hurdle",
        }
    }

    fn eligible(self) -> bool {
        matches!(self, Self::Picked | Self::NoSlotLeft)
    }
}

/// Decides every assessment, in rank order.
pub fn construct(ranked: &[Assessment]) -> Vec<(&Assessment, Verdict)> {
    let mut picked = 0;
    ranked
        .iter()
        .map(|assessment| {
            let verdict = if assessment.option_id == REFERENCE_ID {
                Verdict::Reference
            } else if assessment.interpretation != Interpretation::Overreaction {
                Verdict::NotOverreaction
            } else if assessment.p_beat_pct < HURDLE_PCT {
                Verdict::BelowHurdle
            } else if picked == SLOTS_PCT.len() {
                Verdict::NoSlotLeft
            } else {
                picked += 1;
                Verdict::Picked
            };
            (assessment, verdict)
        })
        .collect()
}

/// Checks a raw judgment and writes the submission that follows from it.
pub(crate) fn materialize(
    raw: &Map<String, Value>,
    slate: &Slate,
    universe: &Universe,
) -> Result<Map<String, Value>, Vec<Problem>> {
    let ranked = assess::read(raw, slate, universe)?;
    let decided = construct(&ranked);
    let picks: Vec<&Assessment> = decided
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Picked)
        .map(|(assessment, _)| *assessment)
        .collect();
    let weights = weights(&picks);
    let trimmed = |name: &str| {
        let text = raw.get(name).and_then(Value::as_str).unwrap_or_default();
        Value::from(text.trim())
    };
    let mut built = Map::new();
    let identifiers = ["round_id", "model_id", "provider", "mode", "key_risks"];
    for name in identifiers.into_iter().chain(RUN_FIELDS) {
        if let Some(value) = raw.get(name) {
            built.insert(name.to_owned(), value.clone());
        }
    }
    built.insert("portfolio".into(), portfolio(&weights, &picks));
    built.insert("confidence".into(), json!(confidence(&picks)));
    built.insert("rationale_summary".into(), trimmed("market_rationale"));
    built.insert("portfolio_rationale".into(), trimmed("portfolio_rationale"));
    let record = record(raw, slate, &decided, &weights);
    built.insert("metadata".into(), json!({ "portfolio_v3": record }));
    Ok(built)
}

/// Weights in percent: picks by slot, then the reference with what is left.
fn weights<'a>(picks: &[&'a Assessment]) -> Vec<(&'a str, u32)> {
    let mut weights: Vec<(&str, u32)> = picks
        .iter()
        .zip(SLOTS_PCT)
        .map(|(pick, percent)| (pick.option_id.as_str(), percent))
        .collect();
    let rest: u32 = SLOTS_PCT[picks.len()..].iter().sum();
    if rest > 0 {
        weights.push((REFERENCE_ID, rest));
    }
    weights
}

fn portfolio(weights: &[(&str, u32)], picks: &[&Assessment]) -> Value {
    let holdings = weights.iter().enumerate().map(|(index, (option_id, percent))| {
        let rationale = match picks.get(index) {
            Some(pick) => format!(
                "V3 selected model rank {}: overreaction with {}% estimated probability of beating SPY.",
                pick.rank, pick.p_beat_pct
            ),
            None => FALLBACK_NOTE.to_owned(),
        };
        json!({"option_id": option_id, "allocation_pct": percent, "rationale": rationale})
    });
    Value::Array(holdings.collect())
}

/// Mean stated probability of the picks, to four decimals; one half without a pick.
fn confidence(picks: &[&Assessment]) -> f64 {
    if picks.is_empty() {
        return 0.5;
    }
    let sum: f64 = picks.iter().map(|pick| pick.p_beat_pct).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most three picks")]
    let mean = sum / picks.len() as f64 / 100.0;
    format!("{mean:.4}").parse().unwrap_or(mean)
}

fn record(
    raw: &Map<String, Value>,
    slate: &Slate,
    decided: &[(&Assessment, Verdict)],
    weights: &[(&str, u32)],
) -> Value {
    let given = |name: &str| raw.get(name).cloned().unwrap_or(Value::Null);
    let decisions = decided.iter().map(|(assessment, verdict)| {
        json!({
            "option_id": assessment.option_id,
            "rank": assessment.rank,
            "recent_return_interpretation": assessment.interpretation.as_str(),
            "p_beat_spy_pct": assessment.p_beat_pct,
            "eligible": verdict.eligible(),
            "selected": *verdict == Verdict::Picked,
            "reason": verdict.reason(),
        })
    });
    let picked = decided
        .iter()
        .filter(|(_, verdict)| *verdict == Verdict::Picked);
    let selected = picked.map(|(assessment, _)| Value::from(assessment.option_id.as_str()));
    let allocation: Map<String, Value> = weights
        .iter()
        .map(|(id, percent)| ((*id).to_owned(), json!(f64::from(*percent))))
        .collect();
    json!({
        "methodology_version": LABEL,
        "candidate_slate_option_ids": slate.option_ids(),
        "candidate_assessments": given("candidate_assessments"),
        "top3_option_ids": given("top3_option_ids"),
        "prefer_spy": given("prefer_spy"),
        "dispersion_state": given("dispersion_state"),
        "dominant_pattern": given("dominant_pattern"),
        "market_rationale": given("market_rationale"),
        "confidence_derivation": CONFIDENCE_NOTE,
        "deterministic_allocation": {
            "methodology_version": LABEL,
            "benchmark_option_id": REFERENCE_ID,
            "minimum_beat_spy_probability_pct": HURDLE_PCT,
            "slot_weights_pct": SLOTS_PCT.map(f64::from),
            "selected_active_option_ids": selected.collect::<Vec<Value>>(),
            "allocation_pct": allocation,
            "decisions": decisions.collect::<Vec<Value>>(),
        },
    })
}

#[cfg(test)]
mod tests;
