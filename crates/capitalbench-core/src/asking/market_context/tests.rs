use super::*;
use crate::test_support::option;
use crate::values::time::parse_day;
use proptest::prelude::*;

fn day(text: &str) -> Date {
    parse_day(text).unwrap()
}

fn history(id: &str, closes: &[(&str, f64)]) -> PriceHistory {
    PriceHistory {
        option_id: OptionId::parse(id).unwrap(),
        closes: closes
            .iter()
            .map(|(date, value)| (day(date), *value))
            .collect(),
    }
}

fn universe(ids: &[&str]) -> Universe {
    Universe::new(ids.iter().map(|id| option(id, id)).collect()).unwrap()
}

/// Four baselines, a month with a fall and a rise, and a close after the as-of date.
const SP500: [(&str, f64); 8] = [
    ("2025-08-15", 80.0),
    ("2026-02-20", 90.0),
    ("2026-07-21", 100.0),
    ("2026-07-31", 110.0),
    ("2026-08-07", 99.0),
    ("2026-08-13", 108.9),
    ("2026-08-20", 120.0),
    ("2026-08-24", 500.0),
];
const GOLD: [(&str, f64); 7] = [
    ("2025-08-01", 50.0),
    ("2026-02-20", 60.0),
    ("2026-07-21", 40.0),
    ("2026-07-31", 48.0),
    ("2026-08-07", 36.0),
    ("2026-08-13", 45.0),
    ("2026-08-20", 60.0),
];

fn table() -> MarketContext {
    let universe = universe(&["CASH", "SP500", "GOLD"]);
    let mut reversed = GOLD;
    reversed.reverse();
    let histories = [history("GOLD", &reversed), history("SP500", &SP500)];
    market_context(&universe, &histories, day("2026-08-21")).unwrap()
}

fn close(left: Option<f64>, right: f64) {
    let left = left.unwrap();
    assert!((left - right).abs() < 1e-12, "{left} is not {right}");
}

#[test]
fn rows_stand_in_option_order_with_hand_computed_returns() {
    let table = table();
    let ids: Vec<&str> = table
        .rows
        .iter()
        .map(|row| row.option_id.as_str())
        .collect();
    assert_eq!(ids, ["CASH", "SP500", "GOLD"]);
    assert!(table.failed().is_empty());
    let [_, sp500, gold] = &table.rows[..] else {
        panic!("three rows")
    };
    let last = sp500.as_of.unwrap();
    assert_eq!((last.date, last.adjusted_close), (day("2026-08-20"), 120.0));
    let dates: Vec<String> = sp500
        .returns
        .iter()
        .map(|r| r.price_date.unwrap().to_string())
        .collect();
    assert_eq!(
        dates,
        ["2026-08-13", "2026-07-21", "2026-02-20", "2025-08-15"]
    );
    let expected = [120.0 / 108.9 - 1.0, 0.2, 120.0 / 90.0 - 1.0, 0.5];
    for (trailing, value) in sp500.returns.iter().zip(expected) {
        close(trailing.value, value);
        close(trailing.versus_reference, 0.0);
    }
    close(gold.returns[1].value, 0.5);
    close(gold.returns[1].versus_reference, 0.3);
    assert_eq!(
        (sp500.status, sp500.message.as_str()),
        (ContextStatus::Pass, "OK")
    );
}

#[test]
fn ranks_go_by_return_then_id() {
    let ranks = |index: usize| -> Vec<usize> {
        table()
            .rows
            .iter()
            .map(|row| row.returns[index].rank.unwrap())
            .collect()
    };
    assert_eq!(ranks(0), [3, 2, 1]);
    // Six months: gold is where it was, so it ties with cash and loses nothing to it but the id.
    assert_eq!(ranks(2), [2, 1, 3]);
    assert_eq!(ranks(3), [3, 1, 2]);
}

#[test]
fn path_figures_are_the_hand_computed_ones() {
    let table = table();
    let path = table.rows[1].path;
    // Daily returns from 2026-07-22 on: 99/110 - 1 = -0.1, then 0.1, then 120/108.9 - 1.
    let last = 120.0 / 108.9 - 1.0;
    let mean = last / 3.0;
    let squares = (-0.1_f64 - mean).powi(2) + (0.1_f64 - mean).powi(2) + (last - mean).powi(2);
    close(
        path.volatility_30d,
        (squares / 2.0).sqrt() * 252.0_f64.sqrt(),
    );
    close(path.max_drawdown_30d, -0.1);
    assert_eq!(path.path_observations_30d, Some(4));
    close(path.up_day_share_30d, 2.0 / 3.0);
    close(path.distance_from_52w_high, 0.0);
    close(path.distance_from_52w_low, 120.0 / 90.0 - 1.0);
    close(path.corr_to_reference_1y, 1.0);
    close(path.beta_to_reference_1y, 1.0);
}

#[test]
fn correlation_and_beta_use_common_days() {
    let universe = universe(&["SP500", "DOUBLE", "FLAT", "SHORT"]);
    let reference = [
        ("2026-08-17", 100.0),
        ("2026-08-18", 110.0),
        ("2026-08-19", 99.0),
    ];
    let double = [
        ("2026-08-17", 10.0),
        ("2026-08-18", 12.0),
        ("2026-08-19", 9.6),
    ];
    let flat = [
        ("2026-08-17", 5.0),
        ("2026-08-18", 5.0),
        ("2026-08-19", 5.0),
    ];
    let short = [("2026-08-18", 5.0), ("2026-08-19", 6.0)];
    let histories = [
        history("SP500", &reference),
        history("DOUBLE", &double),
        history("FLAT", &flat),
        history("SHORT", &short),
    ];
    let table = market_context(&universe, &histories, day("2026-08-19")).unwrap();
    let path = |index: usize| table.rows[index].path;
    close(path(1).corr_to_reference_1y, 1.0);
    close(path(1).beta_to_reference_1y, 2.0);
    assert_eq!(path(2).corr_to_reference_1y, None);
    close(path(2).beta_to_reference_1y, 0.0);
    close(path(2).volatility_30d, 0.0);
    assert_eq!(path(3).corr_to_reference_1y, None);
    assert_eq!(
        (path(3).volatility_30d, path(3).beta_to_reference_1y),
        (None, None)
    );
    close(path(3).up_day_share_30d, 1.0);
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.status == ContextStatus::Fail)
    );
    let missing = "no adjusted close on or before 2026-08-12 (7d), 2026-07-20 (30d), \
                   2026-02-19 (6m), 2025-08-19 (1y)";
    assert_eq!(table.rows[0].message, missing);
    assert!(table.rows.iter().all(|row| row.returns[0].rank.is_none()));
}

#[test]
fn cash_is_zero_by_definition() {
    let row = &table().rows[0];
    assert_eq!(row.status, ContextStatus::Cash);
    assert_eq!(row.as_of.unwrap().date, day("2026-08-21"));
    for trailing in &row.returns {
        assert_eq!(trailing.price_date, Some(day("2026-08-21")));
        close(trailing.value, 0.0);
    }
    close(row.returns[1].versus_reference, -0.2);
    close(row.path.volatility_30d, 0.0);
    close(row.path.max_drawdown_30d, 0.0);
    close(row.path.beta_to_reference_1y, 0.0);
    assert_eq!(row.path.path_observations_30d, Some(1));
    assert_eq!(row.path.up_day_share_30d, None);
    assert_eq!(row.path.corr_to_reference_1y, None);
    assert_eq!(row.path.distance_from_52w_high, None);
}

#[test]
fn missing_histories_and_hidden_options_leave_gaps_not_guesses() {
    let mut hidden = option("HIDDEN", "HID");
    hidden.listing = Listing::Hidden;
    let options = vec![
        option("CASH", "CASH"),
        option("SP500", "SPY"),
        hidden,
        option("GOLD", "G"),
    ];
    let universe = Universe::new(options).unwrap();
    let histories = [
        history("GOLD", &GOLD),
        history("SP500", &[("2026-09-01", 1.0)]),
    ];
    let table = market_context(&universe, &histories, day("2026-08-21")).unwrap();
    let ids: Vec<&str> = table
        .rows
        .iter()
        .map(|row| row.option_id.as_str())
        .collect();
    assert_eq!(ids, ["CASH", "SP500", "GOLD"]);
    assert_eq!(table.failed(), [&OptionId::parse("SP500").unwrap()]);
    let [cash, sp500, gold] = &table.rows[..] else {
        panic!("three rows")
    };
    assert_eq!(
        sp500.message,
        "no adjusted close on or before the as-of date"
    );
    assert_eq!((sp500.as_of, sp500.path), (None, PathFigures::default()));
    assert_eq!(gold.returns[0].versus_reference, None);
    assert_eq!(gold.path.beta_to_reference_1y, None);
    assert_eq!(
        (gold.returns[0].rank, cash.returns[0].rank),
        (Some(1), Some(2))
    );
}

#[test]
fn broken_histories_are_refused() {
    let universe = universe(&["SP500", "GOLD"]);
    let check = |histories: &[PriceHistory], text: &str| {
        let error = market_context(&universe, histories, day("2026-08-21")).unwrap_err();
        assert_eq!(error.to_string(), text);
    };
    let twice = history(
        "GOLD",
        &[
            ("2026-08-20", 1.0),
            ("2026-08-19", 2.0),
            ("2026-08-20", 1.0),
        ],
    );
    check(
        &[twice],
        "the history of GOLD has two closes for 2026-08-20",
    );
    let zero = history("GOLD", &[("2026-08-20", 0.0)]);
    check(
        &[zero],
        "the history of GOLD has 0 as the close of 2026-08-20; it must be above zero",
    );
    check(
        &[history("OIL", &[])],
        "OIL has a history but is not in the universe",
    );
    let gold = history("GOLD", &[]);
    check(&[gold.clone(), gold], "GOLD has two histories");
    let early = market_context(&universe, &[], Date::MIN);
    assert_eq!(early, Err(ContextError::DateOutOfRange(Date::MIN)));
}

#[test]
fn windows_begin_on_clamped_days() {
    let starts =
        |text: &str| TrailingWindow::ALL.map(|window| window.start(day(text)).unwrap().to_string());
    let expected = ["2026-08-24", "2026-08-01", "2026-02-28", "2025-08-31"];
    assert_eq!(starts("2026-08-31"), expected);
    assert_eq!(starts("2028-02-29")[3], "2027-02-28");
    assert_eq!(history_start(day("2026-07-13")), Some(day("2025-07-03")));
}

#[test]
fn percent_cells_have_two_decimals() {
    let check = |fraction, cell| assert_eq!(percent_cell(fraction), cell);
    check(0.0, "0.00%");
    check(0.012_605_344_969_197_185, "1.26%");
    check(-0.5, "-50.00%");
    check(1.234_56, "123.46%");
    check(-0.000_01, "-0.00%");
}

proptest! {
    #[test]
    fn figures_stay_in_their_ranges(
        prices in proptest::collection::vec(1.0_f64..1000.0, 40..300),
        scale in 0.5_f64..2.0,
    ) {
        let as_of = day("2026-08-21");
        let dated = |factor: f64| PriceHistory {
            option_id: OptionId::parse("SP500").unwrap(),
            closes: (0..)
                .zip(&prices)
                .map(|(back, price)| (as_of.checked_sub(jiff::ToSpan::days(2 * back)).unwrap(), price * factor))
                .collect(),
        };
        let universe = universe(&["SP500"]);
        let row = |factor| {
            market_context(&universe, &[dated(factor)], as_of).unwrap().rows.remove(0)
        };
        let (plain, scaled) = (row(1.0), row(scale));
        let path = plain.path;
        prop_assert_eq!(path.path_observations_30d, Some(16));
        prop_assert!((-1.0..=0.0).contains(&path.max_drawdown_30d.unwrap()));
        prop_assert!((0.0..=1.0).contains(&path.up_day_share_30d.unwrap()));
        prop_assert!(path.distance_from_52w_high.unwrap() <= 0.0);
        prop_assert!(path.distance_from_52w_low.unwrap() >= 0.0);
        prop_assert!((path.corr_to_reference_1y.unwrap() - 1.0).abs() < 1e-9);
        for (own, other) in plain.returns.iter().zip(&scaled.returns) {
            if let Some((a, b)) = own.value.zip(other.value) {
                prop_assert!((a - b).abs() <= 1e-12 * (1.0 + a.abs()) * 10.0);
            }
        }
    }

    #[test]
    fn ranks_are_a_permutation(values in proptest::collection::vec(1_u8..5, 1..12)) {
        let names: Vec<String> = (0..values.len()).map(|i| format!("OPT{i:02}")).collect();
        let mut ids: Vec<&str> = names.iter().map(String::as_str).collect();
        ids.push("SP500");
        let flat = ["2025-08-21", "2026-02-21", "2026-07-22", "2026-08-14"].map(|d| (d, 1.0));
        let histories: Vec<PriceHistory> = ids
            .iter()
            .zip(values.iter().chain([&3]))
            .map(|(id, value)| {
                let mut closes = flat.to_vec();
                closes.push(("2026-08-21", f64::from(*value)));
                history(id, &closes)
            })
            .collect();
        let table = market_context(&universe(&ids), &histories, day("2026-08-21")).unwrap();
        for index in 0..4 {
            let mut order: Vec<(usize, f64, &str)> = table
                .rows
                .iter()
                .map(|row| {
                    let trailing = row.returns[index];
                    (trailing.rank.unwrap(), trailing.value.unwrap(), row.option_id.as_str())
                })
                .collect();
            order.sort_by_key(|(rank, ..)| *rank);
            let ranks: Vec<usize> = order.iter().map(|(rank, ..)| *rank).collect();
            prop_assert_eq!(ranks, (1..=ids.len()).collect::<Vec<_>>());
            for pair in order.windows(2) {
                let ((_, a, left), (_, b, right)) = (pair[0], pair[1]);
                prop_assert!(a > b || (a >= b && left < right));
            }
        }
    }
}
