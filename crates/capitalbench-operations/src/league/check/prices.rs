//! The universe of a league, and whether its price source can serve it in time.

use capitalbench_core::market::published_prices::forbids_redistribution;
use capitalbench_core::market::universe::Universe;
use jiff::tz::TimeZone;

use super::{Checked, FILE, Standing};
use crate::error::Error;
use crate::league::folder::LeagueFolder;
use crate::operator::Operator;
use crate::prices::fetcher::{AtLimit, Fetcher};
use crate::prices::plan::priced_options;
use crate::prices::plan_time::PlanTime;
use crate::prices::sources::Vendor;

pub(super) fn check(operator: &Operator, league: &LeagueFolder, found: &mut Vec<Checked>) {
    let universe = match league.universe() {
        Ok(universe) => universe,
        Err(error) => {
            let next = format!("correct `universe` in {FILE}, or repair the file that it names");
            return found.push(Checked::of_error("universe", error, &next));
        }
    };
    let text = format!("{} options", universe.options().len());
    found.push(Checked::ready("universe", text));
    found.extend(redistribution(league));
    // Also in a rehearsal: an operator wants to know beforehand whether the plan is large enough.
    let settings = &league.league.prices;
    for name in [Some(&settings.source), settings.second.as_ref()]
        .into_iter()
        .flatten()
    {
        let vendor = league.vendor(name);
        let checked = vendor.and_then(|vendor| source(operator, league, &universe, &vendor));
        let usual = "correct `prices` in the league file";
        found.push(checked.unwrap_or_else(|error| Checked::of_error("prices", error, usual)));
    }
}

/// Closes of a vendor that are published, which its terms hardly allow.
fn redistribution(league: &LeagueFolder) -> Option<Checked> {
    let settings = &league.league;
    let source = &settings.prices.source;
    if !settings.publish.is_full() || !forbids_redistribution(source) {
        return None;
    }
    let text = format!("publish.prices: full passes the closes of {source} on to everybody");
    let next = format!(
        "write publish.prices: returns into {FILE}, unless your contract with {source} lets you publish \
         its closes; rounds that are open already keep what their manifest says"
    );
    Some(Checked {
        standing: Standing::Warning,
        ..Checked::repair("publish", text, next)
    })
}

fn source(
    operator: &Operator,
    league: &LeagueFolder,
    universe: &Universe,
    vendor: &Vendor,
) -> Result<Checked, Error> {
    const WHAT: &str = "prices";
    let rounds = league.folder.join("rounds");
    if !league.is_rehearsed() && matches!(vendor, Vendor::Csv(_)) {
        let text = "no vendor vouches for files, so a real round that they price is not scored";
        let next = format!("write prices.source: tiingo, yahoo or alphavantage into {FILE}");
        return Ok(Checked::repair(WHAT, text, next));
    }
    if !league.is_rehearsed() {
        // A missing key or folder is found here, and nothing is asked.
        Fetcher::open(operator, vendor, &rounds, AtLimit::Stop)?;
    }
    let today = TimeZone::UTC.to_datetime(operator.now()).date();
    let (name, options) = (vendor.name(), priced_options(universe, today));
    let rehearsal = if league.is_rehearsed() {
        "rehearsal: the market is invented; for real rounds "
    } else {
        ""
    };
    let Some(time) = PlanTime::expected(operator, vendor, &rounds, &options)? else {
        let count = options.len();
        let text = format!("{rehearsal}{name} serves {count} symbols at once");
        return Ok(Checked::ready(WHAT, text));
    };
    let before = league.league.opens_before_deadline;
    if time.takes() < before {
        let text = format!("{rehearsal}{time}; `league run` waits");
        return Ok(Checked::ready(WHAT, text));
    }
    let text = format!("{rehearsal}{time}, but a round is opened {before:#} before its deadline");
    let next = format!(
        "get a larger plan and write it as prices.plan into {FILE}, raise opens_before_deadline, or \
         choose a smaller universe"
    );
    Ok(Checked::repair(WHAT, text, next))
}
