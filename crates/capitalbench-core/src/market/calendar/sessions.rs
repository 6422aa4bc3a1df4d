//! [`Sessions`]: a market file that was read and checked once.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::file::{
    Hours, MarketError, MarketFile, WEEK, dated_hours, dated_reason, minutes, span, timed_reason,
};
use super::{MINUTES_PER_DAY, time_zone};
use crate::values::time::{days_between, parse_day};

/// Unusual days of a market at most: a century of holidays.
const MOST_DAYS: usize = 5_000;

/// What is unusual about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// It ends before the usual hour.
    EarlyClose,
    /// It is held on a day that would have none, at hours of its own.
    Special,
}

/// A market's days.
#[derive(Debug)]
pub(super) struct Sessions {
    pub file: MarketFile,
    pub zone: TimeZone,
    /// The first and the last known day.
    pub known: (Date, Date),
    /// When rows are final, in minutes after midnight.
    pub rows_final: i64,
    /// By the day from which they hold; the first hold before that day too.
    hours: Vec<(Date, Hours)>,
    /// By the number of the weekday from Monday: its name where it has no session.
    weekend: [Option<&'static str>; 7],
    closed: BTreeMap<Date, String>,
    early: BTreeMap<Date, (i64, String)>,
    special: BTreeMap<Date, (i64, i64, String)>,
}

impl Sessions {
    pub(super) fn of(file: MarketFile) -> Result<Self, MarketError> {
        check_names(&file)?;
        let day = |field: &'static str, text: &str| {
            let wrong =
                || MarketError::field(field, format!("{text:?} is not a day like 2026-12-31"));
            parse_day(text).ok_or_else(wrong)
        };
        let known = (
            day("known_from", &file.known_from)?,
            day("known_to", &file.known_to)?,
        );
        if known.0 > known.1 || days_between(known.0, known.1) > 366 * 100 {
            let text = format!("{} is before known_from, or a century later", known.1);
            return Err(MarketError::field("known_to", text));
        }
        let zone = time_zone(&file.zone).ok_or_else(|| {
            let text = format!(
                "{:?} is not a zone of the tz database like Europe/Berlin",
                file.zone
            );
            MarketError::field("zone", text)
        })?;
        let rows_final = minutes(&file.rows_final).ok_or_else(|| {
            let text = format!("{:?} is not a time like 20:15 or 24:30", file.rows_final);
            MarketError::field("rows_final", text)
        })?;
        let mut sessions = Self {
            zone,
            known,
            rows_final,
            hours: hours(&file)?,
            weekend: weekend(&file)?,
            closed: BTreeMap::new(),
            early: BTreeMap::new(),
            special: BTreeMap::new(),
            file,
        };
        sessions.add_days()?;
        sessions.check_rows_final()?;
        Ok(sessions)
    }

    /// The usual hours of a day, whether or not it has a session.
    pub(super) fn hours_of(&self, day: Date) -> Hours {
        let later = self.hours.partition_point(|(from, _)| *from <= day);
        self.hours[later.saturating_sub(1)].1
    }

    pub(super) fn never_closes(&self) -> bool {
        let around =
            |(_, hours): &(Date, Hours)| hours.opens == 0 && hours.closes == MINUTES_PER_DAY;
        self.weekend.iter().all(Option::is_none) && self.hours.iter().all(around)
    }

    pub(super) fn closure_reason(&self, day: Date) -> Option<&str> {
        if self.special.contains_key(&day) {
            return None;
        }
        let place = usize::try_from(day.weekday().to_monday_zero_offset()).unwrap_or_default();
        let weekend: Option<&str> = self.weekend[place];
        weekend.or_else(|| self.closed.get(&day).map(String::as_str))
    }

    pub(super) fn unusual(&self, day: Date) -> Option<(SessionKind, &str)> {
        let special = self.special.get(&day);
        let special = special.map(|(.., why)| (SessionKind::Special, why.as_str()));
        let early = || {
            let early = self.early.get(&day);
            early.map(|(_, why)| (SessionKind::EarlyClose, why.as_str()))
        };
        special.or_else(early)
    }

    pub(super) fn close_minutes(&self, day: Date) -> Option<i64> {
        if let Some((_, closes, _)) = self.special.get(&day) {
            return Some(*closes);
        }
        if self.closure_reason(day).is_some() {
            return None;
        }
        let early = self.early.get(&day).map(|(closes, _)| *closes);
        Some(early.unwrap_or_else(|| self.hours_of(day).closes))
    }

    pub(super) fn open_minutes(&self, day: Date) -> Option<i64> {
        if let Some((opens, ..)) = self.special.get(&day) {
            return Some(*opens);
        }
        let is_session = self.closure_reason(day).is_none();
        is_session.then(|| self.hours_of(day).opens)
    }

    /// The break of a full session, or of an early close that comes after it.
    pub(super) fn lunch(&self, day: Date) -> Option<(i64, i64)> {
        let close = self.close_minutes(day)?;
        let lunch = self.hours_of(day).lunch?;
        (!self.special.contains_key(&day) && lunch.1 < close).then_some(lunch)
    }

    /// Reads the lists; a day that cannot be what its list says is refused.
    fn add_days(&mut self) -> Result<(), MarketError> {
        let file = self.file.clone();
        let lists = [&file.closed, &file.early_closes, &file.special_sessions];
        if lists.iter().any(|list| list.len() > MOST_DAYS) {
            let text = format!("has more than {MOST_DAYS} lines");
            return Err(MarketError::field("closed", text));
        }
        for line in &file.closed {
            let read = dated_reason(line)
                .ok_or_else(|| wrong("closed", line, "2026-12-25 Christmas Day"))?;
            self.close(read, line)?;
        }
        for line in &file.special_sessions {
            let example = "2025-10-21 13:45-14:45 Diwali Muhurat";
            let read = timed_reason(line, span);
            let (day, (opens, closes), why) =
                read.ok_or_else(|| wrong("special_sessions", line, example))?;
            let has_one = self.closure_reason(day).is_none();
            if has_one || !self.knows(day) {
                let text = "has a usual session, is listed twice or is not a known day";
                return Err(MarketError::field(
                    "special_sessions",
                    format!("{day} {text}"),
                ));
            }
            self.special.insert(day, (opens, closes, why.to_owned()));
        }
        for line in &file.early_closes {
            let example = "2026-12-30 14:00 the last session of the year";
            let read = timed_reason(line, minutes);
            let (day, closes, why) = read.ok_or_else(|| wrong("early_closes", line, example))?;
            let usual = self.hours_of(day);
            let is_usual = self.closure_reason(day).is_none() && !self.special.contains_key(&day);
            if !is_usual || !self.knows(day) || closes <= usual.opens || closes >= usual.closes {
                let text = "has no usual session that could end early at this time";
                return Err(MarketError::field("early_closes", format!("{day} {text}")));
            }
            if self.early.insert(day, (closes, why.to_owned())).is_some() {
                return Err(MarketError::field(
                    "early_closes",
                    format!("{day} is listed twice"),
                ));
            }
        }
        Ok(())
    }

    /// Closes the days from the first to the last that are no weekend.
    fn close(
        &mut self,
        (first, last, why): (Date, Date, &str),
        line: &str,
    ) -> Result<(), MarketError> {
        if !self.knows(first) || !self.knows(last) {
            let text = format!("{line:?} is not between known_from and known_to");
            return Err(MarketError::field("closed", text));
        }
        let days = first.series(jiff::Span::new().days(1));
        let mut closed = 0;
        for day in days.take_while(|day| *day <= last) {
            if self.closure_reason(day).is_none() {
                self.closed.insert(day, why.to_owned());
                closed += 1;
            } else if first == last || self.closed.contains_key(&day) {
                let text = format!("{day} has no session already");
                return Err(MarketError::field("closed", text));
            }
        }
        if closed == 0 {
            return Err(MarketError::field(
                "closed",
                format!("{line:?} closes no session"),
            ));
        }
        Ok(())
    }

    fn knows(&self, day: Date) -> bool {
        (self.known.0..=self.known.1).contains(&day)
    }

    /// Rows cannot be final before the session that they describe has ended.
    fn check_rows_final(&self) -> Result<(), MarketError> {
        let usual = self.hours.iter().map(|(_, hours)| hours.closes);
        let special = self.special.values().map(|(_, closes, _)| *closes);
        let last = usual.chain(special).max().unwrap_or_default();
        if self.rows_final <= last {
            let text = format!("{} is not after the last close", self.file.rows_final);
            return Err(MarketError::field("rows_final", text));
        }
        Ok(())
    }
}

fn wrong(field: &'static str, line: &str, example: &str) -> MarketError {
    MarketError::field(field, format!("{line:?} is not a line like {example:?}"))
}

fn check_names(file: &MarketFile) -> Result<(), MarketError> {
    let is_code = |text: &str, length: usize| {
        text.len() == length
            && text
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    if !is_code(&file.market, 4) && file.market != "24/7" {
        let text = format!("{:?} is not an ISO 10383 code like XETR", file.market);
        return Err(MarketError::field("market", text));
    }
    let is_plain = |text: &str| super::file::reason(text).is_some() && text.trim() == text;
    for (field, text) in [("name", &file.name), ("city", &file.city)] {
        if !is_plain(text) {
            return Err(MarketError::field(field, "must be a name on one line"));
        }
    }
    if !is_code(&file.currency, 3) {
        let text = format!("{:?} is not a code like EUR", file.currency);
        return Err(MarketError::field("currency", text));
    }
    if file.granularity != "daily" {
        let text = format!(
            "{:?} is not daily: a round uses one close per session",
            file.granularity
        );
        return Err(MarketError::field("granularity", text));
    }
    Ok(())
}

fn hours(file: &MarketFile) -> Result<Vec<(Date, Hours)>, MarketError> {
    let read = |line: &String| {
        let example = "2015-01-01 09:00-15:00 lunch 11:30-12:30";
        dated_hours(line).ok_or_else(|| wrong("hours", line, example))
    };
    let hours: Vec<(Date, Hours)> = file.hours.iter().map(read).collect::<Result<_, _>>()?;
    if hours.is_empty() || !hours.is_sorted_by(|a, b| a.0 < b.0) {
        let text = "needs a line for the first day and one for each change, oldest first";
        return Err(MarketError::field("hours", text));
    }
    Ok(hours)
}

fn weekend(file: &MarketFile) -> Result<[Option<&'static str>; 7], MarketError> {
    let mut weekend = [None; 7];
    for name in &file.weekend {
        let place = WEEK.iter().position(|(_, own)| own == name);
        let unknown =
            || MarketError::field("weekend", format!("{name:?} is not a day like Sunday"));
        let place = place.ok_or_else(unknown)?;
        weekend[place] = Some(WEEK[place].1);
    }
    if weekend.iter().all(Option::is_some) {
        return Err(MarketError::field("weekend", "leaves no day for a session"));
    }
    Ok(weekend)
}
