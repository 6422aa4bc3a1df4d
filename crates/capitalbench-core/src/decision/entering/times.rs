//! [`Times`]: until when an entry may be sealed, and when it must be opened.

use jiff::Timestamp;

use crate::round::manifest::Manifest;
use crate::values::time::WrittenInstant;

/// The instants of a round that bind entrants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// A sealed entry is in the log before this: the deadline of the models.
    pub deadline: Timestamp,
    /// The entry close; from then on a portfolio may be seen.
    pub opens: Timestamp,
    /// An opening is in the log before this: the next session begins to tell how the round ends.
    pub closes: Timestamp,
}

impl Times {
    /// None where the round has no window, or its market knows no session after the entry.
    pub fn of(manifest: &Manifest) -> Option<Self> {
        let window = manifest.window?;
        let opens = window.entry_close()?;
        let deadline = manifest.decision_deadline.as_ref();
        let deadline = deadline.map_or(opens, WrittenInstant::at).min(opens);
        let market = window.market;
        let next = market.next_session(window.entry)?;
        // Where the next session begins with the close itself, its own close ends the time.
        let closes = market.open_at(next).filter(|open| *open > opens);
        let closes = closes.or_else(|| market.close_at(next))?;
        Some(Self {
            deadline,
            opens,
            closes,
        })
    }
}

#[cfg(test)]
mod tests;
