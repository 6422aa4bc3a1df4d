use std::collections::BTreeSet;

use super::*;
use crate::market::prices::{PriceField, PriceSheet, Quote};
use crate::values::units::Price;

#[test]
fn equal_and_nearly_equal_options_share_a_rank() {
    let check = |rows: &[(&str, f64)], expected: &[u32]| {
        let returns = returns_of(rows, 0.0);
        let ranks: Vec<u32> = returns.options().iter().filter_map(|o| o.rank).collect();
        assert_eq!(ranks, expected, "{rows:?}");
    };
    check(&[("A", 0.01), ("B", 0.03), ("C", 0.02)], &[3, 1, 2]);
    check(&[("A", 0.03), ("B", 0.03), ("C", 0.02)], &[1, 1, 3]);
    check(
        &[("A", 0.0), ("B", 0.01), ("C", 0.0), ("D", -0.01)],
        &[2, 1, 2, 4],
    );
    let below = |steps: f64| 0.05 * (1.0 - steps * 0.8e-9);
    check(
        &[("A", below(0.0)), ("B", below(1.0)), ("C", below(2.0))],
        &[1, 1, 1],
    );
    check(
        &[("A", 0.05), ("B", below(2.0)), ("C", below(3.0))],
        &[1, 2, 2],
    );
    check(&[("A", 0.0), ("B", -1e-12)], &[1, 2]);
}

#[test]
fn options_by_rank_keep_universe_order_among_equals() {
    let returns = returns_of(&[("C", 0.0), ("B", 0.02), ("A", 0.0)], 0.0);
    let ids: Vec<&str> = returns
        .by_rank()
        .iter()
        .map(|o| o.option_id.as_str())
        .collect();
    assert_eq!(ids, ["B", "C", "A"]);
}

const COMPLETE: [(&str, f64); 4] = [("AAA", 1.0), ("BBB", 1.0), ("CCC", 1.0), ("SP500", 1.0)];

/// A complete sheet with some rows replaced, added (any value) or taken out (zero).
fn sheet_with(changes: &[(&str, f64)]) -> PriceSheet {
    let mut rows: Vec<(&str, f64)> = COMPLETE.to_vec();
    rows.retain(|(key, _)| changes.iter().all(|(changed, _)| changed != key));
    rows.extend(changes.iter().filter(|(_, value)| *value > 0.0));
    sheet(&rows)
}

pub(super) fn priced(
    entry: &[(&str, f64)],
    exit: &[(&str, f64)],
    held: &[&str],
) -> Result<RoundReturns, ScoreError> {
    let held = held.iter().map(|id| option_id(id)).collect();
    RoundReturns::new(&universe(), &sheet_with(entry), &sheet_with(exit), &held)
}

#[test]
fn cash_returns_nothing_unless_priced_on_both_sides() {
    let check = |entry: &[(&str, f64)], exit: &[(&str, f64)], expected: f64| {
        let returns = priced(entry, exit, &["CASH"]).unwrap();
        assert_bits(returns.cash(), expected);
        assert_bits(returns.get(&option_id("CASH")).unwrap().value, expected);
        assert!(returns.oracle().is_some());
    };
    check(&[], &[], 0.0);
    check(&[("CASH", 1.0)], &[], 0.0);
    check(&[], &[("CASH", 1.002)], 0.0);
    check(&[("CASH", 1.0)], &[("CASH", 1.002)], 1.002 - 1.0);
    let without_cash = RoundReturns::new(
        &universe_of(&["SP500"]),
        &sheet_with(&[]),
        &sheet_with(&[("SP500", 0.99)]),
        &BTreeSet::new(),
    );
    let without_cash = without_cash.unwrap();
    assert_bits(without_cash.cash(), 0.0);
    assert!(without_cash.oracle().unwrap() < Return::ZERO);
}

#[test]
fn only_reference_and_held_options_must_be_priced() {
    let gone = [("AAA", 0.0)];
    let check = |entry: &[(&str, f64)], exit: &[(&str, f64)], held: &[&str], expected: &str| {
        let found = priced(entry, exit, held).map_err(|error| error.to_string());
        let found = found.map_or_else(|error| error, |returns| returns.options().len().to_string());
        assert_eq!(found, expected);
    };
    check(&[], &[], &["AAA"], "5");
    check(&gone, &[], &["BBB"], "4");
    check(&[], &gone, &["BBB"], "4");
    let held = "price for AAA, which is held by a submission";
    check(&gone, &[], &["AAA"], &format!("no entry {held}"));
    check(&[], &gone, &["AAA"], &format!("no exit {held}"));
    check(&gone, &gone, &["AAA"], &format!("no entry {held}"));
    let reference = "price for SP500, which is the reference";
    check(
        &[("SP500", 0.0)],
        &[],
        &[],
        &format!("no entry {reference}"),
    );
    check(&[], &[("SP500", 0.0)], &[], &format!("no exit {reference}"));
}

#[test]
fn a_partial_universe_has_no_oracle_no_ranks_and_no_regret() {
    let returns = priced(&[], &[("AAA", 0.0), ("BBB", 1.01)], &["BBB"]).unwrap();
    assert_eq!(returns.oracle(), None);
    assert!(returns.options().iter().all(|option| option.rank.is_none()));
    let ids: Vec<&str> = returns
        .by_rank()
        .iter()
        .map(|o| o.option_id.as_str())
        .collect();
    assert_eq!(ids, ["BBB", "CCC", "SP500", "CASH"]);
    let outcome = score_submission(&pick("m", "BBB"), &universe(), &returns).unwrap();
    assert_eq!((outcome.regret, outcome.pick_rank), (None, None));
    assert!(outcome.beats_reference && outcome.beats_cash);
    let undefined = Score::Undefined(NoScore::NoOracle);
    assert_eq!(
        score(outcome.decision_return, returns.oracle()),
        Ok(undefined)
    );
}

#[test]
fn rows_are_found_by_symbol_and_raw_closes_are_used_when_nothing_better_is_there() {
    let raw = Quote {
        close: Price::new(2.0),
        adjusted: None,
        ..quote("SPY", 1.0)
    };
    let entry = PriceSheet::new(vec![raw]).unwrap();
    let exit = sheet(&[("SPY", 2.5), ("NOBODY", 9.0)]);
    let universe = universe_of(&["SP500", "CASH"]);
    let returns = RoundReturns::new(&universe, &entry, &exit, &BTreeSet::new()).unwrap();
    let row = returns.get(&option_id("SP500")).unwrap();
    assert_bits(row.value, 0.25);
    assert_eq!(row.entry, Some((price(2.0), PriceField::Close)));
    assert_eq!(row.exit, Some((price(2.5), PriceField::AdjustedClose)));
    assert_eq!(returns.options().len(), 2, "foreign rows are no options");
}

#[test]
fn the_return_of_an_index_has_six_decimals() {
    let indexed = |value: f64| Quote {
        adjusted: None,
        index: Price::new(value),
        ..quote("SPY", 1.0)
    };
    let universe = universe_of(&["SP500", "CASH"]);
    let of = |from: f64, to: f64| {
        let [entry, exit] = [from, to].map(|own| PriceSheet::new(vec![indexed(own)]).unwrap());
        let returns = RoundReturns::new(&universe, &entry, &exit, &BTreeSet::new()).unwrap();
        returns.get(&option_id("SP500")).unwrap().clone()
    };
    let row = of(1.0, 1.0133);
    assert_bits(row.value, 0.0133);
    assert_eq!(row.exit, Some((price(1.0133), PriceField::Index)));
    assert_bits(of(1.0, 0.987_654).value, -0.012_346);
    assert_bits(of(2.0, 3.0).value, 0.5);
}
