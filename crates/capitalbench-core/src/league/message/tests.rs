use super::{MessageKind, Subject};

fn subject(kind: MessageKind) -> Subject {
    Subject {
        kind,
        round: Some("HOUSE-2026-12-07-1W".to_owned()),
        model: None,
        at: "2026-12-07T13:05:00Z".parse().expect("an instant"),
        text: "The round is open.".to_owned(),
    }
}

#[test]
fn a_message_has_one_id_and_a_lasting_problem_one_each_day() {
    let opened = subject(MessageKind::Opened);
    assert_eq!(opened.id(), "opened-HOUSE-2026-12-07-1W");
    let overdue = subject(MessageKind::Overdue);
    assert_eq!(overdue.id(), "overdue-HOUSE-2026-12-07-1W-2026-12-07");
    let mut failed = subject(MessageKind::SlotFailed);
    failed.model = Some("acme/large:2".to_owned());
    assert_eq!(failed.id(), "slot_failed-HOUSE-2026-12-07-1W-acme_large_2");
}
