//! [`Market`]: where the options of a round trade, and which days have a session, when it ends and
//! why not. Every question about a session is asked here.
//!
//! A market is a file ([`MarketFile`]): a list of days as its exchange publishes them, between a
//! first and a last known day. [`plan_window`] turns a deadline into the entry and exit of a round,
//! and refuses days that the file does not know.

use std::fmt;
use std::sync::{LazyLock, Mutex, PoisonError};

use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, ToSpan as _};
use serde::{Deserialize, Serialize};

use sessions::Sessions;

mod file;
mod sessions;
mod shipped;
mod window;

pub use file::{MarketError, MarketFile};
pub use sessions::SessionKind;
pub use shipped::market_ids;
pub use window::{EntryRule, Roll, WindowError, WindowPlan, WindowRule, plan_window};

/// The market of a universe that names none.
pub const NEW_YORK: &str = "XNYS";

/// A market; cheap to copy, because its days are kept once for the whole program.
#[derive(Clone, Copy)]
pub struct Market(&'static Sessions);

/// How a market is kept in a stored form: by its id where it is shipped, in full otherwise.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Market")]
enum MarketForm {
    Shipped(String),
    Own(Box<MarketFile>),
}

/// Markets of the operator's own. They are never dropped, so that a market can be copied freely;
/// the same file leads to the same market, so their number is that of different files.
static OWN: Mutex<Vec<Market>> = Mutex::new(Vec::new());

/// The time zones that are compiled into the program: what the machine has is never asked.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

impl Market {
    /// A shipped market by its identifier, such as `XETR` or `24/7`.
    pub fn shipped(id: &str) -> Option<Self> {
        shipped::sessions(id).map(Self)
    }

    /// A market of the operator's own; the name of a shipped one is refused.
    pub fn own(file: MarketFile) -> Result<Self, MarketError> {
        if market_ids().any(|id| id == file.market) {
            let text = format!("{} is a shipped market; choose another name", file.market);
            return Err(MarketError::field("market", text));
        }
        let mut known = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(market) = known.iter().find(|market| *market.file() == file) {
            return Ok(*market);
        }
        let market = Self(Box::leak(Box::new(Sessions::of(file)?)));
        known.push(market);
        Ok(market)
    }

    /// Its ISO 10383 code, or `24/7`.
    pub fn id(self) -> &'static str {
        &self.file().market
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        &self.file().name
    }

    /// Where its clocks hang, for people: `New York`.
    pub fn city(self) -> &'static str {
        &self.file().city
    }

    /// The currency that its options are quoted in unless a universe says otherwise.
    pub fn currency(self) -> &'static str {
        &self.file().currency
    }

    /// The file it follows from.
    pub fn file(self) -> &'static MarketFile {
        &self.0.file
    }

    /// Whether it is of the operator's own.
    pub fn is_own(self) -> bool {
        market_ids().all(|id| id != self.id())
    }

    /// The first and the last day that its file knows.
    pub fn known_days(self) -> (Date, Date) {
        self.0.known
    }

    /// Whether its file knows this day. It answers for other days as if only weekends were closed.
    pub fn knows(self, day: Date) -> bool {
        (self.0.known.0..=self.0.known.1).contains(&day)
    }

    /// Whether it trades around the clock.
    pub fn never_closes(self) -> bool {
        self.0.never_closes()
    }

    /// Sessions of a year by convention, for figures that are scaled to a year.
    pub fn sessions_per_year(self) -> f64 {
        if self.never_closes() { 365.0 } else { 252.0 }
    }

    /// Whether it holds a session on this day, full or shortened.
    pub fn is_session(self, day: Date) -> bool {
        self.closure_reason(day).is_none()
    }

    /// Why there is no session on this day; none when there is one.
    pub fn closure_reason(self, day: Date) -> Option<&'static str> {
        self.0.closure_reason(day)
    }

    /// What is unusual about the session of this day; none for full sessions and closed days.
    pub fn unusual(self, day: Date) -> Option<(SessionKind, &'static str)> {
        self.0.unusual(day)
    }

    /// The moment the session of this day ends.
    pub fn close_at(self, day: Date) -> Option<Timestamp> {
        let minutes = self.0.close_minutes(day)?;
        self.at_minutes(day, minutes)
    }

    /// The moment the session of this day begins.
    pub fn open_at(self, day: Date) -> Option<Timestamp> {
        let minutes = self.0.open_minutes(day)?;
        self.at_minutes(day, minutes)
    }

    /// The break of the session of this day, where it has one.
    pub fn lunch_at(self, day: Date) -> Option<(Timestamp, Timestamp)> {
        let (from, to) = self.0.lunch(day)?;
        Some((self.at_minutes(day, from)?, self.at_minutes(day, to)?))
    }

    /// The end of a full session on this day, whether or not there is one: the latest moment at which
    /// the session of a day that the file does not know may have ended.
    pub fn regular_close(self, day: Date) -> Option<Timestamp> {
        self.at_minutes(day, self.0.hours_of(day).closes)
    }

    /// When a vendor's rows of this day are final, after the exchange's corrections.
    pub fn rows_final_at(self, day: Date) -> Option<Timestamp> {
        self.at_minutes(day, self.0.rows_final)
    }

    /// The last session whose close has come by this instant: what may be known then.
    pub fn last_session_by(self, instant: Timestamp) -> Option<Date> {
        // A session closes by the midnight that ends its day, so this day or one before it is the answer.
        let day = self.day_at(instant);
        match self.close_at(day) {
            Some(close) if close <= instant => Some(day),
            _ => self.previous_session(day),
        }
    }

    /// The last session whose rows no vendor corrects any more at an instant: what a market table shows.
    pub fn last_final_session(self, instant: Timestamp) -> Option<Date> {
        let is_final = |day: &Date| {
            let ready = self.rows_final_at(*day);
            ready.is_some_and(|ready| ready <= instant)
        };
        let last = self.last_session_by(instant);
        let mut sessions = std::iter::successors(last, |day| self.previous_session(*day));
        // Rows are final within a day, so one of the last sessions has them.
        sessions.find(is_final)
    }

    /// The first session after this day; none only at the end of representable time.
    pub fn next_session(self, day: Date) -> Option<Date> {
        let mut next = day.tomorrow().ok()?;
        while !self.is_session(next) {
            next = next.tomorrow().ok()?;
        }
        Some(next)
    }

    /// The last session before this day; none only at the beginning of representable time.
    pub fn previous_session(self, day: Date) -> Option<Date> {
        let mut previous = day.yesterday().ok()?;
        while !self.is_session(previous) {
            previous = previous.yesterday().ok()?;
        }
        Some(previous)
    }

    /// The day it is by its clocks at this instant.
    pub fn day_at(self, instant: Timestamp) -> Date {
        self.0.zone.to_datetime(instant).date()
    }

    /// A moment of this day by its clocks.
    pub fn moment(self, day: Date, hour: i8, minute: i8) -> Option<Timestamp> {
        self.at_minutes(day, i64::from(hour) * 60 + i64::from(minute))
    }

    /// So many minutes after the midnight that begins this day, by its clocks.
    fn at_minutes(self, day: Date, minutes: i64) -> Option<Timestamp> {
        let day = day.checked_add((minutes / MINUTES_PER_DAY).days()).ok()?;
        let hour = i8::try_from(minutes % MINUTES_PER_DAY / 60).ok()?;
        let minute = i8::try_from(minutes % 60).ok()?;
        self.0.zone.to_timestamp(day.at(hour, minute, 0, 0)).ok()
    }
}

const MINUTES_PER_DAY: i64 = 24 * 60;

/// A time zone by its name in the tz database.
pub fn time_zone(name: &str) -> Option<TimeZone> {
    ZONES.get(name).ok()
}

impl Default for Market {
    fn default() -> Self {
        Self(shipped::new_york())
    }
}

impl PartialEq for Market {
    fn eq(&self, other: &Self) -> bool {
        // A market is kept once, so two of them are the same place.
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Market {}

impl fmt::Debug for Market {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Market({})", self.id())
    }
}

/// Name and code: `Xetra (XETR)`.
impl fmt::Display for Market {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name(), self.id())
    }
}

impl Serialize for Market {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let form = if self.is_own() {
            MarketForm::Own(Box::new(self.file().clone()))
        } else {
            MarketForm::Shipped(self.id().to_owned())
        };
        form.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Market {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        match MarketForm::deserialize(from)? {
            MarketForm::Shipped(id) => {
                let unknown = || D::Error::custom(format!("{id} is not a shipped market"));
                Self::shipped(&id).ok_or_else(unknown)
            }
            MarketForm::Own(file) => Self::own(*file).map_err(D::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests;
