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

/// Sessions before [`TODAY`] on which weekly rounds are decided; they overlap.
const WEEKLY: [usize; 12] = [32, 29, 26, 23, 20, 17, 14, 11, 8, 4, 2, 0];
/// The same for monthly rounds.
const MONTHLY: [usize; 6] = [62, 52, 42, 32, 12, 0];

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
    fn new(track: Track, back: usize) -> Result<Self, Error> {
        let lost = || Error::new("the calendar ends before the demo");
        let mut day = TODAY;
        for _ in 0..back {
            day = Market::default().previous_session(day).ok_or_else(lost)?;
        }
        let ending = match track {
            Track::Weekly => "1W",
            Track::Monthly => "1M",
        };
        let opens = Market::default().open_at(day).ok_or_else(lost)?;
        Ok(Self {
            track,
            name: format!("DEMO-{day}-{ending}"),
            day,
            known: Market::default().previous_session(day).ok_or_else(lost)?,
            deadline: opens - SignedDuration::from_mins(5),
        })
    }

    /// An instant this many minutes before the deadline.
    pub(super) fn before(&self, minutes: i64) -> String {
        (self.deadline - SignedDuration::from_mins(minutes)).to_string()
    }
}

/// All rounds, in the order in which they are decided.
pub(super) fn rounds() -> Result<Vec<PlannedRound>, Error> {
    let weekly = WEEKLY
        .iter()
        .map(|back| PlannedRound::new(Track::Weekly, *back));
    let monthly = MONTHLY
        .iter()
        .map(|back| PlannedRound::new(Track::Monthly, *back));
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
pub(super) fn resolvable(exit: Date) -> Result<Option<Timestamp>, Error> {
    let end = now()?;
    Ok(Market::default().rows_final_at(exit).filter(|at| *at < end))
}

/// The sessions from a day to the last one whose rows are final when the demo looks.
pub(super) fn known_sessions(from: Date) -> Vec<Date> {
    let mut days = Vec::new();
    let mut day = Market::default().previous_session(TODAY);
    while let Some(session) = day.filter(|day| *day >= from) {
        days.push(session);
        day = Market::default().previous_session(session);
    }
    days.reverse();
    days
}
