//! [`Stopped`]: a fetch that ended early because its source answers no more for now.

use capitalbench_adapters::price_source::Limit;
use jiff::Timestamp;

use crate::error::Error;

/// Why and where it ended; the answers so far are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
    pub source: &'static str,
    /// When the next question is allowed.
    pub at: Timestamp,
    pub done: usize,
    pub of: usize,
    pub cause: Cause,
}

/// Who closed a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The plan is used up, by the program's own count or by the source's.
    Plan,
    /// The source refused the question without naming a limit of a plan.
    Refused(Limit),
    /// The source refused an earlier question, and its wait is not over.
    RefusedEarlier,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            source, done, of, ..
        } = self;
        let after = format!("after {done} of {of} options");
        match self.cause {
            Cause::Plan => write!(f, "the plan of {source} is used up {after}"),
            Cause::Refused(limit) => {
                write!(f, "{source} answers no more for now {after}: {limit}")
            }
            Cause::RefusedEarlier => {
                write!(
                    f,
                    "{source} refused an earlier request and is not asked yet, {after}"
                )
            }
        }
    }
}

impl From<Stopped> for Error {
    fn from(stopped: Stopped) -> Self {
        let error = Self::new(stopped.to_string()).hint(format!(
            "run it again at {}, or with --wait; the answers so far are kept and not asked for \
             again, nothing was written",
            stopped.at
        ));
        Self {
            waits_until: Some(stopped.at),
            ..error
        }
    }
}
