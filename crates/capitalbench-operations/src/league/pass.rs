//! One pass of a league: everything that is due, nothing twice.

use jiff::Timestamp;

use super::folder::LeagueFolder;
use crate::error::Error;
use crate::operator::Operator;

/// What a pass did and when the next one has something to do.
#[derive(Debug, Default)]
pub struct Pass {
    /// In the order in which it was done.
    pub steps: Vec<Step>,
    /// Why a step that is due could not be done; the next pass tries again.
    pub problems: Vec<Problem>,
    /// The first instant at which something is due again.
    pub next: Option<Timestamp>,
}

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub at: Timestamp,
    /// The round, where the step is about one.
    pub round: Option<String>,
    pub kind: StepKind,
    /// The single command with the same effect, as it is typed in the folder of the league.
    pub command: String,
    /// What happened, for people.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    Opened,
    Briefed,
    Frozen,
    Stamped,
    Asked,
    Accepted,
    Voided,
    Abandoned,
    Tracked,
    Resolved,
    Published,
}

/// A step that is due and could not be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub round: Option<String>,
    pub text: String,
    /// When it is tried again, where that is known: a price plan is used up until then.
    pub waits_until: Option<Timestamp>,
}

/// Does everything that is due at the operator's instant.
pub fn pass(_operator: &Operator, _league: &LeagueFolder) -> Result<Pass, Error> {
    Err(Error::new("passes are not built yet"))
}
