use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::call_settings::{Asked, CallSettings};
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;

use super::*;
use crate::run::ledger::{Begun, Ended};

const REPAIRED: &str = "2026-12-06T12:00:00Z";

fn planned() -> PlannedSlot {
    PlannedSlot {
        slot: Slot {
            model_id: ModelId::parse("m").unwrap(),
            replicate: 1,
        },
        provider: "openai".to_owned(),
        api_model_name: "gpt-5.2".to_owned(),
        settings: Some(CallSettings {
            served_models: vec!["house".to_owned()],
            ..CallSettings::default()
        }),
        display_name: None,
        continues: None,
    }
}

fn repair() -> Repair {
    Repair {
        number: 1,
        model_id: ModelId::parse("m").unwrap(),
        from: "gpt-5.2".to_owned(),
        to: "gpt-5.3".to_owned(),
        reason: "retired".to_owned(),
        repaired_at_utc: WrittenInstant::parse(REPAIRED).unwrap(),
        price: None,
        price_cards: Vec::new(),
    }
}

/// An attempt at this minute, with a request of this name and body.
fn attempt(number: u32, at: &str, name: &str, body: &str) -> AttemptRecord {
    AttemptRecord {
        begun: Begun {
            model_id: "m".to_owned(),
            replicate_index: 1,
            attempt: number,
            started_at_utc: format!("2026-12-06T{at}:00Z"),
            input_sha256: String::new(),
            base_url: None,
            asked: Some(Asked {
                api_model_name: name.to_owned(),
                body_sha256: body.to_owned(),
                ..Asked::default()
            }),
        },
        answer: None,
        ended: Some(Ended {
            status: "failed".to_owned(),
            reason: Some("key".to_owned()),
            ..Ended::default()
        }),
    }
}

fn answered(record: AttemptRecord, served: &str) -> AttemptRecord {
    AttemptRecord {
        ended: Some(Ended {
            status: "valid".to_owned(),
            served_model: Some(served.to_owned()),
            ..Ended::default()
        }),
        ..record
    }
}

fn codes(planned: &PlannedSlot, repairs: &[Repair], attempts: &[AttemptRecord]) -> Vec<Code> {
    let found = in_slot(planned, repairs, attempts).into_iter();
    found.map(|(_, _, code, _)| code).collect()
}

#[test]
fn a_slot_sends_one_request_unless_a_repair_names_another_model() {
    let own = planned();
    let same = [
        attempt(1, "11:00", "gpt-5.2", "a"),
        attempt(2, "11:01", "gpt-5.2", "a"),
    ];
    assert_eq!(codes(&own, &[], &same), []);
    let other = [
        attempt(1, "11:00", "gpt-5.2", "a"),
        attempt(2, "11:01", "gpt-5.2", "b"),
    ];
    assert_eq!(codes(&own, &[], &other), [Code::RequestDiffers]);
    let repaired = [
        attempt(1, "11:00", "gpt-5.2", "a"),
        attempt(2, "12:01", "gpt-5.3", "b"),
    ];
    assert_eq!(codes(&own, &[repair()], &repaired), []);
    // The new name before its repair, and the old one after it.
    assert_eq!(codes(&own, &[], &repaired), [Code::ModelNameDiffers]);
    let late = [attempt(1, "12:01", "gpt-5.2", "a")];
    assert_eq!(codes(&own, &[repair()], &late), [Code::ModelNameDiffers]);
}

#[test]
fn a_valid_answer_comes_from_the_planned_model() {
    let own = planned();
    let first = || attempt(1, "11:00", "gpt-5.2", "a");
    for served in ["gpt-5.2", "gpt-5.2-2025-12-11", "house"] {
        assert_eq!(
            codes(&own, &[], &[answered(first(), served)]),
            [],
            "{served}"
        );
    }
    let mini = [answered(first(), "gpt-5.2-mini")];
    assert_eq!(codes(&own, &[], &mini), [Code::ModelNameDiffers]);
    // A plan without settings froze no other names, so nothing can be said.
    let older = PlannedSlot {
        settings: None,
        ..own
    };
    assert_eq!(codes(&older, &[], &mini), []);
}

#[test]
fn a_repair_follows_only_rejections() {
    let rejected = attempt(1, "11:00", "gpt-5.2", "a");
    assert_eq!(unfounded(&repair(), std::slice::from_ref(&rejected)), None);
    let text = unfounded(&repair(), &[]).expect("a problem");
    assert!(text.contains("was not asked"), "{text}");
    for other in [
        answered(rejected.clone(), "gpt-5.2"),
        AttemptRecord {
            ended: None,
            ..rejected.clone()
        },
    ] {
        let text = unfounded(&repair(), &[rejected.clone(), other]).expect("a problem");
        assert!(text.contains("may have been answered"), "{text}");
    }
    // What came after the repair is no reason against it.
    let later = answered(attempt(2, "12:01", "gpt-5.3", "b"), "gpt-5.3");
    assert_eq!(unfounded(&repair(), &[rejected, later]), None);
}
