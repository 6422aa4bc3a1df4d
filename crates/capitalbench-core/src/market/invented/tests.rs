use super::*;
use crate::market::price_window::{CloseBasis, PriceWindow};
use crate::test_support::option;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn market(faults: &[&str]) -> InventedMarket {
    InventedMarket {
        faults: faults
            .iter()
            .map(|text| InventedFault::parse(text).unwrap())
            .collect(),
        ..InventedMarket::of_seed(7)
    }
}

fn sessions(market: &InventedMarket, symbol: &str, now: &str) -> Vec<Session> {
    let option = option("AAA", "AAA");
    match market.answer(&option, symbol, at(now)) {
        Answer::Sessions(sessions) => sessions,
        other => panic!("{other:?}"),
    }
}

fn on(sessions: &[Session], day: &str) -> Session {
    let day = parse_day(day).unwrap();
    *sessions.iter().find(|own| own.date == day).unwrap()
}

fn close(session: Session) -> f64 {
    session.close.unwrap().get()
}

const LATER: &str = "2026-10-12T12:00:00Z";

#[test]
fn rows_that_are_not_final_are_not_told() {
    let market = market(&[]);
    let last = |now: &str| sessions(&market, "AAA", now).last().unwrap().date;
    // 20:15 in New York is 00:15 UTC of the next day in summer.
    assert_eq!(last("2026-10-06T00:14:59Z").to_string(), "2026-10-02");
    assert_eq!(last("2026-10-06T00:15:00Z").to_string(), "2026-10-05");
}

#[test]
fn a_later_answer_has_the_same_closes() {
    let market = market(&[]);
    let before = sessions(&market, "AAA", "2026-08-03T12:00:00Z");
    let after = sessions(&market, "AAA", LATER);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((before.date, before.close), (after.date, after.close));
    }
    assert!(after.len() > before.len());
}

#[test]
fn a_split_divides_the_closes_and_keeps_the_returns() {
    let split = market(&["split=AAA,2026-10-05,4"]);
    let plain = sessions(&market(&[]), "AAA", LATER);
    let found = sessions(&split, "AAA", LATER);
    let ratio = |day: &str| close(on(&plain, day)) / close(on(&found, day));
    assert!((ratio("2026-10-02") - 1.0).abs() < 1e-12);
    assert!((ratio("2026-10-05") - 4.0).abs() < 1e-12);
    assert_eq!(on(&found, "2026-10-05").split, Some(4.0));
    let window = PriceWindow {
        option_id: OptionId::parse("AAA").unwrap(),
        symbol: "AAA".to_owned(),
        sessions: found,
    };
    assert_eq!(window.basis_fault(CloseBasis::Raw), None);
    let before = "2026-10-05T12:00:00Z";
    assert_eq!(
        sessions(&split, "AAA", before),
        sessions(&market(&[]), "AAA", before),
        "nobody sees a split before its day is over"
    );
}

#[test]
fn a_delisted_option_has_no_later_close() {
    let found = sessions(&market(&["delisted=AAA,2026-10-05"]), "AAA", LATER);
    assert_eq!(found.last().unwrap().date.to_string(), "2026-10-05");
}

#[test]
fn a_renamed_option_is_known_by_its_new_symbol() {
    let renamed = market(&["renamed=AAA,BBB,2026-10-05"]);
    let option = option("AAA", "AAA");
    let before = at("2026-10-05T12:00:00Z");
    assert_eq!(
        renamed.answer(&option, "BBB", before),
        Answer::UnknownSymbol
    );
    assert_eq!(renamed.listed_as("BBB"), "AAA");
    let old = sessions(&renamed, "AAA", LATER);
    assert_eq!(old.last().unwrap().date.to_string(), "2026-10-02");
    assert_eq!(
        sessions(&renamed, "BBB", LATER),
        sessions(&market(&[]), "AAA", LATER)
    );
}

#[test]
fn a_jump_has_no_reason() {
    let found = sessions(&market(&["jump=AAA,2026-10-05,0.5"]), "AAA", LATER);
    let plain = sessions(&market(&[]), "AAA", LATER);
    let (jumped, day) = (on(&found, "2026-10-05"), on(&plain, "2026-10-05"));
    assert!((close(jumped) / close(day) - 0.5).abs() < 1e-12);
    assert_eq!(jumped.split, Some(1.0));
}

#[test]
fn a_source_is_down_and_a_plan_used_up_for_a_span() {
    let faults = market(&[
        "source-down=2026-10-05,2026-10-06",
        "plan-used-up=2026-10-07,2026-10-08",
    ]);
    let option = option("AAA", "AAA");
    let answer = |now: &str| faults.answer(&option, "AAA", at(now));
    assert_eq!(answer("2026-10-05T00:00:00Z"), Answer::Unreachable);
    assert!(matches!(
        answer("2026-10-06T00:00:00Z"),
        Answer::Sessions(_)
    ));
    let until = at("2026-10-08T00:00:00Z");
    assert_eq!(answer("2026-10-07T23:59:59Z"), Answer::PlanUsedUp { until });
}

#[test]
fn a_fault_is_written_as_it_is_read() {
    for text in [
        "split=AAA,2026-10-05,4",
        "delisted=AAA,2026-10-05",
        "renamed=AAA,BBB,2026-10-05",
        "jump=AAA,2026-10-05,0.5",
        "source-down=2026-10-05,2026-10-06",
        "plan-used-up=2026-10-05,2026-10-06",
        "model-down=mock-dune,2026-10-05,2026-10-06",
        "model-retired=mock-dune,2026-10-05",
    ] {
        assert_eq!(InventedFault::parse(text).unwrap().to_string(), text);
    }
    for text in [
        "split=AAA,2026-10-05",
        "jump=AAA,2026-10-05,-1",
        "storm=AAA",
    ] {
        assert_eq!(InventedFault::parse(text), None, "{text}");
    }
}

#[test]
fn a_model_is_down_for_a_span_and_retired_for_ever() {
    let ill = market(&[
        "model-down=dune,2026-10-05,2026-10-08",
        "model-retired=dune,2026-10-20",
    ]);
    let at = |now: &str| ill.illness("dune", at(now));
    assert_eq!(at("2026-10-04T23:59:59Z"), None);
    assert_eq!(at("2026-10-07T23:59:59Z"), Some(Illness::Down));
    assert_eq!(at("2026-10-08T00:00:00Z"), None);
    assert_eq!(at("2027-10-08T00:00:00Z"), Some(Illness::Retired));
}
