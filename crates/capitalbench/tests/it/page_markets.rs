//! The verifier in the browser knows the closes of every shipped market, to the minute.

use std::fs;
use std::process::Command;

use capitalbench_core::market::calendar::{Market, market_ids};
use jiff::civil::date;
use serde_json::Value;

use crate::harness::Test;

const SCRIPT: &str = r#"
import path from "node:path";
const [site] = process.argv.slice(2);
const { close } = await import(path.join(site, "verify/order.js"));
const { MARKETS } = await import(path.join(site, "verify/markets.js"));
const found = {};
for (const market of Object.keys(MARKETS)) {
  found[market] = {};
  for (let at = Date.UTC(2024, 0, 1); at <= Date.UTC(2026, 11, 31); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    found[market][day] = close(day, market);
  }
}
found.unknown = [close("2026-01-05", "XOSL"), close("2026-01-05", null), close("soon", "XETR")];
console.log(JSON.stringify(found));
"#;

#[test]
fn the_page_knows_when_every_market_closes() {
    let test = Test::all_rounds();
    test.run(&["build-site", "--rounds-dir", ".", "--images", "none"])
        .code(0);
    let (script, site) = (test.path("closes.mjs"), test.path("site"));
    fs::write(&script, SCRIPT).expect("a script");
    fs::write(site.join("verify/package.json"), "{\"type\":\"module\"}").expect("a file");
    let output = Command::new("node").arg(&script).arg(&site).output();
    let output = output.expect("node runs");
    let told = String::from_utf8_lossy(&output.stderr);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let mut compared = 0;
    for id in market_ids() {
        let market = Market::shipped(id).expect("a shipped market");
        for day in date(2024, 1, 1)
            .series(jiff::Span::new().days(1))
            .take(1096)
        {
            if !market.is_session(day) || !market.knows(day) {
                continue;
            }
            let close = market.close_at(day).expect("a close").as_millisecond();
            let shown = &found[id][day.to_string()];
            assert_eq!(shown.as_i64(), Some(close), "{id} {day}");
            compared += 1;
        }
    }
    assert!(compared > 8000, "{compared} closes");
    assert_eq!(found["unknown"], serde_json::json!([null, null, null]));
}
