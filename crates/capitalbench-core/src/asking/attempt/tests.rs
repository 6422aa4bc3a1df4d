use super::*;
use proptest::prelude::*;

fn failed(reason: Reason) -> AttemptStatus {
    AttemptStatus::Failed {
        reason,
        message: String::new(),
    }
}

fn invalid(reason: Reason) -> AttemptStatus {
    AttemptStatus::Invalid {
        reason,
        problems: Vec::new(),
    }
}

/// Whether the process that made all these attempts may make another.
fn asks_on(attempts: &[AttemptStatus], max_retries: u32) -> bool {
    next_step(attempts, 0, max_retries) == Next::Ask
}

#[test]
fn only_trouble_of_transport_server_and_form_is_repeated() {
    use Reason::{
        Deadline, Empty, Filter, Malformed, OtherModel, Refusal, Request, Rules, Schema, Server,
        Timeout, Tool, Transport, Truncated, Unreadable,
    };
    let again = [
        Transport, Timeout, Server, Unreadable, Truncated, Empty, Malformed, Schema,
    ];
    let never = [Request, Rules, Refusal, Filter, Tool, OtherModel, Deadline];
    let turned_away = REASONS
        .iter()
        .filter(|(reason, ..)| reason.heals_by_waiting() || reason.needs_repair());
    assert_eq!(
        again.len() + never.len() + turned_away.count(),
        REASONS.len()
    );
    for reason in again {
        assert!(asks_on(&[failed(reason)], 1), "{reason:?}");
        assert!(asks_on(&[invalid(reason)], 1), "{reason:?}");
        assert!(!asks_on(&[failed(reason)], 0), "{reason:?}");
    }
    for reason in never {
        for status in [failed(reason), invalid(reason)] {
            // Not even another process asks again.
            assert_eq!(next_step(&[status], 1, 9), Next::End, "{reason:?}");
        }
    }
    assert!(asks_on(&[], 0));
    assert!(asks_on(&[AttemptStatus::Unknown], 1));
    assert!(!asks_on(&[AttemptStatus::Unknown], 0));
    assert!(!asks_on(&[AttemptStatus::Valid], 9));
}

#[test]
fn a_rejection_uses_up_no_retry_and_leaves_its_slot_open() {
    use Reason::{Key, NoModel, Overloaded, Quota, RateLimit, Unreachable};
    for reason in [RateLimit, Overloaded, Unreachable] {
        let five = vec![failed(reason); REPEATED_REJECTIONS];
        assert!(asks_on(&five, 0), "{reason:?}");
        let six = vec![failed(reason); REPEATED_REJECTIONS + 1];
        assert_eq!(next_step(&six, 0, 0), Next::Leave(reason));
        // A larger limit of the operator holds here too, and another process begins anew.
        assert!(asks_on(&six, 9));
        assert_eq!(next_step(&six, six.len(), 0), Next::Ask);
        assert_eq!(next_step(&six, 1, 0), Next::Ask);
    }
    for reason in [Key, Quota, NoModel] {
        assert_eq!(next_step(&[failed(reason)], 0, 9), Next::Leave(reason));
        assert_eq!(next_step(&[failed(reason)], 1, 0), Next::Ask);
    }
}

#[test]
fn what_may_have_been_answered_is_counted_across_processes() {
    let unseen = [
        AttemptStatus::Unknown,
        failed(Reason::Timeout),
        failed(Reason::Transport),
    ];
    for status in &unseen {
        assert!(status.is_unseen());
        let attempts = [failed(Reason::Key), status.clone(), failed(Reason::Key)];
        assert_eq!(counted(&attempts), 1);
        assert_eq!(next_step(&attempts, 3, 0), Next::End);
        assert_eq!(next_step(&attempts, 3, 1), Next::Ask);
    }
    for reason in [Reason::Key, Reason::Server, Reason::Unreachable] {
        assert!(!failed(reason).is_unseen(), "{reason:?}");
    }
}

#[test]
fn the_cause_is_named_once() {
    for message in ["it broke", "transport: it broke"] {
        let status = AttemptStatus::Failed {
            reason: Reason::Transport,
            message: message.to_owned(),
        };
        assert_eq!(status.error().as_deref(), Some("transport: it broke"));
    }
}

#[test]
fn words_come_back_as_reasons() {
    for (reason, word, _) in REASONS {
        assert_eq!((reason.as_str(), Reason::parse(word)), (word, Some(reason)));
    }
    assert_eq!(Reason::parse("pick"), None);
}

#[test]
fn replicates_have_their_own_files() {
    let slot = Slot {
        model_id: ModelId::parse("a/b").unwrap(),
        replicate: 2,
    };
    assert_eq!(slot.stem(1), "a_b");
    assert_eq!(slot.stem(5), "a_b__replicate_002");
}

fn any_status() -> impl Strategy<Value = AttemptStatus> {
    prop_oneof![
        Just(AttemptStatus::Unknown),
        Just(AttemptStatus::Valid),
        (0..REASONS.len()).prop_map(|index| failed(REASONS[index].0)),
        (0..REASONS.len()).prop_map(|index| invalid(REASONS[index].0)),
    ]
}

proptest! {
    #[test]
    fn a_valid_answer_and_the_limit_end_the_asking(
        attempts in prop::collection::vec(any_status(), 0..8),
        earlier in 0_usize..8,
        max_retries in 0_u32..6,
    ) {
        if next_step(&attempts, earlier, max_retries) != Next::End {
            prop_assert!(!attempts.contains(&AttemptStatus::Valid));
            prop_assert!(counted(&attempts) <= max_retries as usize);
        }
    }
}
