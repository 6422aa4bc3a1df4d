use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn the_next_question_waits_until_the_oldest_leaves_its_hour() {
    let plan = Plan {
        per_hour: Some(2),
        ..Plan::default()
    };
    let mut usage = Usage::default();
    let first = at("2026-03-02T10:00:00Z");
    assert_eq!(usage.next(plan, "A", first), first);
    usage.note("A", first);
    usage.note("B", at("2026-03-02T10:20:00Z"));
    let now = at("2026-03-02T10:30:00Z");
    assert_eq!(usage.next(plan, "C", now), at("2026-03-02T11:00:00Z"));
    let later = at("2026-03-02T11:00:00Z");
    assert_eq!(usage.next(plan, "C", later), later);
}

#[test]
fn days_and_symbols_count_too() {
    let plan = Plan::parse("-/3/2").unwrap();
    let mut usage = Usage::default();
    usage.note("A", at("2026-03-02T10:00:00Z"));
    usage.note("B", at("2026-03-02T11:00:00Z"));
    let now = at("2026-03-02T12:00:00Z");
    assert_eq!(usage.next(plan, "A", now), now);
    assert_eq!(usage.next(plan, "C", now), at("2026-04-02T10:00:00Z"));
    usage.note("A", now);
    assert_eq!(usage.next(plan, "B", now), at("2026-03-03T10:00:00Z"));
}

#[test]
fn a_source_that_closed_is_left_alone() {
    let mut usage = Usage {
        closed_until: Some(at("2026-03-02T11:00:00Z")),
        ..Usage::default()
    };
    let now = at("2026-03-02T10:00:00Z");
    assert_eq!(
        usage.next(Plan::default(), "A", now),
        at("2026-03-02T11:00:00Z")
    );
    usage.note("A", at("2026-03-02T11:00:00Z"));
    assert_eq!(usage.closed_until, None);
}

#[test]
fn plans_are_read_strictly() {
    assert_eq!(Plan::parse("50/1000/500"), Some(Plan::TIINGO_FREE));
    for text in ["", "50", "50/1000", "0/1/1", "a/b/c", "1/2/3/4", "-1/2/3"] {
        assert_eq!(Plan::parse(text), None, "{text}");
    }
}

#[test]
fn the_questions_of_a_minute_are_counted() {
    let mut usage = Usage::default();
    let now = at("2026-03-02T10:00:00Z");
    usage.note("A", now);
    let paid = Plan::parse_alpha_vantage("2").unwrap();
    assert_eq!(usage.next(paid, "B", now), now);
    usage.note("B", at("2026-03-02T10:00:10Z"));
    let soon = at("2026-03-02T10:00:20Z");
    assert_eq!(usage.next(paid, "C", soon), at("2026-03-02T10:01:00Z"));
}

#[test]
fn a_paid_plan_of_alpha_vantage_has_no_limit_of_a_day() {
    let mut usage = Usage::default();
    let start = at("2026-03-02T10:00:00Z");
    for second in 0..69 {
        usage.note("A", start + SignedDuration::from_secs(second * 2));
    }
    let now = start + SignedDuration::from_mins(10);
    let next = |text: &str| usage.next(Plan::parse_alpha_vantage(text).unwrap(), "B", now);
    assert_eq!(next("75"), now);
    assert!(next("free") > now + SignedDuration::from_hours(23));
    for text in ["", "0", "-5", "75/min", "premium", "Free", "75/-/-"] {
        assert_eq!(Plan::parse_alpha_vantage(text), None, "{text}");
    }
}

#[test]
fn many_symbols_take_as_long_as_the_plan_makes_them() {
    let now = at("2026-03-02T10:00:00Z");
    let names: Vec<String> = (0..69).map(|number| format!("S{number}")).collect();
    let symbols = || names.iter().map(String::as_str);
    let instants = Usage::default().instants(Plan::TIINGO_FREE, symbols(), now);
    let later = at("2026-03-02T11:00:00Z");
    assert_eq!(instants.iter().filter(|at| **at == now).count(), 50);
    assert_eq!(instants.iter().filter(|at| **at == later).count(), 19);
    let used = Usage {
        questions: vec![at("2026-03-02T09:30:00Z"); 40],
        ..Usage::default()
    };
    let instants = used.instants(Plan::TIINGO_FREE, symbols(), now);
    // Ten at once, forty when the earlier ones are an hour old, ten an hour after the first ten.
    assert_eq!(instants.last(), Some(&at("2026-03-02T11:30:00Z")));
    let free = Plan::ALPHA_VANTAGE_FREE;
    let instants = Usage::default().instants(free, symbols(), now);
    assert_eq!(instants.last(), Some(&at("2026-03-04T10:00:00Z")));
}
