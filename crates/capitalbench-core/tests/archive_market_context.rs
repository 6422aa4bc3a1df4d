//! The market table from the archive's real prices, against an independent calculation.
#![expect(clippy::disallowed_methods, reason = "tests read the archive in place")]

mod archive;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use capitalbench_core::asking::market_context::{
    ContextRow, ContextStatus, MarketContext, PriceHistory, market_context,
};
use capitalbench_core::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags, Universe};
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::time::parse_day;
use serde_json::Value;

const HISTORY: &str = "decision_context_source_history.json";

fn load(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a readable file")).expect("JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().expect("a text")
}

/// Day text and adjusted close of each row.
fn rows(option: &Value) -> Vec<(String, f64)> {
    let rows = option["rows"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            (
                text(row, "date").to_owned(),
                row["adj_close"].as_f64().expect("a number"),
            )
        })
        .collect()
}

fn market_option(option: &Value) -> MarketOption {
    let symbol = Some(text(option, "symbol").to_owned()).filter(|symbol| !symbol.is_empty());
    MarketOption {
        id: OptionId::parse(text(option, "option_id")).expect("an id"),
        name: text(option, "option_id").to_owned(),
        data_symbol: symbol.clone(),
        symbol,
        asset_class: String::new(),
        category: String::new(),
        group: String::new(),
        risk_bucket: RiskBucket::Medium,
        exposure_description: "A fund.".to_owned(),
        currency: "USD".to_owned(),
        flags: RoleFlags::default(),
        listing: Listing::Shown,
        change: None,
    }
}

fn table(history: &Value) -> MarketContext {
    let options = history["options"].as_array().expect("options");
    let universe = Universe::new(options.iter().map(market_option).collect()).expect("a universe");
    let histories: Vec<PriceHistory> = options
        .iter()
        .map(|option| PriceHistory {
            option_id: OptionId::parse(text(option, "option_id")).expect("an id"),
            closes: rows(option)
                .into_iter()
                .map(|(date, value)| (parse_day(&date).expect("a day"), value))
                .collect(),
        })
        .collect();
    let as_of = parse_day(text(history, "as_of_date_requested")).expect("a day");
    market_context(&universe, &histories, as_of).expect("a table")
}

/// Days since 1970-01-01 by the civil calendar's own arithmetic.
fn day_number(date: &str) -> i64 {
    let part = |range| str::parse::<i64>(&date[range]).expect("digits");
    let (year, month, day) = (part(0..4), part(5..7), part(8..10));
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year / 4 - year / 100 + year / 400;
    365 * year + leaps + (153 * month + 2) / 5 + day - 719_469
}

fn naive_return(rows: &[(String, f64)], as_of: &str, days_back: i64) -> f64 {
    let (mut last, mut base) = (None, None);
    for (date, value) in rows {
        let age = day_number(as_of) - day_number(date);
        if age >= 0 {
            last = Some(value);
        }
        if age >= days_back {
            base = Some(value);
        }
    }
    last.expect("a last close") / base.expect("a baseline") - 1.0
}

#[test]
fn trailing_returns_equal_a_naive_calculation() {
    let Some(root) = archive::root() else { return };
    let mut compared = 0;
    for path in archive::files_below(&root.join("rounds")) {
        if !path.ends_with(HISTORY) {
            continue;
        }
        let history = load(&path);
        let as_of = text(&history, "as_of_date_requested");
        let table = table(&history);
        let options = history["options"].as_array().expect("options");
        assert_eq!(table.rows.len(), options.len());
        for (row, option) in table.rows.iter().zip(options) {
            assert_eq!(row.option_id.as_str(), text(option, "option_id"));
            if row.status == ContextStatus::Cash {
                continue;
            }
            for (trailing, days_back) in row.returns.iter().zip([7, 30]) {
                let expected = naive_return(&rows(option), as_of, days_back);
                let same = trailing.value.map(f64::to_bits) == Some(expected.to_bits());
                assert!(same, "{} {}: {trailing:?}", path.display(), row.option_id);
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "only {compared} returns compared");
}

/// A published table of the same day: one source, fetched at another moment, so the last digits of
/// its adjusted closes differ.
#[test]
fn the_published_table_of_the_same_day_agrees() {
    let Some(root) = archive::root() else { return };
    let market = |round: &str| root.join("rounds").join(round).join("market_data");
    let table = table(&load(&market("CB-2026-07-13-V2-1W").join(HISTORY)));
    let published = load(&market("CB-2026-07-13-1W").join("universe_trailing_returns.json"));
    let published: BTreeMap<&str, &Value> = published["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| (text(row, "option_id"), row))
        .collect();
    assert_eq!(table.rows.len(), published.len());
    for row in &table.rows {
        let other = published[row.option_id.as_str()];
        for (name, value, tolerance) in figures(row) {
            let stored = &other[name];
            let agrees = match (value, stored.as_f64()) {
                (Some(value), Some(stored)) => (value - stored).abs() <= tolerance,
                (None, None) => stored.as_str() == Some(""),
                _ => false,
            };
            assert!(agrees, "{} {name}: {value:?} and {stored}", row.option_id);
        }
        for trailing in &row.returns {
            let name = format!("price_date_{}", trailing.window.as_str());
            let date = trailing.price_date.expect("a baseline").to_string();
            assert_eq!(text(other, &name), date, "{} {name}", row.option_id);
        }
        assert_eq!(text(other, "status"), row.status.as_str());
    }
}

/// Column, value and how far the published one may be.
fn figures(row: &ContextRow) -> Vec<(&'static str, Option<f64>, f64)> {
    let [week, month, half, year] = &row.returns;
    let whole = |number: Option<usize>| {
        number.map(|n| f64::from(u32::try_from(n).expect("a small number")))
    };
    vec![
        ("return_7d", week.value, 1e-3),
        ("return_vs_sp500_7d", week.versus_reference, 1e-3),
        ("return_30d", month.value, 1e-3),
        ("return_6m", half.value, 1e-3),
        ("return_1y", year.value, 1e-3),
        ("return_vs_sp500_1y", year.versus_reference, 1e-3),
        ("rank_7d", whole(week.rank), 1.0),
        ("rank_30d", whole(month.rank), 1.0),
        ("rank_6m", whole(half.rank), 1.0),
        ("rank_1y", whole(year.rank), 1.0),
        ("volatility_30d", row.path.volatility_30d, 1e-3),
        ("max_drawdown_30d", row.path.max_drawdown_30d, 1e-3),
        (
            "path_observations_30d",
            whole(row.path.path_observations_30d),
            0.0,
        ),
        ("up_day_share_30d", row.path.up_day_share_30d, 1e-12),
        (
            "distance_from_52w_high",
            row.path.distance_from_52w_high,
            1e-3,
        ),
        (
            "distance_from_52w_low",
            row.path.distance_from_52w_low,
            1e-3,
        ),
        ("corr_to_sp500_1y", row.path.corr_to_reference_1y, 1e-3),
        ("beta_to_sp500_1y", row.path.beta_to_reference_1y, 1e-3),
    ]
}
