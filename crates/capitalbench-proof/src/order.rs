//! Whether a round happened in the order that makes it worth anything.
//!
//! ```text
//! T(freeze) < first attempt ≤ last attempt ≤ T(picks) < entry < exit ≤ T(score)
//! ```
//!
//! `T` is the time of an outside clock: what it stamped existed before. The instants of attempts are
//! those of the operator's own clock; places in the log show in which order they were told. So every
//! line says not only whether it holds but also on whose word it rests, and a stamp that came too
//! late proves nothing without proving the opposite.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// How far two honest clocks are apart at most.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_secs(60);

/// One step of a round as the log tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Its first leaf.
    pub first: u64,
    /// Its last leaf.
    pub last: u64,
    /// The instant in the leaves, by the operator's clock.
    pub at: Timestamp,
    /// The earliest outside stamp that covers all of its leaves.
    pub before: Option<Timestamp>,
}

/// What is known of a round; a step that did not happen is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    /// The freeze.
    pub freeze: Option<Mark>,
    /// The first request of the run that is the record.
    pub first_attempt: Option<Mark>,
    /// The last end of a request of that run.
    pub last_attempt: Option<Mark>,
    /// Its picks.
    pub picks: Option<Mark>,
    /// The close that returns are counted from, by the frozen rules.
    pub entry: Option<Timestamp>,
    /// The close that they are counted to.
    pub exit: Option<Timestamp>,
    /// The first results.
    pub score: Option<Mark>,
}

/// One sign of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// Inputs were settled before anybody was asked.
    FreezeBeforeAttempts,
    /// Requests began before they ended.
    AttemptsInOrder,
    /// Picks were told after the last answer.
    AttemptsBeforePicks,
    /// Picks existed before the first price that counts.
    PicksBeforeEntry,
    /// The window has a direction.
    EntryBeforeExit,
    /// No result is older than the last price that counts.
    ExitBeforeScore,
}

impl Line {
    /// The stable word for machines.
    pub fn code(self) -> &'static str {
        match self {
            Self::FreezeBeforeAttempts => "freeze-before-attempts",
            Self::AttemptsInOrder => "attempts-in-order",
            Self::AttemptsBeforePicks => "attempts-before-picks",
            Self::PicksBeforeEntry => "picks-before-entry",
            Self::EntryBeforeExit => "entry-before-exit",
            Self::ExitBeforeScore => "exit-before-score",
        }
    }
}

/// On whose word a line rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestsOn {
    /// Outside clocks and the frozen rules alone.
    OutsideClock,
    /// Also on instants by the operator's own clock.
    OwnClock,
    /// The frozen rules alone.
    Rules,
}

/// What can be said about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Proved(RestsOn),
    /// Nobody can tell.
    NotProved(Unproved),
    /// It does not hold.
    Broken(Contradiction),
    /// The later of its two steps has not happened.
    Open,
}

/// Why nobody can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    /// The log does not hold this step.
    NotLogged(Step),
    /// No outside clock stamped it.
    NotStamped(Step),
    /// It was stamped only after the other one.
    StampedLate {
        /// What was stamped.
        step: Step,
        /// When at the latest it existed.
        before: Timestamp,
        /// When it had to exist.
        limit: Timestamp,
    },
    /// The rules name no window.
    NoWindow,
}

/// Why a line does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// The log holds them the other way round.
    Places(Step, Step),
    /// Their instants are the other way round.
    Instants {
        /// What must come first.
        earlier: (Step, Timestamp),
        /// What must come after it.
        later: (Step, Timestamp),
    },
    /// It claims an instant at which an outside clock had seen it already.
    ClaimedLate {
        /// The step.
        step: Step,
        /// The instant it claims.
        at: Timestamp,
        /// Before which it existed.
        before: Timestamp,
    },
}

/// A step of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The inputs are settled.
    Freeze,
    /// The first request leaves.
    FirstAttempt,
    /// The last request ends.
    LastAttempt,
    /// The picks are the record.
    Picks,
    /// The entry close.
    Entry,
    /// The exit close.
    Exit,
    /// The results.
    Score,
}

/// A line and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The line.
    pub line: Line,
    /// What can be said about it.
    pub verdict: Verdict,
}

impl Judged {
    /// Whether a round that promises stamps may not go on: the line is broken, or it should be proved
    /// by now and is not. Results are stamped after they are made, so their stamp may be missing.
    pub fn refuses(&self) -> bool {
        match self.verdict {
            Verdict::Broken(_) => true,
            Verdict::NotProved(_) => self.line != Line::ExitBeforeScore,
            Verdict::Proved(_) | Verdict::Open => false,
        }
    }
}

/// Judges every line, in the order of the chain.
pub fn judge(history: &History) -> [Judged; 6] {
    let freeze = (Step::Freeze, history.freeze);
    let first = (Step::FirstAttempt, history.first_attempt);
    let last = (Step::LastAttempt, history.last_attempt);
    let picks = (Step::Picks, history.picks);
    let verdicts = [
        (Line::FreezeBeforeAttempts, before_attempts(freeze, first)),
        (Line::AttemptsInOrder, attempts(first, last)),
        (Line::AttemptsBeforePicks, before_picks(last, picks)),
        (Line::PicksBeforeEntry, before_entry(picks, history.entry)),
        (Line::EntryBeforeExit, window(history.entry, history.exit)),
        (Line::ExitBeforeScore, before_score(history)),
    ];
    verdicts.map(|(line, verdict)| Judged { line, verdict })
}

type Found = (Step, Option<Mark>);

fn before_attempts((step, freeze): Found, (then, first): Found) -> Verdict {
    let Some(first) = first else {
        return Verdict::Open;
    };
    let Some(freeze) = freeze else {
        return Verdict::NotProved(Unproved::NotLogged(step));
    };
    if let Some(found) = backdated(step, freeze).or_else(|| backdated(then, first)) {
        return Verdict::Broken(found);
    }
    if freeze.last >= first.first {
        return Verdict::Broken(Contradiction::Places(step, then));
    }
    if freeze.at > first.at {
        return the_other_way_round((step, freeze.at), (then, first.at));
    }
    match freeze.before {
        None => Verdict::NotProved(Unproved::NotStamped(step)),
        Some(before) if before >= first.at => Verdict::NotProved(Unproved::StampedLate {
            step,
            before,
            limit: first.at,
        }),
        Some(_) => Verdict::Proved(RestsOn::OwnClock),
    }
}

fn attempts((step, first): Found, (then, last): Found) -> Verdict {
    let Some(last) = last else {
        return Verdict::Open;
    };
    let Some(first) = first else {
        return Verdict::NotProved(Unproved::NotLogged(step));
    };
    if first.first >= last.last {
        return Verdict::Broken(Contradiction::Places(step, then));
    }
    if first.at > last.at {
        return the_other_way_round((step, first.at), (then, last.at));
    }
    Verdict::Proved(RestsOn::OwnClock)
}

fn before_picks((step, last): Found, (then, picks): Found) -> Verdict {
    let Some(picks) = picks else {
        return Verdict::Open;
    };
    let Some(last) = last else {
        return Verdict::NotProved(Unproved::NotLogged(step));
    };
    if let Some(found) = backdated(step, last).or_else(|| backdated(then, picks)) {
        return Verdict::Broken(found);
    }
    if last.last >= picks.first {
        return Verdict::Broken(Contradiction::Places(step, then));
    }
    match picks.before {
        Some(before) if last.at > before.checked_add(CLOCK_SLACK).unwrap_or(before) => {
            the_other_way_round((step, last.at), (then, before))
        }
        _ if last.at > picks.at => the_other_way_round((step, last.at), (then, picks.at)),
        None => Verdict::NotProved(Unproved::NotStamped(then)),
        Some(_) => Verdict::Proved(RestsOn::OwnClock),
    }
}

fn before_entry((step, picks): Found, entry: Option<Timestamp>) -> Verdict {
    let Some(picks) = picks else {
        return Verdict::Open;
    };
    let Some(entry) = entry else {
        return Verdict::NotProved(Unproved::NoWindow);
    };
    match picks.before {
        _ if picks.at >= entry => the_other_way_round((step, picks.at), (Step::Entry, entry)),
        None => Verdict::NotProved(Unproved::NotStamped(step)),
        Some(before) if before >= entry => Verdict::NotProved(Unproved::StampedLate {
            step,
            before,
            limit: entry,
        }),
        Some(_) => Verdict::Proved(RestsOn::OutsideClock),
    }
}

fn window(entry: Option<Timestamp>, exit: Option<Timestamp>) -> Verdict {
    match (entry, exit) {
        (Some(entry), Some(exit)) if entry < exit => Verdict::Proved(RestsOn::Rules),
        (Some(entry), Some(exit)) => the_other_way_round((Step::Entry, entry), (Step::Exit, exit)),
        _ => Verdict::NotProved(Unproved::NoWindow),
    }
}

fn before_score(history: &History) -> Verdict {
    let Some(score) = history.score else {
        return Verdict::Open;
    };
    let Some(exit) = history.exit else {
        return Verdict::NotProved(Unproved::NoWindow);
    };
    let step = Step::Score;
    if let Some(found) = backdated(step, score) {
        return Verdict::Broken(found);
    }
    match history.picks {
        None => return Verdict::NotProved(Unproved::NotLogged(Step::Picks)),
        Some(picks) if picks.last >= score.first => {
            return Verdict::Broken(Contradiction::Places(Step::Picks, step));
        }
        Some(_) => {}
    }
    match score.before {
        Some(before) if before < exit => the_other_way_round((Step::Exit, exit), (step, before)),
        _ if score.at < exit => the_other_way_round((Step::Exit, exit), (step, score.at)),
        None => Verdict::NotProved(Unproved::NotStamped(step)),
        Some(_) => Verdict::Proved(RestsOn::OutsideClock),
    }
}

fn the_other_way_round(earlier: (Step, Timestamp), later: (Step, Timestamp)) -> Verdict {
    Verdict::Broken(Contradiction::Instants { earlier, later })
}

/// Nothing can happen after somebody else has seen it.
fn backdated(step: Step, mark: Mark) -> Option<Contradiction> {
    let before = mark.before?;
    let latest = before.checked_add(CLOCK_SLACK).unwrap_or(before);
    let at = mark.at;
    (at > latest).then_some(Contradiction::ClaimedLate { step, at, before })
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Freeze => "the freeze",
            Self::FirstAttempt => "the first request",
            Self::LastAttempt => "the last answer",
            Self::Picks => "the picks",
            Self::Entry => "the entry close",
            Self::Exit => "the exit close",
            Self::Score => "the results",
        })
    }
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLogged(step) => write!(f, "{step}: not in the log"),
            Self::NotStamped(step) => write!(f, "{step}: stamped by no outside clock"),
            Self::StampedLate {
                step,
                before,
                limit,
            } => write!(
                f,
                "{step}: stamped only at {before}, which is not before {limit}"
            ),
            Self::NoWindow => f.write_str("the rules name no entry and exit close"),
        }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Places(earlier, later) => {
                write!(
                    f,
                    "{earlier} and {later} are in the log the other way round"
                )
            }
            Self::Instants { earlier, later } => write!(
                f,
                "{} ({}) must come before {} ({})",
                earlier.0, earlier.1, later.0, later.1
            ),
            Self::ClaimedLate { step, at, before } => write!(
                f,
                "{step}: the log says {at}, and an outside clock had seen it before {before}"
            ),
        }
    }
}

#[cfg(test)]
mod tests;
