use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::values::ids::{RoundId, RunId};

use super::*;

fn plan() -> RunPlan {
    let planned = |id: &str| PlannedSlot {
        slot: Slot {
            model_id: ModelId::parse(id).unwrap(),
            replicate: 1,
        },
        provider: "openai".to_owned(),
        api_model_name: format!("{id}-1"),
        settings: None,
        display_name: None,
        continues: None,
    };
    RunPlan {
        run_id: RunId::parse("r").unwrap(),
        round_id: RoundId::parse("R").unwrap(),
        rules: RunRules {
            kind: RunKind::Official,
            replicates: 1,
        },
        calls: Calls::Real,
        created_at: WrittenInstant::parse("2026-12-06T10:00:00Z").unwrap(),
        models_file: String::new(),
        models_sha256: String::new(),
        pricing_file: None,
        price_cards: Vec::new(),
        prices: Vec::new(),
        controls: false,
        seed: 0,
        max_retries: 0,
        input_sha256: String::new(),
        skipped_models: 0,
        slots: vec![planned("a"), planned("b")],
    }
}

fn repair(number: u64, from: &str, to: &str) -> Repair {
    Repair {
        number,
        model_id: ModelId::parse("a").unwrap(),
        from: from.to_owned(),
        to: to.to_owned(),
        reason: "renamed".to_owned(),
        repaired_at_utc: WrittenInstant::parse(&format!("2026-12-06T1{number}:00:00Z")).unwrap(),
        price: None,
        price_cards: Vec::new(),
    }
}

#[test]
fn a_name_holds_from_its_repair_to_the_next() {
    let (plan, repairs) = (plan(), [repair(1, "a-1", "a-2"), repair(2, "a-2", "a-3")]);
    for (at, name) in [
        ("2026-12-06T10:30:00Z", "a-1"),
        ("2026-12-06T11:00:00Z", "a-2"),
        ("2026-12-06T12:30:00Z", "a-3"),
    ] {
        let at = at.parse().unwrap();
        assert_eq!(name_at(&plan.slots[0], &repairs, at), name);
        assert_eq!(name_at(&plan.slots[1], &repairs, at), "b-1");
    }
    let repaired = plan.repaired(&repairs);
    let names: Vec<&str> = repaired
        .slots
        .iter()
        .map(|own| &*own.api_model_name)
        .collect();
    assert_eq!(names, ["a-3", "b-1"]);
    // The repaired plan knows the first name by its repairs.
    let early = "2026-12-06T10:30:00Z".parse().unwrap();
    assert_eq!(name_at(&repaired.slots[0], &repairs, early), "a-1");
}

#[test]
fn a_repair_that_the_program_never_writes_is_refused() {
    let good = repair(1, "a-1", "a-2");
    assert!(good.check(1, &plan(), &[]).is_ok());
    let price = PlannedPrice::new(
        "openai",
        "b-1",
        "card",
        capitalbench_core::asking::cost::TokenPrice::default(),
    );
    let model_id = ModelId::parse("c").unwrap();
    for (wrong, field) in [
        (
            Repair {
                number: 2,
                ..good.clone()
            },
            "number",
        ),
        (
            Repair {
                model_id,
                ..good.clone()
            },
            "model_id",
        ),
        (repair(1, "a-2", "a-3"), "from"),
        (repair(1, "a-1", "a-1"), "to"),
        (repair(1, "a-1", " "), "to"),
        (
            Repair {
                reason: " ".to_owned(),
                ..good.clone()
            },
            "reason",
        ),
        (
            Repair {
                price: Some(price),
                ..good.clone()
            },
            "price",
        ),
    ] {
        let fault = wrong.check(1, &plan(), &[]).expect_err(field);
        assert_eq!(fault.field.as_deref(), Some(field));
    }
    let early = Repair {
        number: 2,
        ..repair(0, "a-2", "a-3")
    };
    let fault = early
        .check(2, &plan(), &[good])
        .expect_err("an earlier instant");
    assert_eq!(fault.field.as_deref(), Some("repaired_at_utc"));
}
