//! What invented models answer: a portfolio by seed, round and model, in few words.

use capitalbench_core::decision::submission::MODE;
use capitalbench_core::evidence::inference::random::Random;
use capitalbench_core::values::ids::{Digest, ModelId};
use serde_json::{Map, Value, json};

use super::Scene;

/// Steps of five percent in a whole portfolio.
const STEPS: usize = 20;
/// Most holdings.
const MOST: usize = 5;
/// Who serves the invented models.
pub(super) const PROVIDER: &str = "synthetic";

/// The reply of a model, without the fields a runner adds.
pub(super) fn reply(scene: &Scene, round_id: &str, model_id: &ModelId) -> Map<String, Value> {
    let seed = Digest::of(format!("bench archive {} {round_id}", scene.plan.seed).as_bytes());
    let mut random = Random::of(seed, model_id.as_str());
    let options = scene.universe.options();
    let count = 1 + random.index(MOST);
    let mut held: Vec<usize> = Vec::with_capacity(count);
    while held.len() < count {
        let option = random.index(options.len());
        if !held.contains(&option) {
            held.push(option);
        }
    }
    let mut left = STEPS;
    let portfolio: Vec<Value> = held
        .iter()
        .enumerate()
        .map(|(place, option)| {
            let others = count - place - 1;
            let steps = if others == 0 {
                left
            } else {
                1 + random.index(left - others)
            };
            left -= steps;
            json!({"option_id": options[*option].id.as_str(), "allocation_pct": 5 * steps,
                "rationale": "By lot."})
        })
        .collect();
    let confidence = 0.5 + 0.05 * f64::from(u8::try_from(random.index(8)).unwrap_or_default());
    let reply = json!({
        "round_id": round_id,
        "model_id": model_id.as_str(),
        "provider": PROVIDER,
        "mode": MODE,
        "portfolio": portfolio,
        "confidence": (confidence * 100.0).round() / 100.0,
        "rationale_summary": "Drawn by lot.",
        "portfolio_rationale": "Invented to measure speed.",
        "key_risks": ["Chance.", "More chance."],
    });
    match reply {
        Value::Object(reply) => reply,
        _ => Map::new(),
    }
}
