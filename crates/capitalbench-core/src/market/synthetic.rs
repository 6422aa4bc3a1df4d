//! An invented market: prices that follow from a seed, for demonstrations and measurements.
//!
//! One factor moves all options, each adds noise of its own by its risk grade, and some pay
//! dividends. Nothing here resembles a real day; the only purpose is that everything else can run.

use jiff::civil::Date;

use crate::evidence::inference::random::Random;
use crate::market::calendar::Market;
use crate::market::universe::{MarketOption, RiskBucket, Universe};
use crate::values::ids::Digest;

/// One session of an invented history.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bar {
    /// Its day.
    pub date: Date,
    /// The close as traded.
    pub close: f64,
    /// The close with later dividends taken off.
    pub adjusted: f64,
    /// Cash per share with this day as the ex-date.
    pub dividend: f64,
    /// Shares traded.
    pub volume: f64,
}

/// How an option moves.
#[derive(Debug, Clone, Copy)]
struct Character {
    beta: f64,
    noise: f64,
    drift: f64,
    /// Sessions between dividends, and the share of the price that is paid.
    dividend: Option<(usize, f64)>,
}

impl Character {
    fn of(option: &MarketOption) -> Self {
        let (beta, noise, drift) = match option.risk_bucket {
            // The reference is the factor itself.
            RiskBucket::Low if option.counts_as_reference() => (1.0, 0.0, 0.00016),
            _ if option.counts_as_reference() => (1.0, 0.0, 0.0),
            RiskBucket::Cash => (0.0, 0.0, 0.0),
            RiskBucket::Low => (0.0, 0.00004, 0.00016),
            RiskBucket::Medium => (0.8, 0.0045, 0.0),
            RiskBucket::High => (1.05, 0.0095, 0.0),
            RiskBucket::VeryHigh => (1.2, 0.018, 0.0),
        };
        let dividend = match option.risk_bucket {
            RiskBucket::Low => Some((21, 0.003)),
            RiskBucket::Medium => Some((63, 0.0035)),
            RiskBucket::Cash | RiskBucket::High | RiskBucket::VeryHigh => None,
        };
        Self {
            beta,
            noise,
            drift,
            dividend,
        }
    }
}

/// An invented market from one day to another.
#[derive(Debug, Clone)]
pub struct SyntheticMarket {
    seed: Digest,
    sessions: Vec<Date>,
    factor: Vec<f64>,
}

impl SyntheticMarket {
    /// The invented prices of a seed on the sessions of a market.
    pub fn new(seed: u64, market: Market, from: Date, to: Date) -> Self {
        let seed = Digest::of(format!("synthetic market {seed}").as_bytes());
        let mut day = if market.is_session(from) {
            Some(from)
        } else {
            market.next_session(from)
        };
        let mut sessions = Vec::new();
        while let Some(session) = day.filter(|day| *day <= to) {
            sessions.push(session);
            day = market.next_session(session);
        }
        let mut random = Random::of(seed, "factor");
        let factor = sessions
            .iter()
            .map(|_| 0.0004 + 0.008 * random.normal())
            .collect();
        Self {
            seed,
            sessions,
            factor,
        }
    }

    pub fn sessions(&self) -> &[Date] {
        &self.sessions
    }

    /// The history of an option; cash stays at one.
    pub fn history(&self, option: &MarketOption) -> Vec<Bar> {
        let character = Character::of(option);
        let mut random = Random::of(self.seed, option.id.as_str());
        let start = 20.0 + 200.0 * random.unit();
        let phase = random.index(63);
        let mut bars: Vec<Bar> = Vec::with_capacity(self.sessions.len());
        let mut price = if option.scores_as_cash() { 1.0 } else { start };
        for (place, (date, factor)) in self.sessions.iter().zip(&self.factor).enumerate() {
            let own = character.noise * random.normal();
            price *= 1.0 + character.beta * factor + character.drift + own;
            let paid = character
                .dividend
                .filter(|(every, _)| place > 0 && (place + phase).is_multiple_of(*every));
            let dividend = paid.map_or(0.0, |(_, share)| cents(price * share));
            price -= dividend;
            let close = if option.scores_as_cash() {
                1.0
            } else {
                cents(price)
            };
            price = close;
            bars.push(Bar {
                date: *date,
                close,
                adjusted: close,
                dividend,
                volume: 1000.0 + 100.0 * f64::from(u32::try_from(random.below(90)).unwrap_or(0)),
            });
        }
        adjust(&mut bars);
        bars
    }

    /// Histories of all options with a ticker, by ticker.
    pub fn histories(&self, universe: &Universe) -> Vec<(String, Vec<Bar>)> {
        let priced = universe.options().iter().filter_map(|option| {
            let symbol = option
                .data_symbol
                .clone()
                .or_else(|| option.symbol.clone())?;
            Some((symbol, self.history(option)))
        });
        priced.collect()
    }
}

fn cents(value: f64) -> f64 {
    ((value * 100.0).round() / 100.0).max(0.01)
}

/// Takes each dividend off all closes before its ex-date.
fn adjust(bars: &mut [Bar]) {
    let mut factor = 1.0;
    for place in (0..bars.len()).rev() {
        bars[place].adjusted = bars[place].close * factor;
        if let Some(before) = place.checked_sub(1) {
            factor *= 1.0 - bars[place].dividend / bars[before].close;
        }
    }
}

#[cfg(test)]
mod tests;
