use super::*;

fn failed(reason: Reason) -> AttemptStatus {
    AttemptStatus::Failed {
        reason,
        message: String::new(),
    }
}

#[test]
fn the_last_attempt_tells_why_a_model_has_no_answer() {
    let invalid = AttemptStatus::Invalid {
        reason: Reason::Refusal,
        problems: Vec::new(),
    };
    let table = [
        (vec![], Some("deadline")),
        (vec![failed(Reason::Key)], Some("key")),
        (
            vec![failed(Reason::Key), AttemptStatus::Unknown],
            Some("unknown"),
        ),
        (vec![AttemptStatus::Unknown, invalid], Some("refusal")),
        (vec![failed(Reason::Timeout), AttemptStatus::Valid], None),
    ];
    for (attempts, expected) in table {
        assert_eq!(NoAnswer::of(&attempts).map(NoAnswer::as_str), expected);
    }
}

#[test]
fn words_read_back_and_strange_ones_are_refused() {
    for word in ["unknown", "refusal", "no_model", "deadline"] {
        assert_eq!(NoAnswer::parse(word).map(NoAnswer::as_str), Some(word));
    }
    let strange = serde_json::from_str::<NoAnswer>("\"lazy\"");
    assert!(strange.is_err_and(|error| error.to_string().contains("lazy")));
}
