//! [`Fetcher`]: asks one source for many symbols, within its plan, and keeps each answer as it comes.

use std::collections::BTreeMap;

use capitalbench_adapters::price_source::{DailyClose, History, PriceFault, PriceSource};
use capitalbench_archive::prices::request_state::{KeptAnswer, RequestState};
use capitalbench_core::market::price_window::{PriceWindow, Session};
use capitalbench_core::market::published_prices::PublishedPrices;
use capitalbench_core::market::request_budget::Plan;
use capitalbench_core::values::ids::OptionId;
use capitalbench_core::values::units::Price;
use jiff::Timestamp;
use jiff::civil::Date;

use super::plan_time::PlanTime;
use crate::error::Error;
use crate::operator::{Notice, Operator};

mod limits;
mod stopped;

pub use stopped::{Cause, Stopped};

use limits::pause;

/// What to do when a plan allows no more for now; a wait for the pace alone is always waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLimit {
    Stop,
    Wait,
}

/// A source with its allowance, asked for one operator.
pub struct Fetcher<'a> {
    pub operator: &'a Operator,
    pub source: Box<dyn PriceSource>,
    /// None for a source on the disk.
    pub allowance: Option<Allowance>,
    pub at_limit: AtLimit,
}

/// What a plan allows, and the folder where requests are counted.
#[derive(Debug)]
pub struct Allowance {
    pub plan: Plan,
    pub state: RequestState,
}

/// An option and the symbol that a source knows it by.
pub type PricedOption = (OptionId, String);

/// The rows of one option, and the answer they came in.
#[derive(Debug, Clone)]
pub struct Answered {
    pub window: PriceWindow,
    pub answer: KeptAnswer,
}

/// Every option with its answer, or with the reason why it has none.
pub type Answers = Vec<(OptionId, Result<Answered, String>)>;

/// The rows to ask for.
#[derive(Debug, Clone)]
pub struct Days {
    pub from: Date,
    pub to: Date,
    /// Dates that every answer must contain.
    pub needed: Vec<Date>,
    /// Options for which other days are asked.
    pub others: BTreeMap<OptionId, Days>,
}

impl Days {
    /// A window whose two ends are needed.
    pub fn both_ends(from: Date, to: Date) -> Self {
        Self {
            needed: vec![from, to],
            ..Self::any_of(from, to)
        }
    }

    /// A range of whatever rows there are.
    pub fn any_of(from: Date, to: Date) -> Self {
        Self {
            from,
            to,
            needed: Vec::new(),
            others: BTreeMap::new(),
        }
    }
}

/// One question's end.
enum Turn {
    Answer(KeptAnswer),
    Fault(String),
    Closed(Timestamp, Cause),
}

impl Fetcher<'_> {
    /// Asks for every option of a fetch that has no kept answer. What a round publishes decides in which
    /// words a fault is told.
    pub async fn fetch_all(
        &self,
        fetch: &str,
        options: &[PricedOption],
        days: &Days,
        publish: PublishedPrices,
    ) -> Result<Result<Answers, Stopped>, Error> {
        let asked = self.ask_each(fetch, options, days, publish).await;
        self.operator.say(&Notice::ProgressEnded);
        asked
    }

    /// The same for whoever cannot go on with a part: a used-up plan is an error.
    pub async fn fetch_whole(
        &self,
        fetch: &str,
        options: &[PricedOption],
        days: &Days,
        publish: PublishedPrices,
    ) -> Result<Answers, Error> {
        Ok(self.fetch_all(fetch, options, days, publish).await??)
    }

    async fn ask_each(
        &self,
        fetch: &str,
        options: &[PricedOption],
        days: &Days,
        publish: PublishedPrices,
    ) -> Result<Result<Answers, Stopped>, Error> {
        self.say_how_long(fetch, options)?;
        let of = options.len();
        let mut answers = Vec::with_capacity(of);
        for (option_id, symbol) in options {
            let done = answers.len();
            self.operator.say(&Notice::Progress {
                what: "fetching",
                done,
                of,
            });
            let own = days.others.get(option_id).unwrap_or(days);
            let said = match self.turn(fetch, symbol, own, publish).await? {
                Turn::Closed(at, cause) => {
                    let source = self.source.name();
                    return Ok(Err(Stopped {
                        source,
                        at,
                        done,
                        of,
                        cause,
                    }));
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
        }
        Ok(Ok(answers))
    }

    /// Says beforehand that the plan is too small for the whole fetch at once.
    fn say_how_long(&self, fetch: &str, options: &[PricedOption]) -> Result<(), Error> {
        let Some(allowance) = &self.allowance else {
            return Ok(());
        };
        let now = self.operator.clock.now();
        let time = |options: &[&PricedOption]| {
            let symbols = options.iter().map(|(_, symbol)| symbol.as_str());
            PlanTime::of(self.source.name(), allowance, symbols, now)
        };
        if time(&options.iter().collect::<Vec<_>>())?.is_none() {
            return Ok(());
        }
        // What was answered by an earlier attempt is not asked again.
        let mut open = Vec::new();
        for option in options {
            if allowance.state.kept(fetch, &option.1)?.is_none() {
                open.push(option);
            }
        }
        if let Some(time) = time(&open)? {
            let at_limit = self.at_limit;
            self.operator.say(&Notice::PlanTakes {
                time: &time,
                at_limit,
            });
        }
        Ok(())
    }

    /// Removes the kept answers of a fetch that is stored.
    pub fn forget(&self, fetch: &str) -> Result<(), Error> {
        match &self.allowance {
            Some(allowance) => Ok(allowance.state.forget(fetch)?),
            None => Ok(()),
        }
    }

    async fn turn(
        &self,
        fetch: &str,
        symbol: &str,
        days: &Days,
        publish: PublishedPrices,
    ) -> Result<Turn, Error> {
        if let Some(allowance) = &self.allowance
            && let Some(kept) = allowance.state.kept(fetch, symbol)?
        {
            return Ok(Turn::Answer(kept));
        }
        let (mut requests, mut refusals, mut failures) = (0, 0, 0);
        let (mut refused, mut waited_until) = (None, Timestamp::MIN);
        loop {
            let now = self.operator.clock.now().max(waited_until);
            if let Some(at) = self.reserve(symbol, now)? {
                if let Some(left) = self.pace(refused, at, now) {
                    self.operator.say(&Notice::PlanUsedUp { left });
                    self.operator.clock.pause(left).await;
                    waited_until = at;
                } else if self.at_limit == AtLimit::Stop || !self.operator.clock.advances() {
                    return Ok(Turn::Closed(at, self.cause(refused)));
                } else {
                    self.wait_until(at).await;
                }
                continue;
            }
            requests += 1;
            let error = match self.source.answer(symbol, days.from, days.to).await {
                Ok(history) => {
                    let answer = self.kept_form(history, requests);
                    return self.keep(fetch, symbol, days, answer);
                }
                Err(error) => error,
            };
            match &error.fault {
                PriceFault::Limited { limit, retry_after } => {
                    refusals += 1;
                    refused = Some(*limit);
                    let until = self.close(*limit, *retry_after, refusals)?;
                    if self.allowance.is_none() {
                        // Nobody remembers the refusal for the next question.
                        return Ok(Turn::Closed(until, self.cause(refused)));
                    }
                    continue;
                }
                PriceFault::Timeout { .. }
                | PriceFault::CutOff
                | PriceFault::Unreachable { .. }
                | PriceFault::ServerFailed { .. } => {
                    failures += 1;
                    if let Some(wait) = pause(&error, failures) {
                        self.operator.clock.pause(wait).await;
                        continue;
                    }
                }
                _ => {}
            }
            if error.concerns_every_symbol() {
                return Err(fatal(symbol, &error.told(publish)));
            }
            return Ok(Turn::Fault(error.told(publish)));
        }
    }

    fn kept_form(&self, history: History, requests: usize) -> KeptAnswer {
        KeptAnswer {
            address: history.address,
            fetched_at: self.operator.clock.now(),
            body: history.body,
            requests,
            sessions: history.rows.iter().map(session).collect(),
        }
    }

    /// Keeps an answer that contains the needed days; another one is worth asking for again.
    fn keep(
        &self,
        fetch: &str,
        symbol: &str,
        days: &Days,
        answer: KeptAnswer,
    ) -> Result<Turn, Error> {
        for day in &days.needed {
            if let Some(text) = missing(symbol, &answer.sessions, *day) {
                return Ok(Turn::Fault(text));
            }
        }
        if let Some(allowance) = &self.allowance {
            allowance.state.keep(fetch, symbol, &answer)?;
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

fn fatal(symbol: &str, error: &str) -> Error {
    Error::new(format!("{symbol}: {error}"))
        .hint("nothing was written; the answers so far are kept and not asked for again")
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
