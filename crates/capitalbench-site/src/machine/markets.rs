//! The closes of all shipped markets, for the verifier in the browser.

use capitalbench_core::market::calendar::{Market, market_ids};
use serde_json::{Map, Value, json};

/// A module of the verifier: zones, usual closes and unusual ones. A close after midnight keeps its hour
/// above 24, as in the file of the market.
pub(super) fn module() -> String {
    let markets = market_ids().filter_map(Market::shipped);
    let markets: Map<String, Value> = markets
        .map(|market| (market.id().to_owned(), closes(market)))
        .collect();
    format!(
        "// The closes of every market that the program ships, made from its own files.\nexport const MARKETS = {};\n",
        Value::Object(markets)
    )
}

fn closes(market: Market) -> Value {
    let file = market.file();
    let hours: Vec<Value> = file
        .hours
        .iter()
        .filter_map(|line| day_and_close(line))
        .collect();
    let lines = file.early_closes.iter().chain(&file.special_sessions);
    let pairs = lines.filter_map(|line| day_and_close(line));
    let unusual: Map<String, Value> = pairs
        .filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].clone())))
        .collect();
    json!({"zone": market.file().zone, "hours": hours, "unusual": unusual})
}

/// `2015-01-01 09:00-17:30 …` and `2026-12-30 14:00 …` both end with the close of the day.
fn day_and_close(line: &str) -> Option<Value> {
    let mut words = line.split(' ');
    let (day, times) = (words.next()?, words.next()?);
    Some(json!([day, times.rsplit('-').next()?]))
}
