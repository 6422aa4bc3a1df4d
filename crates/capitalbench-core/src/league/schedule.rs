//! [`ScheduledRound`]: which rounds a league decides when, by its settings and the exchange calendar.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use super::settings::{Cadence, League, TrackSchedule};
use crate::asking::lanes::Lanes;
use crate::market::calendar::{Market, WindowPlan, WindowRule, plan_window};
use crate::round::manifest::Track;
use crate::values::ids::RoundId;
use crate::values::time::days_between;

/// A round that the settings ask for; whether it exists is another question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledRound {
    pub round_id: RoundId,
    pub track: Track,
    /// When it is opened, frozen and asked.
    pub opens: Timestamp,
    /// The last moment for a decision.
    pub deadline: Timestamp,
    pub window: WindowPlan,
}

/// From which day weeks are counted.
const MONDAY: Date = Date::constant(1970, 1, 5);

/// Sessions that a search looks at before it gives up: three months, more than any cadence needs.
const FARTHEST: usize = 64;

impl League {
    /// The rounds whose deadline is after the first instant and not after the second, in the order of
    /// their deadlines.
    pub fn rounds_between(&self, after: Timestamp, until: Timestamp) -> Vec<ScheduledRound> {
        let market = self.market;
        let day = |at: Timestamp| market.day_at(at);
        // A deadline may lie days before its session, and never after it.
        let first = day(after);
        let reach = self.deadline_before_open;
        let last = until.checked_add(reach).map_or(Date::MAX, day);
        let mut found: Vec<ScheduledRound> = Vec::new();
        let mut session = session_from(market, first);
        while let Some(day) = session.filter(|day| *day <= last) {
            let rounds = self.tracks.iter().filter(|own| own.decides_on(market, day));
            let rounds = rounds.filter_map(|own| self.round_of(own.track, day));
            found.extend(rounds.filter(|own| own.deadline > after && own.deadline <= until));
            session = market.next_session(day);
        }
        found.sort_by_key(|own| (own.deadline, own.track));
        found
    }

    /// The next round of every track whose deadline is after an instant, in the order of their
    /// deadlines.
    pub fn next_rounds(&self, now: Timestamp) -> Vec<ScheduledRound> {
        let market = self.market;
        let next = |own: &TrackSchedule| {
            let first = session_from(market, market.day_at(now));
            let sessions = std::iter::successors(first, |day| market.next_session(*day));
            let decided = sessions
                .take(FARTHEST)
                .filter(|day| own.decides_on(market, *day));
            let mut rounds = decided.filter_map(|day| self.round_of(own.track, day));
            rounds.find(|round| round.deadline > now)
        };
        let mut found: Vec<ScheduledRound> = self.tracks.iter().filter_map(next).collect();
        found.sort_by_key(|own| (own.deadline, own.track));
        found
    }

    /// The round of a track that is decided before this session; none at the end of the calendar.
    pub fn round_of(&self, track: Track, session: Date) -> Option<ScheduledRound> {
        let open = self.market.open_at(session)?;
        let deadline = open.checked_sub(self.deadline_before_open).ok()?;
        let letter = match track {
            Track::Weekly => "1W",
            Track::Monthly => "1M",
        };
        let name = format!("{}-{session}-{letter}", self.prefix);
        Some(ScheduledRound {
            round_id: RoundId::parse(&name).ok()?,
            track,
            opens: deadline.checked_sub(self.opens_before_deadline).ok()?,
            deadline,
            window: plan_window(self.market, deadline, track, WindowRule::default()).ok()?,
        })
    }

    /// The twin lanes of a round; none where it is not its turn. The turn follows from the calendar
    /// alone, so nobody chooses a round for what its lanes might show.
    pub fn lanes_of(&self, round: &ScheduledRound) -> Option<Lanes> {
        let settings = self.lanes.as_ref()?;
        let day = self.market.day_at(round.deadline);
        let turn = match round.track {
            // Weeks since the first Monday of 1970.
            Track::Weekly => days_between(MONDAY, day).div_euclid(7),
            Track::Monthly => i32::from(day.year()) * 12 + i32::from(day.month()),
        };
        let every = i32::try_from(settings.every.max(1)).unwrap_or(i32::MAX);
        (turn.rem_euclid(every) == 0).then(|| settings.lanes.clone())
    }

    /// The track of a round that a league of this prefix opened, by its id; none for others.
    pub fn track_of(&self, round: &str) -> Option<Track> {
        let rest = round.strip_prefix(&self.prefix)?.strip_prefix('-')?;
        let (day, letter) = rest.rsplit_once('-')?;
        day.parse::<Date>().ok()?;
        match letter {
            "1W" => Some(Track::Weekly),
            "1M" => Some(Track::Monthly),
            _ => None,
        }
    }
}

impl TrackSchedule {
    /// Whether a round of this track is decided before this session.
    pub fn decides_on(&self, market: Market, session: Date) -> bool {
        if !market.is_session(session) {
            return false;
        }
        let Some(before) = market.previous_session(session) else {
            return false;
        };
        match self.cadence {
            Cadence::FirstSession => before.first_of_month() != session.first_of_month(),
            // A closed day moves on to the next session, so the days since the last one count too.
            Cadence::Weekly(day) => days_after(before, session).any(|own| own == day),
        }
    }
}

/// The weekdays after one day up to another.
fn days_after(before: Date, until: Date) -> impl Iterator<Item = Weekday> {
    let days = std::iter::successors(Some(until), |day| day.yesterday().ok());
    days.take_while(move |day| *day > before).map(Date::weekday)
}

fn session_from(market: Market, day: Date) -> Option<Date> {
    if market.is_session(day) {
        Some(day)
    } else {
        market.next_session(day)
    }
}

/// The first moment of the calendar month of an instant, in UTC, and that of the month after it.
pub fn month_of(at: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let first = TimeZone::UTC.to_datetime(at).date().first_of_month();
    let next = first.checked_add(1.month()).ok()?;
    let start = |day: Date| {
        let zoned = day.to_zoned(TimeZone::UTC).ok()?;
        Some(zoned.timestamp())
    };
    Some((start(first)?, start(next)?))
}

#[cfg(test)]
mod tests;
