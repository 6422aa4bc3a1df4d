//! Prints every session of every shipped market, for the comparison with another program's calendars.

use std::io::Write as _;

use capitalbench_core::market::calendar::{Market, market_ids};
use jiff::{Timestamp, ToSpan as _};

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for market in market_ids().filter_map(Market::shipped) {
        let (first, last) = market.known_days();
        writeln!(out, "{},known,{first},{last},", market.id())?;
        let text = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.to_string());
        for day in first.series(1.day()).take_while(|day| *day <= last) {
            if market.is_session(day) {
                let (open, close) = (text(market.open_at(day)), text(market.close_at(day)));
                let lunch = market.lunch_at(day);
                let (from, to) = (text(lunch.map(|own| own.0)), text(lunch.map(|own| own.1)));
                writeln!(out, "{},{day},{open},{close},{from},{to}", market.id())?;
            }
        }
    }
    Ok(())
}
