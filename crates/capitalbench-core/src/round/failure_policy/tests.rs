use super::FailurePolicy;

#[test]
fn half_of_the_roster_and_at_least_two_must_have_answered() {
    let usual = FailurePolicy::default();
    for (roster, needed) in [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 2),
        (4, 2),
        (5, 3),
        (8, 4),
        (9, 5),
    ] {
        assert_eq!(usual.needed(roster), needed, "{roster}");
    }
    let everyone = FailurePolicy {
        accept_from_pct: 100,
        at_least: 1,
    };
    assert_eq!(everyone.needed(7), 7);
}
