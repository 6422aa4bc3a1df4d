//! Which rounds the demo plays, and when each of its steps happens.

use capitalbench_core::market::calendar::Market;
use capitalbench_core::round::manifest::Track;
use jiff::civil::{Date, date};
use jiff::{SignedDuration, Timestamp};

use crate::error::Error;

/// The last day of the demo.
pub(super) const TODAY: Date = date(2026, 10, 28);
/// The first day of its market, early enough for a year of trailing figures.
pub(super) const FIRST: Date = date(2025, 1, 2);

/// A league of the demo: one market, one universe, one folder.
pub(super) struct DemoLeague {
    /// What the pages call it.
    pub(super) name: &'static str,
    /// Its folder in that of the demo.
    pub(super) folder: &'static str,
    pub(super) universe: &'static str,
    /// Rules that speak of its market; none for the usual ones.
    pub(super) methodology: Option<&'static str>,
    /// Sessions before [`TODAY`] on which weekly rounds are decided; they overlap.
    weekly: &'static [usize],
    /// The same for monthly rounds.
    monthly: &'static [usize],
}

/// The leagues in the order in which they are shown.
pub(super) const LEAGUES: [DemoLeague; 2] = [
    DemoLeague {
        name: "New York",
        folder: ".",
        universe: "v1.5",
        methodology: None,
        weekly: &[32, 29, 26, 23, 20, 17, 14, 11, 8, 4, 2, 0],
        monthly: &[62, 52, 42, 32, 12, 0],
    },
    DemoLeague {
        name: "Crypto",
        folder: "crypto",
        universe: "crypto-v1",
        methodology: Some("portfolio-v1.2"),
        weekly: &[36, 29, 22, 15, 8, 1],
        monthly: &[],
    },
];

/// So long before its deadline the table of a round is made.
const TABLED: SignedDuration = SignedDuration::from_mins(100);

/// One round of the demo.
pub(super) struct PlannedRound {
    pub(super) track: Track,
    pub(super) name: String,
    /// The day of the decision.
    pub(super) day: Date,
    /// The session before it, which models may know.
    pub(super) known: Date,
    /// Five minutes before the opening.
    pub(super) deadline: Timestamp,
}

impl PlannedRound {
    fn new(market: Market, track: Track, back: usize) -> Result<Self, Error> {
        let lost = || Error::new("the calendar ends before the demo");
        let mut day = TODAY;
        for _ in 0..back {
            day = market.previous_session(day).ok_or_else(lost)?;
        }
        let ending = match track {
            Track::Weekly => "1W",
            Track::Monthly => "1M",
        };
        let opens = market.open_at(day).ok_or_else(lost)?;
        let deadline = opens - SignedDuration::from_mins(5);
        Ok(Self {
            track,
            name: format!("DEMO-{day}-{ending}"),
            day,
            known: market
                .last_final_session(deadline - TABLED)
                .ok_or_else(lost)?,
            deadline,
        })
    }

    /// An instant this many minutes before the deadline.
    pub(super) fn before(&self, minutes: i64) -> String {
        (self.deadline - SignedDuration::from_mins(minutes)).to_string()
    }
}

/// All rounds of a league, in the order in which they are decided.
pub(super) fn rounds(league: &DemoLeague, market: Market) -> Result<Vec<PlannedRound>, Error> {
    let planned = |track| move |back: &usize| PlannedRound::new(market, track, *back);
    let weekly = league.weekly.iter().map(planned(Track::Weekly));
    let monthly = league.monthly.iter().map(planned(Track::Monthly));
    let mut all = weekly.chain(monthly).collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|a, b| (a.day, &a.name).cmp(&(b.day, &b.name)));
    Ok(all)
}

/// The instant at which the demo looks at its rounds: an hour after the opening of its last day.
pub(super) fn now() -> Result<Timestamp, Error> {
    let opens = Market::default()
        .open_at(TODAY)
        .ok_or_else(|| Error::new("the demo has no last session"))?;
    Ok(opens + SignedDuration::from_hours(1))
}

/// When the rows of an exit day are final; none when that lies after the demo.
pub(super) fn resolvable(market: Market, exit: Date) -> Result<Option<Timestamp>, Error> {
    let end = now()?;
    Ok(market.rows_final_at(exit).filter(|at| *at < end))
}

/// The sessions from a day to the last one whose rows are final when the demo looks.
pub(super) fn known_sessions(market: Market, from: Date) -> Vec<Date> {
    let mut days = Vec::new();
    let mut day = market.previous_session(TODAY);
    while let Some(session) = day.filter(|day| *day >= from) {
        days.push(session);
        day = market.previous_session(session);
    }
    days.reverse();
    days
}
