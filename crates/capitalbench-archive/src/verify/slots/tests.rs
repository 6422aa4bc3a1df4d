use capitalbench_proof::event::Instant;
use capitalbench_proof::merkle::sha256;

use super::*;

#[test]
fn a_leaf_cannot_ask_for_all_memory() {
    let slots = |replicates| Event {
        round: "R".to_owned(),
        at: Instant::parse("2026-09-14T12:00:00Z").unwrap(),
        fact: Fact::Slots {
            run: "official".to_owned(),
            kind: "consistency".to_owned(),
            calls: "real".to_owned(),
            models: vec!["m".to_owned(), "n".to_owned()],
            replicates,
            max_retries: u32::MAX,
            plan: sha256(b""),
        },
    };
    let mut findings = Findings::default();
    let counted = count(
        "official",
        &[(0, slots(u32::MAX))],
        Missing::Refused,
        &mut findings,
    );
    assert_eq!(counted, None);
    let text = "plans 8589934590 slots; at most 200000 are counted";
    assert!(
        findings.iter().any(|f| f.detail == text),
        "{:?}",
        findings.0
    );
    let counted = count(
        "official",
        &[(0, slots(3))],
        Missing::Refused,
        &mut findings,
    )
    .unwrap();
    assert_eq!((counted.slots, counted.open), (6, 6));
}

#[test]
fn a_slot_that_the_acceptance_lists_needs_no_end() {
    let slots = Event {
        round: "R".to_owned(),
        at: Instant::parse("2026-09-14T12:00:00Z").unwrap(),
        fact: Fact::Slots {
            run: "official".to_owned(),
            kind: "official".to_owned(),
            calls: "real".to_owned(),
            models: vec!["m".to_owned()],
            replicates: 1,
            max_retries: 2,
            plan: sha256(b""),
        },
    };
    let begun = Event {
        fact: Fact::AttemptBegin {
            place: capitalbench_proof::event::Place {
                run: "official".to_owned(),
                model: "m".to_owned(),
                replicate: 1,
            },
            attempt: 1,
            input: sha256(b""),
            record: capitalbench_proof::event::Sealed::new(&[0; 32], b""),
        },
        ..slots.clone()
    };
    let events = [(0, slots), (1, begun)];
    for (missing, codes) in [
        (Missing::Listed, vec![Code::AttemptUnseen]),
        (
            Missing::Refused,
            vec![Code::SlotUnaccounted, Code::SlotUnaccounted],
        ),
    ] {
        let mut findings = Findings::default();
        let counted = count("official", &events, missing, &mut findings).unwrap();
        let found: Vec<Code> = findings.iter().map(|own| own.code).collect();
        assert_eq!(found, codes);
        let listed = usize::from(missing == Missing::Listed);
        assert_eq!((counted.failed, counted.unseen), (listed, listed));
        assert_eq!(counted.open, 1 - listed);
    }
}
