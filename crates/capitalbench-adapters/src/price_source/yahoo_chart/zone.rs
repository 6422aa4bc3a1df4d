//! [`Zone`]: the clocks of an exchange, which decide the day of a session.
//!
//! An answer names the zone and the offset of today. The offset of another season differs by an hour,
//! and a row whose timestamp is midnight would then fall on the day before. So the name is looked up in
//! the time zone database that the program carries.

use capitalbench_core::market::calendar::time_zone;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The largest difference between the offset of today and that of another season.
const SEASON: i64 = 3_600;

/// The clocks of an exchange.
#[derive(Debug)]
pub(super) enum Zone {
    /// A zone whose rules are known.
    Known(TimeZone),
    /// Seconds east of UTC as of today, in a zone whose name says nothing.
    Today(i64),
}

impl Zone {
    /// The zone of this name; where the name says nothing, the offset of today. None without both.
    pub(super) fn of(name: Option<&str>, offset: Option<i64>) -> Option<Self> {
        let known = name.and_then(time_zone);
        known.map(Self::Known).or(offset.map(Self::Today))
    }

    /// The exchange's day of an instant; none where it cannot be known.
    pub(super) fn day(&self, second: i64) -> Option<Date> {
        match self {
            Self::Known(zone) => {
                let instant = Timestamp::from_second(second).ok()?;
                Some(zone.to_datetime(instant).date())
            }
            Self::Today(offset) => {
                let at = |shift: i64| {
                    let local = second.checked_add(*offset)?.checked_add(shift)?;
                    let instant = Timestamp::from_second(local).ok()?;
                    Some(TimeZone::UTC.to_datetime(instant).date())
                };
                // Another season must not make it another day.
                let day = at(0)?;
                (at(-SEASON)? == day && at(SEASON)? == day).then_some(day)
            }
        }
    }
}

#[cfg(test)]
mod tests;
