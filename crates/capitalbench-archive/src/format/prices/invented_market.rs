//! `invented_market.json` beside a folder of rounds: the market that rehearsals are priced from.

use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::invented::{InventedFault, InventedMarket};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::disk::error::Fault;
use crate::format::stored::{FormatVersion, day};
use crate::format::text::json;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format_version: FormatVersion<1>,
    seed: u64,
    /// None is New York.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    market: Option<Market>,
    #[serde(with = "day")]
    first_day: Date,
    /// As they are typed.
    faults: Vec<String>,
}

pub fn render(market: &InventedMarket) -> String {
    json::render(&Stored {
        format_version: FormatVersion,
        seed: market.seed,
        market: (market.market != Market::default()).then_some(market.market),
        first_day: market.first,
        faults: market.faults.iter().map(ToString::to_string).collect(),
    })
}

pub fn parse(bytes: &[u8]) -> Result<InventedMarket, Fault> {
    let stored: Stored = json::read(bytes)?;
    let fault = |(place, text): (usize, &String)| {
        InventedFault::parse(text).ok_or_else(|| {
            Fault::field(
                format!("faults.{place}"),
                format!("{text:?} is not a fault such as split=XLK,2026-10-05,4"),
            )
        })
    };
    let faults: Result<_, Fault> = stored.faults.iter().enumerate().map(fault).collect();
    Ok(InventedMarket {
        seed: stored.seed,
        market: stored.market.unwrap_or_default(),
        first: stored.first_day,
        faults: faults?,
    })
}

#[cfg(test)]
mod tests;
