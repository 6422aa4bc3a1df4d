//! [`DailyReturns`]: what every option did on each of the last sessions before a round.
//!
//! From v1.2 on they are frozen with a round, so that luck can be measured later with figures that
//! were known before anybody decided. They follow from adjusted closes; cash returns zero.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::market::adjusted_closes::{AdjustedCloses, last_sessions};
use crate::market::calendar::Market;
use crate::market::price_window::PriceWindow;
use crate::market::published_prices::six_decimals;
use crate::market::universe::{MarketOption, Universe};
use crate::values::ids::OptionId;

/// The least number of sessions that a round freezes, and the number that is written.
pub const FROZEN_SESSIONS: usize = 60;

/// The same sessions for every option, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct DailyReturns {
    days: Vec<Date>,
    /// In universe order, each with one return per day.
    options: Vec<(OptionId, Vec<f64>)>,
}

impl DailyReturns {
    /// None where an option has another number of returns than there are days, or occurs twice.
    pub fn new(days: Vec<Date>, options: Vec<(OptionId, Vec<f64>)>) -> Option<Self> {
        let fits = options.iter().enumerate().all(|(place, (id, returns))| {
            let is_new = options[..place].iter().all(|(other, _)| other != id);
            is_new && returns.len() == days.len()
        });
        fits.then_some(Self { days, options })
    }

    /// The returns of the last sessions up to a day; an option whose history does not reach back
    /// far enough has none.
    pub fn of_histories(universe: &Universe, histories: &[PriceWindow], as_of: Date) -> Self {
        let sessions = last_sessions(universe.market(), as_of, FROZEN_SESSIONS + 1);
        let days = sessions.get(1..).unwrap_or_default().to_vec();
        let returns = |option: &MarketOption| {
            if option.is_cash() {
                return Some((option.id.clone(), vec![0.0; days.len()]));
            }
            let mut own = histories.iter().filter(|own| own.option_id == option.id);
            let closes = AdjustedCloses::of(own.next()?, as_of)?.at(&sessions)?;
            let returns = closes.windows(2).map(|pair| pair[1] / pair[0] - 1.0);
            Some((option.id.clone(), returns.collect()))
        };
        let options = universe.options().iter().filter_map(returns).collect();
        Self { days, options }
    }

    /// The same in six decimals, for a round that publishes no closes.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        let values = self.options.iter_mut().flat_map(|(_, values)| values);
        for value in values {
            *value = six_decimals(*value);
        }
        self
    }

    /// The sessions, oldest first.
    pub fn days(&self) -> &[Date] {
        &self.days
    }

    /// Every option with its returns, in universe order.
    pub fn options(&self) -> impl Iterator<Item = (&OptionId, &[f64])> {
        self.options
            .iter()
            .map(|(id, returns)| (id, returns.as_slice()))
    }

    /// The returns of one option, oldest first.
    pub fn of(&self, option_id: &OptionId) -> Option<&[f64]> {
        let mut own = self.options().filter(|(id, _)| *id == option_id);
        own.next().map(|(_, returns)| returns)
    }

    /// Why a round with this universe and deadline cannot be frozen with these returns.
    pub fn problems(&self, universe: &Universe, deadline: Option<Timestamp>) -> Vec<String> {
        let mut problems = Vec::new();
        let count = self.days.len();
        if count < FROZEN_SESSIONS {
            problems.push(format!(
                "holds the returns of {count} sessions; at least {FROZEN_SESSIONS} are needed"
            ));
        }
        problems.extend(self.day_problem(universe.market(), deadline));
        let options = universe.options().iter();
        let missing = options
            .clone()
            .filter(|option| self.of(&option.id).is_none());
        let missing: Vec<&str> = missing.map(|option| option.id.as_str()).collect();
        if !missing.is_empty() {
            problems.push(format!(
                "has no {FROZEN_SESSIONS} daily returns of {}",
                missing.join(", ")
            ));
        }
        let foreign = self.options().filter(|(id, _)| universe.get(id).is_none());
        problems.extend(foreign.map(|(id, _)| format!("holds {id}, which is not an option")));
        let moved = options.filter(|option| option.is_cash()).find(|option| {
            let returns = self.of(&option.id).unwrap_or_default();
            returns.iter().any(|value| *value != 0.0)
        });
        problems.extend(moved.map(|option| format!("lets {} move, which is cash", option.id)));
        problems
    }

    /// The first day that is no session, leaves a session out or ends after the deadline.
    fn day_problem(&self, market: Market, deadline: Option<Timestamp>) -> Option<String> {
        let closed = self
            .days
            .iter()
            .find(|day| market.close_at(**day).is_none());
        if let Some(day) = closed {
            return Some(format!("holds {day}, on which the exchange was closed"));
        }
        let gap = self
            .days
            .windows(2)
            .find(|pair| market.next_session(pair[0]) != Some(pair[1]));
        if let Some([before, day]) = gap {
            return Some(format!(
                "holds {day} after {before}, which is not the next session"
            ));
        }
        let deadline = deadline?;
        let is_late = |day: &&Date| market.close_at(**day).is_some_and(|close| close > deadline);
        let day = self.days.iter().find(is_late)?;
        Some(format!("holds {day}, whose close is after the deadline"))
    }
}

#[cfg(test)]
mod tests;
