use super::*;

#[test]
fn a_lease_of_a_clock_that_is_years_ahead_holds_nothing() {
    let now: Timestamp = "2026-03-10T00:15:00Z".parse().unwrap();
    let held_until = |until: &str| {
        let head = Head {
            lease: Some(LeaseTerm {
                owner: "w".to_owned(),
                expires_at_utc: until.parse().unwrap(),
            }),
            ..Head::default()
        };
        head.holder(now).is_some()
    };
    assert!(!held_until("2026-03-10T00:15:00Z"));
    assert!(held_until("2026-03-10T00:15:01Z"));
    assert!(held_until("2026-03-11T00:15:00Z"));
    assert!(!held_until("2036-03-10T00:15:00Z"));
}
