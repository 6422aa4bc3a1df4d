//! An invented market with faults, and what a price source would answer about it at an instant.
//!
//! The market follows from its seed; the faults are what real markets and sources do to whoever
//! relies on them. Before its day a fault cannot be seen in any answer.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::market::calendar::Market;
use crate::market::price_window::Session;
use crate::market::synthetic::{Bar, SyntheticMarket};
use crate::market::universe::{Listing, MarketOption, RiskBucket, RoleFlags};
use crate::values::ids::OptionId;
use crate::values::time::parse_day;
use crate::values::units::Price;

/// An invented market.
#[derive(Debug, Clone, PartialEq)]
pub struct InventedMarket {
    pub seed: u64,
    /// Whose sessions it has.
    pub market: Market,
    /// Its history begins here.
    pub first: Date,
    pub faults: Vec<InventedFault>,
}

/// Something that happens to an option or to the source.
#[derive(Debug, Clone, PartialEq)]
pub enum InventedFault {
    /// One share becomes so many.
    Split {
        symbol: String,
        on: Date,
        ratio: f64,
    },
    /// The day is the last one with a close.
    Delisted { symbol: String, on: Date },
    /// From this day on the source knows the option by another symbol.
    Renamed {
        symbol: String,
        to: String,
        on: Date,
    },
    /// All closes from this day on are multiplied, and nothing explains it.
    Jump {
        symbol: String,
        on: Date,
        factor: f64,
    },
    /// The source cannot be reached from one midnight in UTC to another.
    SourceDown { from: Date, until: Date },
    /// The plan of the source is used up from one midnight in UTC to another.
    PlanUsedUp { from: Date, until: Date },
    /// A model cannot be reached from one midnight in UTC to another.
    ModelDown {
        model: String,
        from: Date,
        until: Date,
    },
    /// Its provider no longer knows the model from midnight in UTC on.
    ModelRetired { model: String, on: Date },
}

/// Why every call of a model fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Illness {
    Down,
    Retired,
}

/// What a source says about a symbol.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Every final session that it knows, oldest first.
    Sessions(Vec<Session>),
    UnknownSymbol,
    Unreachable,
    PlanUsedUp {
        until: Timestamp,
    },
}

impl InventedMarket {
    /// The name of a source that answers about one.
    pub const SOURCE: &'static str = "invented";

    /// The market of a seed, in which nothing goes wrong.
    pub fn of_seed(seed: u64) -> Self {
        Self {
            seed,
            market: Market::default(),
            first: Date::constant(2024, 1, 2),
            faults: Vec::new(),
        }
    }

    /// What a source says at an instant about the symbol of an option.
    pub fn answer(&self, option: &MarketOption, symbol: &str, now: Timestamp) -> Answer {
        let Some(last) = self.market.last_final_session(now) else {
            return Answer::UnknownSymbol;
        };
        for fault in &self.faults {
            match fault {
                InventedFault::SourceDown { from, until } if is_within(now, *from, *until) => {
                    return Answer::Unreachable;
                }
                InventedFault::PlanUsedUp { from, until } if is_within(now, *from, *until) => {
                    let until = midnight(*until).unwrap_or(Timestamp::MAX);
                    return Answer::PlanUsedUp { until };
                }
                InventedFault::Renamed { to, on, .. } if to == symbol && *on > last => {
                    return Answer::UnknownSymbol;
                }
                _ => {}
            }
        }
        let bars = SyntheticMarket::new(self.seed, self.market, self.first, last).history(option);
        let mut sessions: Vec<Session> = bars.iter().map(session).collect();
        let listed = self.listed_as(symbol);
        for fault in &self.faults {
            fault.apply(listed, symbol, last, &mut sessions);
        }
        Answer::Sessions(sessions)
    }

    /// Why every call of a model fails at an instant.
    pub fn illness(&self, model: &str, now: Timestamp) -> Option<Illness> {
        self.faults.iter().find_map(|fault| match fault {
            InventedFault::ModelRetired { model: own, on }
                if own == model && midnight(*on).is_some_and(|from| from <= now) =>
            {
                Some(Illness::Retired)
            }
            InventedFault::ModelDown {
                model: own,
                from,
                until,
            } if own == model && is_within(now, *from, *until) => Some(Illness::Down),
            _ => None,
        })
    }

    /// The symbol that the market knew before its options were renamed.
    pub fn listed_as<'a>(&'a self, symbol: &'a str) -> &'a str {
        let mut found = symbol;
        for fault in self.faults.iter().rev() {
            match fault {
                InventedFault::Renamed { symbol, to, .. } if to == found => found = symbol,
                _ => {}
            }
        }
        found
    }
}

fn midnight(day: Date) -> Option<Timestamp> {
    Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// A span whose end is beyond the calendar has none.
fn is_within(now: Timestamp, from: Date, until: Date) -> bool {
    let (from, until) = (midnight(from), midnight(until));
    from.is_some_and(|from| from <= now) && until.is_none_or(|until| now < until)
}

fn session(bar: &Bar) -> Session {
    Session {
        date: bar.date,
        close: Price::new(bar.close),
        adjusted: Price::new(bar.adjusted),
        dividend: Some(bar.dividend),
        split: Some(1.0),
        volume: Some(bar.volume),
    }
}

fn scale(price: &mut Option<Price>, factor: f64) {
    *price = price.and_then(|price| Price::new(price.get() * factor));
}

impl InventedFault {
    /// Changes the sessions of an option up to the last one known; `symbol` is the one that was
    /// asked for, `listed` the first one that the option had.
    fn apply(&self, listed: &str, symbol: &str, last: Date, sessions: &mut Vec<Session>) {
        match self {
            Self::Split {
                symbol: own,
                on,
                ratio,
            } if own == listed && *on <= last => {
                for session in sessions {
                    if session.date >= *on {
                        scale(&mut session.close, 1.0 / ratio);
                        session.dividend = session.dividend.map(|paid| paid / ratio);
                    }
                    if session.date == *on {
                        session.split = Some(*ratio);
                    }
                    scale(&mut session.adjusted, 1.0 / ratio);
                }
            }
            Self::Jump {
                symbol: own,
                on,
                factor,
            } if own == listed => {
                for session in sessions.iter_mut().filter(|session| session.date >= *on) {
                    scale(&mut session.close, *factor);
                    scale(&mut session.adjusted, *factor);
                    session.dividend = session.dividend.map(|paid| paid * factor);
                }
            }
            Self::Delisted { symbol: own, on } if own == listed => {
                sessions.retain(|session| session.date <= *on);
            }
            Self::Renamed {
                symbol: own, on, ..
            } if own == symbol => sessions.retain(|session| session.date < *on),
            _ => {}
        }
    }

    /// Reads a fault as it is typed and stored, such as `split=XLK,2026-10-05,4`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('=')?;
        let parts: Vec<&str> = rest.split(',').map(str::trim).collect();
        let factor = |text: &str| {
            let value: f64 = text.parse().ok()?;
            (value.is_finite() && value > 0.0).then_some(value)
        };
        let name = |text: &str| (!text.is_empty()).then(|| text.to_ascii_uppercase());
        let plain = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let span = |from: &str, until: &str| {
            let (from, until) = (parse_day(from)?, parse_day(until)?);
            (from < until).then_some((from, until))
        };
        Some(match (kind, parts.as_slice()) {
            ("split", [symbol, on, ratio]) => Self::Split {
                symbol: name(symbol)?,
                on: parse_day(on)?,
                ratio: factor(ratio)?,
            },
            ("jump", [symbol, on, by]) => Self::Jump {
                symbol: name(symbol)?,
                on: parse_day(on)?,
                factor: factor(by)?,
            },
            ("delisted", [symbol, on]) => Self::Delisted {
                symbol: name(symbol)?,
                on: parse_day(on)?,
            },
            ("renamed", [symbol, to, on]) => Self::Renamed {
                symbol: name(symbol)?,
                to: name(to)?,
                on: parse_day(on)?,
            },
            ("source-down", [from, until]) => {
                let (from, until) = span(from, until)?;
                Self::SourceDown { from, until }
            }
            ("plan-used-up", [from, until]) => {
                let (from, until) = span(from, until)?;
                Self::PlanUsedUp { from, until }
            }
            ("model-down", [model, from, until]) => {
                let (from, until) = span(from, until)?;
                Self::ModelDown {
                    model: plain(model)?,
                    from,
                    until,
                }
            }
            ("model-retired", [model, on]) => Self::ModelRetired {
                model: plain(model)?,
                on: parse_day(on)?,
            },
            _ => return None,
        })
    }
}

impl fmt::Display for InventedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Split { symbol, on, ratio } => write!(f, "split={symbol},{on},{ratio}"),
            Self::Delisted { symbol, on } => write!(f, "delisted={symbol},{on}"),
            Self::Renamed { symbol, to, on } => write!(f, "renamed={symbol},{to},{on}"),
            Self::Jump { symbol, on, factor } => write!(f, "jump={symbol},{on},{factor}"),
            Self::SourceDown { from, until } => write!(f, "source-down={from},{until}"),
            Self::PlanUsedUp { from, until } => write!(f, "plan-used-up={from},{until}"),
            Self::ModelDown { model, from, until } => {
                write!(f, "model-down={model},{from},{until}")
            }
            Self::ModelRetired { model, on } => write!(f, "model-retired={model},{on}"),
        }
    }
}

/// An option for a symbol that no known universe has: it moves like a broad fund.
pub fn unknown_option(symbol: &str) -> Option<MarketOption> {
    let text = || symbol.to_owned();
    Some(MarketOption {
        id: OptionId::parse(&symbol.replace(|c: char| !c.is_ascii_alphanumeric(), "_")).ok()?,
        name: text(),
        symbol: Some(text()),
        data_symbol: Some(text()),
        asset_class: "unknown".to_owned(),
        category: "unknown".to_owned(),
        group: "unknown".to_owned(),
        risk_bucket: RiskBucket::Medium,
        exposure_description: format!("Exposure to {symbol}"),
        currency: "USD".to_owned(),
        flags: RoleFlags::default(),
        listing: Listing::Shown,
        change: None,
    })
}

#[cfg(test)]
mod tests;
