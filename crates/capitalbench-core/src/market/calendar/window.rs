//! From a decision deadline to the entry and exit closes of a round, with the reasons.

use std::fmt;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};

use super::{Market, SessionKind};
use crate::round::manifest::{Track, Window};
use crate::values::words::words;

impl Track {
    /// The horizon in words, as manifests and prompts write it.
    pub fn horizon(self) -> &'static str {
        match self {
            Self::Weekly => "one week",
            Self::Monthly => "one month",
        }
    }

    /// Reads a horizon in words; case and runs of white space do not matter.
    pub fn from_horizon(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = words.join(" ").to_lowercase();
        [Self::Weekly, Self::Monthly]
            .into_iter()
            .find(|track| track.horizon() == words)
    }
}

/// Which close a window starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum EntryRule {
    /// The first close strictly after the deadline, so that the decision can be carried out.
    #[default]
    FirstCloseAfterDeadline,
    /// The close of the deadline's own day by the market's clocks, rolled like the exit when that is
    /// closed.
    SameDay,
    /// The last close at or before the deadline: the model decides past the entry price.
    LastCloseBeforeDeadline,
}

words!(EntryRule {
    FirstCloseAfterDeadline => "first_close_after_deadline",
    SameDay => "same_day_close",
    LastCloseBeforeDeadline => "last_close_before_deadline",
});

/// Where a day without a session moves to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Roll {
    /// Back to the session before.
    #[default]
    Previous,
    /// On to the session after.
    Next,
}

words!(Roll {
    Previous => "previous",
    Next => "next",
});

impl Roll {
    fn move_off(self, market: Market, day: Date) -> Option<Date> {
        match self {
            Self::Previous => market.previous_session(day),
            Self::Next => market.next_session(day),
        }
    }
}

/// How entry and exit follow from a deadline; a manifest carries its name as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct WindowRule {
    /// Which close starts the window.
    pub entry: EntryRule,
    /// Where closed days move to.
    pub roll: Roll,
}

impl WindowRule {
    /// Reads a stored name such as `first_close_after_deadline+roll_previous`.
    pub fn parse(text: &str) -> Option<Self> {
        let (entry, roll) = text.trim().split_once("+roll_")?;
        Some(Self {
            entry: EntryRule::parse(entry.trim())?,
            roll: Roll::parse(roll.trim())?,
        })
    }
}

impl fmt::Display for WindowRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+roll_{}", self.entry.as_str(), self.roll.as_str())
    }
}

/// Why no window follows from a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WindowError {
    /// The days are not representable.
    #[error("the deadline {0} is too far from today's calendar")]
    OutOfRange(Timestamp),
    /// The market's file does not cover a day.
    #[error(
        "the calendar of {market} is known from {} to {}, and {day} is not between them",
        market.known_days().0,
        market.known_days().1
    )]
    Unknown {
        market: Market,
        /// The day that would be needed.
        day: Date,
    },
}

/// A window together with the reasons for its two days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowPlan {
    /// The two days.
    pub window: Window,
    /// The moment of the starting close.
    pub entry_close: Timestamp,
    /// The moment of the ending close.
    pub exit_close: Timestamp,
    /// Why the window starts there.
    pub entry_reason: String,
    /// Why the window ends there.
    pub exit_reason: String,
    /// What an operator should know before freezing this window.
    pub cautions: Vec<String>,
    /// The rule that was applied; its text is the stored name.
    pub rule: WindowRule,
}

/// Entry and exit of a round of this track that decides by this deadline, by a market's sessions.
pub fn plan_window(
    market: Market,
    deadline: Timestamp,
    track: Track,
    rule: WindowRule,
) -> Result<WindowPlan, WindowError> {
    let out_of_range = WindowError::OutOfRange(deadline);
    let entry = Leg::entry(market, deadline, rule).ok_or(out_of_range)?;
    let exit = Leg::exit(market, entry.day, track, rule.roll).ok_or(out_of_range)?;
    let days = [entry.day, exit.day];
    if let Some(day) = days.into_iter().find(|day| !market.knows(*day)) {
        return Err(WindowError::Unknown { market, day });
    }
    Ok(WindowPlan {
        window: Window {
            entry: entry.day,
            exit: exit.day,
            market,
        },
        cautions: cautions(market, deadline, &entry),
        entry_close: entry.close,
        exit_close: exit.close,
        entry_reason: entry.reason,
        exit_reason: exit.reason,
        rule,
    })
}

/// One end of a window.
struct Leg {
    day: Date,
    close: Timestamp,
    reason: String,
}

impl Leg {
    fn entry(market: Market, deadline: Timestamp, rule: WindowRule) -> Option<Self> {
        let today = market.day_at(deadline);
        let close = market.close_at(today);
        let (roll, stays, what) = match rule.entry {
            EntryRule::SameDay => (
                rule.roll,
                close.is_some(),
                "the close of the day of the deadline",
            ),
            EntryRule::FirstCloseAfterDeadline => (
                Roll::Next,
                close.is_some_and(|close| close > deadline),
                "the first close after the deadline",
            ),
            EntryRule::LastCloseBeforeDeadline => (
                Roll::Previous,
                close.is_some_and(|close| close <= deadline),
                "the last close before the deadline",
            ),
        };
        let day = if stays {
            today
        } else {
            roll.move_off(market, today)?
        };
        let note = closed_note(market, today, roll);
        let close_text = close_text(market, day)?;
        let reason = format!("{close_text} is {what} {deadline}{note}");
        let close = market.close_at(day)?;
        Some(Self { day, close, reason })
    }

    fn exit(market: Market, entry: Date, track: Track, roll: Roll) -> Option<Self> {
        let span = match track {
            Track::Weekly => 7.days(),
            Track::Monthly => 1.month(),
        };
        let nominal = entry.checked_add(span).ok()?;
        let moved = match market.close_at(nominal) {
            Some(_) => nominal,
            None => roll.move_off(market, nominal)?,
        };
        // A closure of a week leads back to the entry itself, so the window ends after it.
        let (roll, day) = if moved > entry {
            (roll, moved)
        } else {
            (Roll::Next, market.next_session(nominal)?)
        };
        let horizon = track.horizon();
        let note = closed_note(market, nominal, roll);
        let close_text = close_text(market, day)?;
        let reason = format!("{close_text} is {horizon} after {entry}{note}");
        let close = market.close_at(day)?;
        Some(Self { day, close, reason })
    }
}

/// The close of a session in words.
fn close_text(market: Market, day: Date) -> Option<String> {
    let close = market.close_at(day)?;
    Some(match market.unusual(day) {
        None => format!("the close of {day} ({close})"),
        Some((SessionKind::EarlyClose, reason)) => {
            format!("the early close of {day} ({close}, {reason})")
        }
        Some((SessionKind::Special, reason)) => {
            format!("the close of the special session of {day} ({close}, {reason})")
        }
    })
}

/// What to add when the day aimed at has no session; empty when it has one.
fn closed_note(market: Market, day: Date, roll: Roll) -> String {
    let reason = market.closure_reason(day);
    reason.map_or_else(String::new, |reason| {
        let roll = roll.as_str();
        format!("; {day} is closed ({reason}), so the {roll} session")
    })
}

fn cautions(market: Market, deadline: Timestamp, entry: &Leg) -> Vec<String> {
    let mut cautions = Vec::new();
    let opened = market.open_at(entry.day);
    if entry.close <= deadline {
        let text = "the entry close is not after the deadline: models may know the entry price";
        cautions.push(text.to_owned());
    } else if !market.never_closes() && opened.is_some_and(|open| open <= deadline) {
        let text = "the deadline falls inside the entry session: models may know its prices";
        cautions.push(text.to_owned());
    }
    cautions
}
