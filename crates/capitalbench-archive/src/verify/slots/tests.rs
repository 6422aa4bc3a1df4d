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
    let counted = count("official", &[(0, slots(u32::MAX))], &mut findings);
    assert_eq!(counted, None);
    let text = "plans 8589934590 slots; at most 200000 are counted";
    assert!(
        findings.iter().any(|f| f.detail == text),
        "{:?}",
        findings.0
    );
    let counted = count("official", &[(0, slots(3))], &mut findings).unwrap();
    assert_eq!((counted.slots, counted.open), (6, 6));
}
