//! Asking one source for many symbols: within its plan, each answer kept as soon as it is there.

use std::time::Duration;

use capitalbench_adapters::price_source::{
    DailyClose, History, Limit, PriceError, PriceFault, PriceSource,
};
use capitalbench_archive::prices::request_state::{KeptAnswer, RequestState};
use capitalbench_core::market::price_window::{PriceWindow, Session};
use capitalbench_core::market::request_budget::Plan;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::Price;
use indicatif::ProgressBar;
use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use crate::clock::Clock;
use crate::console::progress;
use crate::error::CommandError;

/// Waits before a question whose transport failed is asked again.
const DELAYS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];
/// The longest wait that a failing server may ask for; a longer one is left to the next fetch.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// What to do when a plan allows no more for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtLimit {
    Stop,
    Wait,
}

/// A source, its allowance and the clock.
pub(crate) struct Asking<'a> {
    pub(crate) source: &'a dyn PriceSource,
    /// What is counted where, and what the plan allows; none for a source on the disk.
    pub(crate) counted: Option<(RequestState, Plan)>,
    pub(crate) clock: Clock,
    pub(crate) at_limit: AtLimit,
}

/// One option and what was said about it.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) window: PriceWindow,
    pub(crate) answer: KeptAnswer,
}

/// The rows to ask for, and which of them an answer must hold.
#[derive(Debug, Clone)]
pub(crate) struct Days {
    pub(crate) from: Date,
    pub(crate) to: Date,
    /// Days without whose row an answer is none.
    pub(crate) needed: Vec<Date>,
}

impl Days {
    /// A window whose two ends are needed.
    pub(crate) fn both_ends(from: Date, to: Date) -> Self {
        let needed = vec![from, to];
        Self { from, to, needed }
    }

    /// A stretch of whatever rows there are.
    pub(crate) fn any_of(from: Date, to: Date) -> Self {
        let needed = Vec::new();
        Self { from, to, needed }
    }
}

/// How the asking ended.
pub(crate) enum Asked {
    /// Every option has an answer, or a reason why it has none.
    All(Vec<(OptionId, Result<Answered, String>)>),
    /// A plan is used up; what came so far is kept.
    Stopped {
        at: Timestamp,
        done: usize,
        of: usize,
    },
}

/// One question's end.
enum Turn {
    Answer(KeptAnswer),
    Fault(String),
    Closed(Timestamp),
}

impl Asking<'_> {
    /// Asks for every option of a fetch that has no kept answer.
    pub(crate) async fn ask_all(
        &self,
        fetch: &str,
        options: &[(OptionId, String)],
        days: &Days,
    ) -> Result<Asked, CommandError> {
        let bar = progress(options.len(), "fetching");
        let mut answers = Vec::with_capacity(options.len());
        for (option_id, symbol) in options {
            let said = match self.turn(&bar, fetch, symbol, days).await? {
                Turn::Closed(at) => {
                    bar.finish_and_clear();
                    let (done, of) = (answers.len(), options.len());
                    return Ok(Asked::Stopped { at, done, of });
                }
                Turn::Fault(text) => Err(text),
                Turn::Answer(answer) => Ok(Answered {
                    window: PriceWindow {
                        option_id: option_id.clone(),
                        symbol: symbol.clone(),
                        sessions: answer.sessions.clone(),
                    },
                    answer,
                }),
            };
            answers.push((option_id.clone(), said));
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Asked::All(answers))
    }

    /// Removes the kept answers of a fetch that is stored.
    pub(crate) fn forget(&self, fetch: &str) -> Result<(), CommandError> {
        match &self.counted {
            Some((state, _)) => Ok(state.forget(fetch)?),
            None => Ok(()),
        }
    }

    async fn turn(
        &self,
        bar: &ProgressBar,
        fetch: &str,
        symbol: &str,
        days: &Days,
    ) -> Result<Turn, CommandError> {
        if let Some((state, _)) = &self.counted
            && let Some(kept) = state.kept(fetch, symbol)?
        {
            return Ok(Turn::Answer(kept));
        }
        let mut delays = DELAYS.into_iter();
        let (mut requests, mut refusals) = (0, 0);
        loop {
            if let Some(at) = self.reserve(symbol)? {
                match self.at_limit {
                    AtLimit::Stop => return Ok(Turn::Closed(at)),
                    AtLimit::Wait => self.wait_until(bar, at).await,
                }
                continue;
            }
            requests += 1;
            let error = match self.source.answer(symbol, days.from, days.to).await {
                Ok(history) => return self.take(fetch, symbol, days, (history, requests)),
                Err(error) => error,
            };
            match &error.fault {
                PriceFault::Limited { limit, retry_after } => {
                    self.close(*limit, *retry_after, refusals)?;
                    refusals += 1;
                }
                PriceFault::Timeout { .. }
                | PriceFault::CutOff
                | PriceFault::Unreachable { .. }
                | PriceFault::ServerFailed { .. } => match pause(&error, delays.next()) {
                    Some(wait) => sleep(wait).await,
                    None if error.concerns_every_symbol() => return Err(fatal(symbol, &error)),
                    None => return Ok(Turn::Fault(error.to_string())),
                },
                _ if error.concerns_every_symbol() => return Err(fatal(symbol, &error)),
                _ => return Ok(Turn::Fault(error.to_string())),
            }
        }
    }

    fn reserve(&self, symbol: &str) -> Result<Option<Timestamp>, CommandError> {
        match &self.counted {
            None => Ok(None),
            Some((state, plan)) => Ok(state.reserve(*plan, symbol, self.clock.now())?),
        }
    }

    /// Notes that the source closed, for as long as it says or its kind of limit lasts; at least a
    /// second, doubled with every refusal of the same question, or a source that says "now" and
    /// means "never" would be asked without end.
    fn close(
        &self,
        limit: Limit,
        retry_after: Option<Duration>,
        refusals: u32,
    ) -> Result<(), CommandError> {
        let least = SignedDuration::from_secs(1 << refusals.min(20));
        let usual = match limit {
            Limit::Hourly => SignedDuration::from_hours(1),
            Limit::Daily => SignedDuration::from_hours(24),
            Limit::MonthlySymbols => SignedDuration::from_hours(31 * 24),
            Limit::Unstated => SignedDuration::from_mins(15),
        };
        let asked = retry_after.and_then(|wait| SignedDuration::try_from(wait).ok());
        // No allowance is renewed less often than by the month.
        let wait = asked
            .unwrap_or(usual)
            .max(least)
            .min(SignedDuration::from_hours(31 * 24));
        let now = self.clock.now();
        let until = now.checked_add(wait).unwrap_or(now);
        match &self.counted {
            Some((state, _)) => Ok(state.close_until(until)?),
            None => Ok(()),
        }
    }

    async fn wait_until(&self, bar: &ProgressBar, at: Timestamp) {
        loop {
            let left = at.duration_since(self.clock.now());
            let Ok(left) = Duration::try_from(left) else {
                break;
            };
            if left.is_zero() {
                break;
            }
            let seconds = left.as_secs();
            let text = format!(
                "the plan is used up; goes on in {}:{:02}:{:02}",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60
            );
            bar.set_message(text);
            sleep(left.min(Duration::from_secs(1))).await;
        }
        bar.set_message("fetching");
    }

    /// Keeps an answer that holds the needed days; another one is worth asking again.
    fn take(
        &self,
        fetch: &str,
        symbol: &str,
        days: &Days,
        (history, requests): (History, usize),
    ) -> Result<Turn, CommandError> {
        let answer = KeptAnswer {
            address: history.address,
            fetched_at: self.clock.now(),
            body: history.body,
            requests,
            sessions: history.rows.iter().map(session).collect(),
        };
        for day in &days.needed {
            if let Some(text) = missing(symbol, &answer.sessions, *day) {
                return Ok(Turn::Fault(text));
            }
        }
        if let Some((state, _)) = &self.counted {
            state.keep(fetch, symbol, &answer)?;
        }
        Ok(Turn::Answer(answer))
    }
}

/// What is wrong with the row of a day that a sheet needs.
fn missing(symbol: &str, sessions: &[Session], day: Date) -> Option<String> {
    match sessions.iter().find(|session| session.date == day) {
        Some(session) if session.close.is_some() => None,
        Some(_) => Some(format!(
            "{symbol} has no raw close on {day}, so its adjustment cannot be checked"
        )),
        None => {
            let days = || sessions.iter().map(|session| session.date);
            let before = days().filter(|date| *date < day).max();
            let after = days().filter(|date| *date > day).min();
            let nearest: Vec<String> = [before, after]
                .into_iter()
                .flatten()
                .map(|date| date.to_string())
                .collect();
            Some(format!(
                "{symbol} has no row on {day}; its nearest rows are of {}, which are not taken \
                 in its place",
                nearest.join(" and ")
            ))
        }
    }
}

/// How long to wait before the same question is asked again, if it should be.
fn pause(error: &PriceError, delay: Option<Duration>) -> Option<Duration> {
    match error.fault {
        PriceFault::ServerFailed {
            retry_after: Some(asked),
            ..
        } => delay
            .map(|delay| delay.max(asked))
            .filter(|wait| *wait <= LONGEST_WAIT),
        _ => delay,
    }
}

fn fatal(symbol: &str, error: &PriceError) -> CommandError {
    CommandError::new(format!("{symbol}: {error}"))
        .hint("nothing was written; answers that came are kept and not asked for again")
}

fn session(row: &DailyClose) -> Session {
    Session {
        date: row.date,
        close: row.close.and_then(Price::new),
        adjusted: row.adjusted.and_then(Price::new),
        dividend: row.dividend,
        split: row.split,
        volume: row.volume,
    }
}

#[cfg(test)]
mod tests;
