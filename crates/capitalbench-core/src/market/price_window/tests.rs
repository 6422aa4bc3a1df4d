use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::test_support::option_id;

/// Day of March 2026, close, adjusted close, dividend, split.
type Row = (i8, f64, f64, f64, f64);

fn window(rows: &[Row]) -> PriceWindow {
    let sessions = rows
        .iter()
        .map(|(day, close, adjusted, dividend, split)| Session {
            date: date(2026, 3, *day),
            close: Price::new(*close),
            adjusted: Price::new(*adjusted),
            dividend: Some(*dividend),
            split: Some(*split),
            volume: None,
        });
    PriceWindow {
        option_id: option_id("A"),
        symbol: "A".into(),
        sessions: sessions.collect(),
    }
}

#[test]
fn dividends_and_splits_explain_the_adjusted_close() {
    for rows in [
        [(2, 100.0, 100.0, 0.0, 1.0), (3, 102.0, 102.0, 0.0, 1.0)],
        [(2, 100.0, 99.0, 0.0, 1.0), (3, 102.0, 102.0, 1.0, 1.0)],
        [(2, 100.0, 25.0, 0.0, 1.0), (3, 26.0, 26.0, 0.0, 4.0)],
        // A dividend on the day of a split, per new share and per old one.
        [(2, 100.0, 48.0, 0.0, 1.0), (3, 51.0, 51.0, 2.0, 2.0)],
        [(2, 100.0, 49.0, 0.0, 1.0), (3, 51.0, 51.0, 2.0, 2.0)],
    ] {
        assert_eq!(window(&rows).basis_fault(CloseBasis::Raw), None, "{rows:?}");
    }
    let split = window(&[(2, 25.0, 25.0, 0.0, 1.0), (3, 26.0, 26.0, 0.0, 4.0)]);
    assert_eq!(split.basis_fault(CloseBasis::SplitAdjusted), None);
}

#[test]
fn a_missed_ex_date_is_found_on_its_day() {
    let missed = window(&[
        (2, 100.0, 100.0, 0.0, 1.0),
        (3, 101.0, 101.0, 0.0, 1.0),
        (4, 100.5, 100.5, 0.5, 1.0),
        (5, 100.6, 100.6, 0.0, 1.0),
    ]);
    let fault = missed.basis_fault(CloseBasis::Raw).unwrap();
    assert_eq!(fault.day, date(2026, 3, 4));
    let FaultKind::Differs(bps) = fault.kind else {
        panic!("{fault:?}");
    };
    assert!((bps + 49.5).abs() < 0.1, "{fault:?}");
    let split = window(&[(2, 100.0, 100.0, 0.0, 1.0), (3, 50.0, 50.0, 0.0, 2.0)]);
    assert!(split.basis_fault(CloseBasis::Raw).is_some());
    assert_eq!(split.basis_fault(CloseBasis::SplitAdjusted), None);
}

#[test]
fn missing_closes_are_not_compared() {
    let mut blank = window(&[(2, 100.0, 90.0, 0.0, 1.0), (3, 100.0, 100.0, 0.0, 1.0)]);
    for session in &mut blank.sessions {
        session.close = None;
    }
    assert_eq!(blank.basis_fault(CloseBasis::Raw), None);
    assert_eq!(window(&[]).basis_fault(CloseBasis::Raw), None);
    assert_eq!(
        window(&[(2, 1.0, 1.0, 0.0, 1.0)]).basis_fault(CloseBasis::Raw),
        None
    );
}

#[test]
fn a_day_that_cannot_be_checked_is_a_fault() {
    let check = |change: fn(&mut Session), kind: FaultKind| {
        let mut rows = window(&[
            (2, 100.0, 90.0, 0.0, 1.0),
            (3, 100.0, 95.0, 0.0, 1.0),
            (4, 100.0, 100.0, 0.0, 1.0),
        ]);
        change(&mut rows.sessions[1]);
        let day = date(2026, 3, 3);
        let option_id = option_id("A");
        let expected = BasisFault {
            option_id,
            day,
            kind,
        };
        assert_eq!(rows.basis_fault(CloseBasis::Raw), Some(expected));
    };
    check(|session| session.close = None, FaultKind::NotGiven);
    check(|session| session.adjusted = None, FaultKind::NotGiven);
    check(
        |session| session.dividend = Some(100.0),
        FaultKind::ImpossibleAction,
    );
    check(
        |session| session.dividend = Some(250.0),
        FaultKind::ImpossibleAction,
    );
    check(
        |session| session.split = Some(0.0),
        FaultKind::ImpossibleAction,
    );
}

#[test]
fn missing_sessions_and_nearest_rows_are_named() {
    let week = window(&[(2, 1.0, 1.0, 0.0, 1.0), (5, 1.0, 1.0, 0.0, 1.0)]);
    let missing = week.missing_sessions(
        crate::market::calendar::Market::default(),
        date(2026, 3, 2),
        date(2026, 3, 8),
    );
    let days = [3, 4, 6].map(|day| date(2026, 3, day));
    assert_eq!(missing, days);
    assert_eq!(
        week.nearest(date(2026, 3, 4)),
        (Some(date(2026, 3, 2)), Some(date(2026, 3, 5)))
    );
    assert_eq!(week.nearest(date(2026, 3, 9)).1, None);
}

proptest! {
    #[test]
    fn a_series_adjusted_by_the_rule_is_never_flagged(
        days in prop::collection::vec((10.0_f64..500.0, 0.0_f64..3.0, prop::sample::select(vec![1.0, 1.0, 2.0, 0.5])), 2..20),
    ) {
        let mut adjusted = vec![1.0; days.len()];
        for index in (0..days.len() - 1).rev() {
            let (close, _, _) = days[index];
            let (next, dividend, split) = days[index + 1];
            adjusted[index] = adjusted[index + 1] * (close - dividend) / (next * split);
        }
        let rows: Vec<Row> = (1_i8..)
            .zip(days.iter().zip(&adjusted))
            .map(|(day, ((close, dividend, split), adjusted))| (day, *close, *adjusted, *dividend, *split))
            .collect();
        prop_assert_eq!(window(&rows).basis_fault(CloseBasis::Raw), None);
    }
}
