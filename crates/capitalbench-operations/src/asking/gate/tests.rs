use super::*;

#[test]
fn a_used_up_allowance_closes_the_gate_and_the_longest_wait_counts() {
    let gate = Gate::new(2);
    gate.close_for(Duration::ZERO);
    assert_eq!(gate.closed_for(), None);
    gate.close_for(Duration::from_hours(3));
    gate.close_for(Duration::from_secs(1));
    let left = gate.closed_for().expect("a closed gate");
    assert!(left > Duration::from_hours(2) && left <= Duration::from_hours(3));
}

fn limited() -> AttemptStatus {
    AttemptStatus::Failed {
        reason: Reason::RateLimit,
        message: String::new(),
    }
}

#[tokio::test]
async fn the_limit_halves_and_recovers() {
    let gate = Gate::new(5);
    let limit = || gate.with(|state| state.limit);
    let (early, other) = (gate.enter().await, gate.enter().await);
    early.learn(&limited(), None);
    other.learn(&limited(), None);
    assert_eq!(limit(), 2, "one burst halves once");
    other.learn(&AttemptStatus::Valid, None);
    assert_eq!(limit(), 2, "an answer to an earlier call proves nothing");
    drop((early, other));
    for expected in [1, 1] {
        gate.enter().await.learn(&limited(), None);
        assert_eq!(limit(), expected);
    }
    gate.enter().await.learn(&AttemptStatus::Unknown, None);
    assert_eq!(limit(), 1);
    for _ in 0..9 {
        gate.enter().await.learn(&AttemptStatus::Valid, None);
    }
    assert_eq!(limit(), 5);
}

#[tokio::test]
async fn the_longest_wait_holds_for_every_call() {
    let gate = Gate::new(5);
    assert_eq!(gate.closed_for(), None);
    let pass = gate.enter().await;
    pass.learn(&limited(), Some(Duration::from_hours(2)));
    pass.learn(&limited(), Some(Duration::from_secs(1)));
    pass.learn(&AttemptStatus::Valid, None);
    assert!(gate.closed_for() > Some(Duration::from_hours(1)));
}
