//! What models answer.

use capitalbench_archive::entering::agent::{read_answer, transcript_bytes};
use capitalbench_archive::format::{run::submission as form, text::json};
use capitalbench_archive::run::run_folder::parse_payload;
use capitalbench_core::asking::run::{RunKind, RunRules};
use capitalbench_core::decision::submission::reply::{Ending, find_object, read_reply};
use capitalbench_core::decision::submission::{Decision, PayloadForm, RoundRules, validate};
use serde_json::Value;

use crate::is_in_proportion;
use crate::samples::ROUNDS;

/// A model's text: the ladder and the older rule.
pub fn submission_reply(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for ending in [Ending::Complete, Ending::Unsure] {
        match read_reply(&text, ending) {
            Ok((object, _)) => {
                assert!(object.is_object());
                holds(&object);
            }
            Err(fault) => is_in_proportion(&fault.to_string(), bytes),
        }
    }
    if let Some(object) = find_object(&text) {
        holds(&object);
    }
}

/// A submission file: what is valid is written, and reads the same.
pub fn submission(bytes: &[u8]) {
    for name in ["a.json", "a.yaml"] {
        match parse_payload(name, bytes) {
            Ok(payload) => holds(&payload),
            Err(fault) => is_in_proportion(&fault.to_string(), bytes),
        }
    }
}

fn holds(payload: &Value) {
    for inputs in ROUNDS.iter() {
        let rules = RoundRules {
            manifest: &inputs.manifest,
            universe: &inputs.universe,
            slate: inputs.slate.as_ref(),
            run: RunRules {
                kind: RunKind::Official,
                replicates: 1,
            },
        };
        let Ok(submission) = validate(payload, PayloadForm::Raw, &rules) else {
            continue;
        };
        if let Decision::Portfolio(holdings) = &submission.decision {
            let most = inputs.manifest.constraints.max_holdings;
            assert!(holdings.len() <= most as usize);
        }
        let total: u32 = (submission.decision.holdings().iter())
            .map(|holding| holding.weight.get())
            .sum();
        assert_eq!(total, 10_000);
        let text = form::render(&submission);
        let again = json::parse(text.as_bytes()).expect("our own JSON");
        let again = validate(&again, PayloadForm::Parsed, &rules).expect("our own submission");
        assert_eq!(form::render(&again), text);
    }
}

/// What an agent answers; its transcript is written as it is sealed.
pub fn agent_answer(bytes: &[u8]) {
    match read_answer(bytes) {
        Ok(told) => {
            let steps = transcript_bytes(&told.answer.transcript);
            assert!(json::parse(&steps).is_ok_and(|steps| steps.is_array()));
        }
        Err(fault) => is_in_proportion(&fault.to_string(), bytes),
    }
}
