//! [`Zone`]: the clocks of an exchange, which decide the day of a session.
//!
//! An answer names the zone and the offset of today. The offset of another season differs by an hour,
//! and a row whose timestamp is midnight would then fall on the day before. The program has no
//! time zone database, so the rules of the zones in which Yahoo's exchanges lie are written here, as
//! they hold since 2008.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

const CENTRAL_EUROPE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";
const EASTERN_EUROPE: &str = "EET-2EEST,M3.5.0/3,M10.5.0/4";
const WESTERN_EUROPE: &str = "GMT0BST,M3.5.0/1,M10.5.0";
const EASTERN_AMERICA: &str = "EST5EDT,M3.2.0,M11.1.0";

/// Zones by name, with their rules.
const ZONES: [(&str, &str); 33] = [
    ("America/New_York", EASTERN_AMERICA),
    ("America/Toronto", EASTERN_AMERICA),
    ("America/Chicago", "CST6CDT,M3.2.0,M11.1.0"),
    ("America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0"),
    ("Europe/London", WESTERN_EUROPE),
    ("Europe/Dublin", WESTERN_EUROPE),
    ("Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0"),
    ("Europe/Amsterdam", CENTRAL_EUROPE),
    ("Europe/Berlin", CENTRAL_EUROPE),
    ("Europe/Brussels", CENTRAL_EUROPE),
    ("Europe/Copenhagen", CENTRAL_EUROPE),
    ("Europe/Madrid", CENTRAL_EUROPE),
    ("Europe/Oslo", CENTRAL_EUROPE),
    ("Europe/Paris", CENTRAL_EUROPE),
    ("Europe/Prague", CENTRAL_EUROPE),
    ("Europe/Rome", CENTRAL_EUROPE),
    ("Europe/Stockholm", CENTRAL_EUROPE),
    ("Europe/Vienna", CENTRAL_EUROPE),
    ("Europe/Warsaw", CENTRAL_EUROPE),
    ("Europe/Zurich", CENTRAL_EUROPE),
    ("Europe/Athens", EASTERN_EUROPE),
    ("Europe/Helsinki", EASTERN_EUROPE),
    ("Africa/Johannesburg", "SAST-2"),
    ("Asia/Hong_Kong", "HKT-8"),
    ("Asia/Kolkata", "IST-5:30"),
    ("Asia/Seoul", "KST-9"),
    ("Asia/Shanghai", "CST-8"),
    ("Asia/Singapore", "<+08>-8"),
    ("Asia/Taipei", "CST-8"),
    ("Asia/Tokyo", "JST-9"),
    ("Australia/Sydney", "AEST-10AEDT,M10.1.0,M4.1.0/3"),
    ("Pacific/Auckland", "NZST-12NZDT,M9.5.0,M4.1.0/3"),
    ("UTC", "UTC0"),
];

/// The largest difference between the offset of today and that of another season.
const SEASON: i64 = 3_600;

/// The clocks of an exchange.
#[derive(Debug)]
pub(super) enum Zone {
    /// A zone whose rules are known.
    Known(TimeZone),
    /// Seconds east of UTC as of today, in a zone whose rules are not known here.
    Today(i64),
}

impl Zone {
    /// The zone of this name; where the name says nothing, the offset of today. None without both.
    pub(super) fn of(name: Option<&str>, offset: Option<i64>) -> Option<Self> {
        let rule = ZONES.iter().find(|(known, _)| Some(*known) == name);
        let known = rule.and_then(|(_, rule)| TimeZone::posix(rule).ok());
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
