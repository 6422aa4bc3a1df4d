//! Judges whether the steps of a round happened in the order that a fair round needs.
//!
//! ```text
//! T(freeze) < first attempt ≤ last attempt ≤ T(picks) < entry < exit ≤ T(score)
//! ```
//!
//! `T` is the time of an outside clock: whatever the clock stamped existed before that time. The
//! instants of attempts come from the operator's own clock; their indexes in the log show the order in
//! which they were logged. So a verdict says not only whether a line holds but also whose clock it
//! relies on. A stamp that came too late proves nothing, and does not prove the opposite either.

use std::fmt;

use jiff::{SignedDuration, Timestamp};

/// The largest difference between two honest clocks.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_secs(60);

/// One step of a round as the log records it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The index of its first leaf.
    pub first: u64,
    /// The index of its last leaf.
    pub last: u64,
    /// The instant in the leaves, by the operator's clock.
    pub at: Timestamp,
    /// The earliest outside stamp that covers all of its leaves.
    pub before: Option<Timestamp>,
}

/// The steps of a round; a step that did not happen is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct History {
    pub freeze: Option<Mark>,
    /// The first request of the run that is the record.
    pub first_attempt: Option<Mark>,
    /// The last time a request of that run ended.
    pub last_attempt: Option<Mark>,
    pub picks: Option<Mark>,
    /// The close from which returns count, by the frozen rules.
    pub entry: Option<Timestamp>,
    /// The close to which returns count.
    pub exit: Option<Timestamp>,
    pub score: Option<Mark>,
}

/// One comparison in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// The inputs were settled before the first request.
    FreezeBeforeAttempts,
    /// Requests began before they ended.
    AttemptsInOrder,
    /// The picks were logged after the last answer.
    AttemptsBeforePicks,
    /// The picks existed before the entry close.
    PicksBeforeEntry,
    EntryBeforeExit,
    /// The results are not older than the exit close.
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

/// Whose clock a verdict relies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestsOn {
    /// Outside clocks and the frozen rules alone.
    OutsideClock,
    /// Outside clocks and also the operator's own clock.
    OwnClock,
    /// The frozen rules alone.
    Rules,
}

/// The judgement of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Proved(RestsOn),
    NotProved(Unproved),
    Broken(Contradiction),
    /// The later of the two steps has not happened yet.
    Open,
}

/// Why a line cannot be proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unproved {
    NotLogged(Step),
    NotStamped(Step),
    /// The outside clock stamped the step only after the time at which it had to exist.
    StampedLate {
        step: Step,
        /// The stamp: the step existed before this instant.
        before: Timestamp,
        /// The step had to exist before this instant.
        limit: Timestamp,
    },
    NoWindow,
}

/// Why a line does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contradiction {
    /// The log holds the two steps in the wrong order.
    Places(Step, Step),
    /// The instants of the two steps are in the wrong order.
    Instants {
        earlier: (Step, Timestamp),
        later: (Step, Timestamp),
    },
    /// The step claims an instant at which an outside clock had already seen it.
    ClaimedLate {
        step: Step,
        /// The claimed instant.
        at: Timestamp,
        /// The stamp.
        before: Timestamp,
    },
}

/// A step of the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Freeze,
    FirstAttempt,
    LastAttempt,
    Picks,
    Entry,
    Exit,
    Score,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    pub line: Line,
    pub verdict: Verdict,
}

impl Judged {
    /// Whether the line stops a round that promises stamps: it is broken, or it should be proved by now
    /// and is not. Results are stamped after they are made, so their stamp may still be missing.
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
    [
        (Line::FreezeBeforeAttempts, freeze_before_attempts(history)),
        (Line::AttemptsInOrder, attempts_in_order(history)),
        (Line::AttemptsBeforePicks, attempts_before_picks(history)),
        (Line::PicksBeforeEntry, picks_before_entry(history)),
        (Line::EntryBeforeExit, entry_before_exit(history)),
        (Line::ExitBeforeScore, exit_before_score(history)),
    ]
    .map(|(line, proof)| Judged {
        line,
        verdict: proof.map_or_else(|verdict| verdict, Verdict::Proved),
    })
}

/// What a proved line relies on, or the verdict that keeps it from being proved.
type Proof = Result<RestsOn, Verdict>;

fn freeze_before_attempts(history: &History) -> Proof {
    let (step, then) = (Step::Freeze, Step::FirstAttempt);
    let first = history.first_attempt.ok_or(Verdict::Open)?;
    let freeze = logged(step, history.freeze)?;
    not_backdated(step, freeze)?;
    not_backdated(then, first)?;
    in_log_order((step, freeze.last), (then, first.first))?;
    in_time((step, freeze.at), (then, first.at))?;
    stamped_before(step, freeze, first.at)?;
    Ok(RestsOn::OwnClock)
}

fn attempts_in_order(history: &History) -> Proof {
    let (step, then) = (Step::FirstAttempt, Step::LastAttempt);
    let last = history.last_attempt.ok_or(Verdict::Open)?;
    let first = logged(step, history.first_attempt)?;
    in_log_order((step, first.first), (then, last.last))?;
    in_time((step, first.at), (then, last.at))?;
    Ok(RestsOn::OwnClock)
}

fn attempts_before_picks(history: &History) -> Proof {
    let (step, then) = (Step::LastAttempt, Step::Picks);
    let picks = history.picks.ok_or(Verdict::Open)?;
    let last = logged(step, history.last_attempt)?;
    not_backdated(step, last)?;
    not_backdated(then, picks)?;
    in_log_order((step, last.last), (then, picks.first))?;
    if let Some(before) = picks.before.filter(|before| last.at > with_slack(*before)) {
        return Err(wrong_order((step, last.at), (then, before)));
    }
    in_time((step, last.at), (then, picks.at))?;
    stamp(then, picks)?;
    Ok(RestsOn::OwnClock)
}

fn picks_before_entry(history: &History) -> Proof {
    let step = Step::Picks;
    let picks = history.picks.ok_or(Verdict::Open)?;
    let entry = in_window(history.entry)?;
    if picks.at >= entry {
        return Err(wrong_order((step, picks.at), (Step::Entry, entry)));
    }
    stamped_before(step, picks, entry)?;
    Ok(RestsOn::OutsideClock)
}

fn entry_before_exit(history: &History) -> Proof {
    let (entry, exit) = (in_window(history.entry)?, in_window(history.exit)?);
    if entry >= exit {
        return Err(wrong_order((Step::Entry, entry), (Step::Exit, exit)));
    }
    Ok(RestsOn::Rules)
}

fn exit_before_score(history: &History) -> Proof {
    let step = Step::Score;
    let score = history.score.ok_or(Verdict::Open)?;
    let exit = in_window(history.exit)?;
    not_backdated(step, score)?;
    let picks = logged(Step::Picks, history.picks)?;
    in_log_order((Step::Picks, picks.last), (step, score.first))?;
    for at in score.before.into_iter().chain([score.at]) {
        in_time((Step::Exit, exit), (step, at))?;
    }
    stamp(step, score)?;
    Ok(RestsOn::OutsideClock)
}

fn logged(step: Step, mark: Option<Mark>) -> Result<Mark, Verdict> {
    mark.ok_or(Verdict::NotProved(Unproved::NotLogged(step)))
}

fn in_window(close: Option<Timestamp>) -> Result<Timestamp, Verdict> {
    close.ok_or(Verdict::NotProved(Unproved::NoWindow))
}

fn stamp(step: Step, mark: Mark) -> Result<Timestamp, Verdict> {
    let missing = Verdict::NotProved(Unproved::NotStamped(step));
    mark.before.ok_or(missing)
}

fn stamped_before(step: Step, mark: Mark, limit: Timestamp) -> Result<(), Verdict> {
    let before = stamp(step, mark)?;
    if before < limit {
        return Ok(());
    }
    Err(Verdict::NotProved(Unproved::StampedLate {
        step,
        before,
        limit,
    }))
}

fn in_log_order(earlier: (Step, u64), later: (Step, u64)) -> Result<(), Verdict> {
    if earlier.1 < later.1 {
        return Ok(());
    }
    let found = Contradiction::Places(earlier.0, later.0);
    Err(Verdict::Broken(found))
}

fn in_time(earlier: (Step, Timestamp), later: (Step, Timestamp)) -> Result<(), Verdict> {
    if earlier.1 <= later.1 {
        return Ok(());
    }
    Err(wrong_order(earlier, later))
}

fn wrong_order(earlier: (Step, Timestamp), later: (Step, Timestamp)) -> Verdict {
    Verdict::Broken(Contradiction::Instants { earlier, later })
}

/// A step cannot have happened after an outside clock has seen it.
fn not_backdated(step: Step, mark: Mark) -> Result<(), Verdict> {
    match mark.before {
        Some(before) if mark.at > with_slack(before) => {
            let at = mark.at;
            let found = Contradiction::ClaimedLate { step, at, before };
            Err(Verdict::Broken(found))
        }
        _ => Ok(()),
    }
}

fn with_slack(instant: Timestamp) -> Timestamp {
    instant.checked_add(CLOCK_SLACK).unwrap_or(instant)
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
                write!(f, "the log has {later} before {earlier}")
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
