//! Where a round stands, and what each state may know.

use jiff::civil::Date;

use crate::ids::RunId;
use crate::leaderboard::Scored;
use crate::manifest::Window;
use crate::score::RoundReturns;

/// A round on a given day. Only a resolved one has figures.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// No official run yet.
    Draft,
    /// An official run, no result yet.
    Pending(Pending),
    /// Scored.
    Resolved(Resolved),
}

/// An open round: decisions are known, results are not, and there is no field for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// The record.
    pub run_id: RunId,
    /// Whether the exit close has passed.
    pub due: Due,
}

/// How an open round relates to its exit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// The exit day is not over, or not known.
    NotYet,
    /// The exit day is over and nothing is scored.
    Overdue,
}

/// A scored round.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The record.
    pub run_id: RunId,
    /// Returns of the options.
    pub returns: RoundReturns,
    /// Outcomes in leaderboard order.
    pub outcomes: Vec<Scored>,
}

/// Whether an open round should have been scored by this day.
pub fn due(window: Option<Window>, today: Date) -> Due {
    match window {
        Some(window) if window.exit < today => Due::Overdue,
        _ => Due::NotYet,
    }
}
