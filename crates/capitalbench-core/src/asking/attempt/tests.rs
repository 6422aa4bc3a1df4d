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

#[test]
fn only_trouble_of_transport_server_and_form_is_repeated() {
    use Reason::{
        Deadline, Empty, Filter, Key, Malformed, OtherModel, RateLimit, Refusal, Request, Rules,
        Schema, Server, Timeout, Tool, Transport, Truncated, Unreadable,
    };
    let again = [
        Transport, Timeout, RateLimit, Server, Unreadable, Truncated, Empty, Malformed, Schema,
    ];
    let never = [
        Key, Request, Rules, Refusal, Filter, Tool, OtherModel, Deadline,
    ];
    assert_eq!(again.len() + never.len(), REASONS.len());
    for reason in again {
        assert!(may_retry(&[failed(reason)], 1), "{reason:?}");
        assert!(may_retry(&[invalid(reason)], 1), "{reason:?}");
        assert!(!may_retry(&[failed(reason)], 0), "{reason:?}");
    }
    for reason in never {
        assert!(!may_retry(&[failed(reason)], 9), "{reason:?}");
        assert!(!may_retry(&[invalid(reason)], 9), "{reason:?}");
    }
    assert!(may_retry(&[], 0));
    assert!(may_retry(&[AttemptStatus::Unknown], 1));
    assert!(!may_retry(&[AttemptStatus::Unknown], 0));
    assert!(!may_retry(&[AttemptStatus::Valid], 9));
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
        max_retries in 0_u32..6,
    ) {
        if may_retry(&attempts, max_retries) {
            prop_assert!(!attempts.contains(&AttemptStatus::Valid));
            prop_assert!(attempts.len() <= max_retries as usize);
        }
    }
}
