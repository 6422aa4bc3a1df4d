//! A market made of the price sheets of a round, served as Tiingo does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::fake_tiingo::{FakeTiingo, json};

/// One session.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) day: String,
    pub(crate) close: f64,
    pub(crate) adjusted: f64,
    pub(crate) dividend: f64,
    pub(crate) split: f64,
}

/// Sessions by symbol.
pub(crate) type Market = BTreeMap<String, Vec<Row>>;

/// The entry and exit rows of a round; a distribution between them stands on the exit day.
pub(crate) fn market_of(round: &Path) -> Market {
    let mut market = Market::new();
    for file in ["entry_prices.csv", "exit_prices.csv"] {
        let text = fs::read_to_string(round.join("prices").join(file)).expect("a sheet");
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            if cells[1].is_empty() {
                continue;
            }
            let number = |index: usize| cells[index].parse::<f64>().expect("a price");
            let rows = market.entry(cells[1].to_owned()).or_default();
            let (close, adjusted) = (number(3), number(4));
            let dividend = rows.last().map_or(0.0, |entry: &Row| {
                entry.close - close * entry.adjusted / adjusted
            });
            rows.push(Row {
                day: cells[2].to_owned(),
                close,
                adjusted,
                dividend: if dividend.abs() < 1e-5 * close {
                    0.0
                } else {
                    dividend
                },
                split: 1.0,
            });
        }
    }
    market
}

/// A server of a market; what it does not hold is unknown to it.
pub(crate) fn serve(market: Market) -> FakeTiingo {
    FakeTiingo::start_by_days(move |symbol, (start, end)| {
        let Some(rows) = market.get(symbol) else {
            let body = format!(r#"{{"detail":"Error: Ticker '{symbol}' not found"}}"#);
            return Some(json(&body));
        };
        let mut body = String::new();
        let asked = |row: &&Row| start <= row.day.as_str() && row.day.as_str() <= end;
        for row in rows.iter().filter(asked) {
            let comma = if body.is_empty() { "" } else { "," };
            write!(
                body,
                r#"{comma}{{"date":"{}T00:00:00.000Z","close":{:?},"adjClose":{:?},"volume":100,"divCash":{:?},"splitFactor":{:?}}}"#,
                row.day, row.close, row.adjusted, row.dividend, row.split
            )
            .expect("a text");
        }
        Some(json(&format!("[{body}]")))
    })
}
