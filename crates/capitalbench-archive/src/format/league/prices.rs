//! `prices` of `league.yaml` says which sources a league asks and what it believes of them; a wrong
//! plan is refused here, so that no fetch begins with it.

use capitalbench_core::league::settings::PriceSettings;
use capitalbench_core::market::request_budget::Plan;
use serde::Deserialize;
use serde_json::Value;

use super::words::{basis_points, line, one_of};
use crate::disk::error::Fault;

/// The words for price sources, as flags have them too.
const SOURCES: [(&str, &str); 4] = [
    ("tiingo", "tiingo"),
    ("csv", "csv"),
    ("yahoo", "yahoo"),
    ("alphavantage", "alphavantage"),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prices {
    source: Option<String>,
    plan: Option<Value>,
    histories: Option<String>,
    second: Option<String>,
    tolerance_bps: Option<f64>,
    largest_daily_move: Option<String>,
}

pub(super) fn prices(given: Option<Prices>, usual: PriceSettings) -> Result<PriceSettings, Fault> {
    let Some(given) = given else { return Ok(usual) };
    let word = |field, text: Option<&str>| {
        text.map(|text| one_of(field, text, &SOURCES).map(str::to_owned))
            .transpose()
    };
    let source = word("prices.source", given.source.as_deref())?.unwrap_or(usual.source);
    let second = word("prices.second", given.second.as_deref())?;
    if second.as_ref() == Some(&source) {
        let problem = "must be another source than prices.source";
        return Err(Fault::field("prices.second", problem));
    }
    let uses_csv = source == "csv" || second.as_deref() == Some("csv");
    if uses_csv && given.histories.is_none() {
        let problem = "is required for the source csv: the folder with one file for each symbol";
        return Err(Fault::field("prices.histories", problem));
    }
    let tolerance = given.tolerance_bps.unwrap_or(usual.tolerance_bps);
    if !(0.0..=10_000.0).contains(&tolerance) {
        let problem = "must be a number of basis points from 0 to 10000";
        return Err(Fault::field("prices.tolerance_bps", problem));
    }
    let largest = given.largest_daily_move.as_deref();
    let histories = given.histories.as_deref();
    Ok(PriceSettings {
        plan: given
            .plan
            .map(|plan| price_plan(&source, &plan))
            .transpose()?,
        histories: histories
            .map(|text| line("prices.histories", text))
            .transpose()?,
        tolerance_bps: tolerance,
        largest_daily_move: match largest {
            None => usual.largest_daily_move,
            Some(text) => daily_move(text)?,
        },
        source,
        second,
    })
}

/// The plan in the source's own words.
fn price_plan(source: &str, plan: &Value) -> Result<String, Fault> {
    let text = match plan {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let problem = match source {
        "tiingo" if Plan::parse(&text).is_some() => return Ok(text),
        "alphavantage" if Plan::parse_alpha_vantage(&text).is_some() => return Ok(text),
        "tiingo" => "must be questions an hour, a day and symbols a month, such as 50/1000/500",
        "alphavantage" => "must be free, or the questions a minute of a paid plan, such as 75",
        _ => "is for tiingo and alphavantage only; remove the line",
    };
    Err(Fault::field("prices.plan", problem))
}

fn daily_move(text: &str) -> Result<f64, Fault> {
    let field = "prices.largest_daily_move";
    match basis_points(field, text)? {
        0 => Err(Fault::field(field, "must be above 0%")),
        share => Ok(f64::from(share) / 10_000.0),
    }
}
