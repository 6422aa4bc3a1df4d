use super::*;
use crate::market::calendar::Market;
use crate::market::prices::Quote;
use crate::test_support::*;
use crate::values::time::parse_day;
use crate::values::units::Price;

const ENTRY: &str = "2026-06-01";
const EXIT: &str = "2026-06-08";

fn window(exit: &str) -> Window {
    let day = |text| parse_day(text).unwrap();
    Window {
        entry: day(ENTRY),
        exit: day(exit),
        market: Market::default(),
    }
}

/// The usual options and BILLS, a fund of treasury bills.
fn options() -> Universe {
    let mut bills = option("BILLS", "BIL");
    bills.asset_class = "cash_like".into();
    let mut options = universe().options().to_vec();
    options.push(bills);
    Universe::new(options).unwrap()
}

fn rows(day: &str) -> Vec<Quote> {
    let ids = ["AAA", "BBB", "CCC", "SP500", "CASH", "BILLS"];
    ids.map(|id| full_quote(id, 100.0, day)).to_vec()
}

/// The rows of both sides; a case changes them before they become sheets.
struct Sheets {
    entry: Vec<Quote>,
    exit: Vec<Quote>,
    window: Option<Window>,
}

fn found(change: impl Fn(&mut Sheets)) -> Vec<PriceProblem> {
    let mut sheets = Sheets {
        entry: rows(ENTRY),
        exit: rows(EXIT),
        window: Some(window(EXIT)),
    };
    change(&mut sheets);
    let entry = PriceSheet::new(sheets.entry).unwrap();
    let exit = PriceSheet::new(sheets.exit).unwrap();
    problems(&options(), sheets.window, &entry, &exit)
}

fn check(change: impl Fn(&mut Sheets), expected: &[&str]) {
    let texts: Vec<String> = found(change).iter().map(ToString::to_string).collect();
    assert_eq!(texts, expected);
}

#[test]
fn two_sheets_of_one_source_on_the_windows_days_have_no_problem() {
    check(|_| {}, &[]);
}

#[test]
fn every_row_is_dated_on_its_side_of_the_window() {
    check(
        |s| s.exit[2].date = parse_day("2026-06-05"),
        &["exit row of CCC is dated 2026-06-05, not 2026-06-08"],
    );
    check(
        |s| s.entry[0].date = parse_day(EXIT),
        &["entry row of AAA is dated 2026-06-08, not 2026-06-01"],
    );
    check(|s| s.exit[2].date = None, &[]);
    let off_without_window = |s: &mut Sheets| {
        s.exit[2].date = parse_day("2026-06-05");
        s.window = None;
    };
    check(off_without_window, &[]);
}

#[test]
fn blank_and_raw_closes_are_counted_by_side() {
    check(
        |s| s.entry.iter_mut().for_each(|row| row.close = None),
        &["6 entry rows have no raw close, so their basis cannot be checked"],
    );
    let blank_everywhere = |s: &mut Sheets| {
        s.entry[0].close = None;
        s.exit[1].adjusted = None;
    };
    check(
        blank_everywhere,
        &[
            "1 entry rows have no raw close, so their basis cannot be checked",
            "1 exit rows have no adjusted close; the raw close was used",
        ],
    );
    let unnamed = |s: &mut Sheets| {
        s.exit[1].adjusted = None;
        s.exit[1].close = None;
        s.exit[1].price = Price::new(100.0);
    };
    check(unnamed, &[]);
}

#[test]
fn both_prices_of_an_option_come_from_one_source() {
    let other = |row: &mut Quote| row.source = Some("other".into());
    check(
        |s| other(&mut s.exit[0]),
        &["1 options have entry and exit from two sources (test_source and other): AAA"],
    );
    check(
        |s| s.entry.iter_mut().for_each(other),
        &[
            "6 options have entry and exit from two sources (other and test_source): \
           AAA, BBB, CCC, SP500, CASH and 1 more",
        ],
    );
    let both = |s: &mut Sheets| {
        other(&mut s.entry[0]);
        other(&mut s.exit[0]);
    };
    check(both, &[]);
    check(|s| s.exit[0].source = None, &[]);
}

/// Whether the bills fund is reported when it ends at this price after this window.
fn reports_bills(last: f64, exit: &str) -> bool {
    let change = |s: &mut Sheets| {
        s.exit = rows(exit);
        s.exit[5].adjusted = Price::new(last);
        s.window = Some(window(exit));
    };
    let problems = found(change);
    let missed = |p: &PriceProblem| matches!(p, PriceProblem::MissedDistribution { .. });
    assert!(problems.iter().all(missed), "{problems:?}");
    !problems.is_empty()
}

#[test]
fn a_fund_that_only_accrues_must_not_lose_and_must_gain_in_a_month() {
    let check = |last: f64, exit: &str, reported: bool| {
        assert_eq!(reports_bills(last, exit), reported, "{last} on {exit}");
    };
    check(99.80, EXIT, true);
    check(99.89, EXIT, true);
    check(99.91, EXIT, false);
    check(100.0, EXIT, false);
    check(100.0, "2026-06-21", false);
    check(100.0, "2026-06-22", true);
    check(100.04, "2026-06-22", true);
    check(100.06, "2026-06-22", false);
    check(99.80, "2026-06-22", true);
}

#[test]
fn other_options_may_lose_and_an_unpriced_fund_is_only_unpriced() {
    check(|s| s.exit[0].adjusted = Price::new(50.0), &[]);
    check(
        |s| _ = s.exit.remove(5),
        &["1 options have no exit price: BILLS"],
    );
    let text = found(|s| s.exit[5].adjusted = Price::new(99.8))[0].to_string();
    let expected = "BILLS only accrues interest, yet returned -0.200 % in 7 days: \
                    a distribution is probably missing from its adjusted close";
    assert_eq!(text, expected);
}

#[test]
fn foreign_rows_and_unpriced_options_are_named_and_cash_may_be_missing() {
    check(
        |s| s.exit.push(full_quote("ZZZ", 1.0, EXIT)),
        &["1 exit rows belong to no option: ZZZ"],
    );
    check(
        |s| s.exit.retain(|row| row.key != "AAA" && row.key != "CASH"),
        &["1 options have no exit price: AAA"],
    );
    check(|s| s.exit.retain(|row| row.key != "CASH"), &[]);
    check(|s| s.entry[3].key = "SPY".into(), &[]);
    check(
        |s| s.entry.truncate(0),
        &["5 options have no entry price: AAA, BBB, CCC, SP500, BILLS"],
    );
}

#[test]
fn our_methodologies_refuse_what_makes_a_return_doubtful() {
    let check = |change: fn(&mut Sheets), refused: bool| {
        let problems = found(change);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].is_refused(), refused, "{}", problems[0]);
    };
    check(|s| s.exit[0].date = parse_day("2026-06-05"), true);
    check(|s| s.exit[0].close = None, true);
    check(|s| s.exit[0].source = Some("other".into()), true);
    check(|s| s.exit[5].adjusted = Price::new(99.8), true);
    check(|s| s.exit[0].adjusted = None, false);
    check(|s| s.exit.push(full_quote("ZZZ", 1.0, EXIT)), false);
    check(|s| _ = s.exit.remove(0), false);
}
