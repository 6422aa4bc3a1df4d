//! How many questions a plan of a price source still allows, and when it allows the next one.
//!
//! A vendor does not say where its hour begins, so hour, day and month are counted backwards
//! from now: whatever the vendor's hour is, it never holds more questions than allowed.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const MONTH: SignedDuration = SignedDuration::from_hours(31 * 24);

/// What a plan allows; none is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Plan {
    /// Questions in a minute.
    pub per_minute: Option<usize>,
    /// Questions in an hour.
    pub per_hour: Option<usize>,
    /// Questions in a day.
    pub per_day: Option<usize>,
    /// Different symbols in a month.
    pub symbols_per_month: Option<usize>,
}

impl Plan {
    /// Tiingo's free plan.
    pub const TIINGO_FREE: Self = Self {
        per_minute: None,
        per_hour: Some(50),
        per_day: Some(1_000),
        symbols_per_month: Some(500),
    };

    /// Alpha Vantage's free plan.
    pub const ALPHA_VANTAGE_FREE: Self = Self {
        per_minute: None,
        per_hour: None,
        per_day: Some(25),
        symbols_per_month: None,
    };

    /// Reads `50/1000/500`: hour, day and symbols of a month; `-` is no limit.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |part: &str| match part.trim() {
            "-" => Some(None),
            digits => digits.parse().ok().filter(|n| *n > 0).map(Some),
        };
        let mut parts = text.split('/').map(number);
        let plan = Self {
            per_hour: parts.next()??,
            per_day: parts.next()??,
            symbols_per_month: parts.next()??,
            ..Self::default()
        };
        parts.next().is_none().then_some(plan)
    }

    /// Reads a plan of Alpha Vantage: `free`, or the questions a minute of a paid plan, such as `75`.
    /// Paid plans have no other limit.
    pub fn parse_alpha_vantage(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "free" {
            return Some(Self::ALPHA_VANTAGE_FREE);
        }
        let per_minute = text.parse().ok().filter(|count| *count > 0)?;
        Some(Self {
            per_minute: Some(per_minute),
            ..Self::default()
        })
    }
}

/// The questions that were asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Usage {
    /// When each question of the last day was asked, oldest first.
    pub questions: Vec<Timestamp>,
    /// When each symbol was asked for last.
    pub symbols: BTreeMap<String, Timestamp>,
    /// The source said itself that it answers no more before this instant.
    pub closed_until: Option<Timestamp>,
}

impl Usage {
    /// The first instant at which a symbol may be asked for; `now` or earlier means at once.
    pub fn next(&self, plan: Plan, symbol: &str, now: Timestamp) -> Timestamp {
        let mut next = self.closed_until.map_or(now, |until| until.max(now));
        for (limit, period) in [
            (plan.per_minute, MINUTE),
            (plan.per_hour, HOUR),
            (plan.per_day, DAY),
        ] {
            if let Some(limit) = limit {
                let recent = within(self.questions.iter().copied(), period, now);
                next = next.max(freed(&recent, limit, period, now));
            }
        }
        if let Some(limit) = plan.symbols_per_month {
            let recent = within(self.symbols.values().copied(), MONTH, now);
            let known = self
                .symbols
                .get(symbol)
                .is_some_and(|last| now.duration_since(*last) < MONTH);
            if !known {
                next = next.max(freed(&recent, limit, MONTH, now));
            }
        }
        next
    }

    /// When each of these symbols can be asked for, if nothing else is asked meanwhile.
    pub fn instants<'a>(
        &self,
        plan: Plan,
        symbols: impl IntoIterator<Item = &'a str>,
        now: Timestamp,
    ) -> Vec<Timestamp> {
        let (mut usage, mut at) = (self.clone(), now);
        let instant = |symbol| {
            at = usage.next(plan, symbol, at).max(at);
            usage.note(symbol, at);
            at
        };
        symbols.into_iter().map(instant).collect()
    }

    /// Notes a question, and forgets what no period reaches any more.
    pub fn note(&mut self, symbol: &str, now: Timestamp) {
        self.questions.retain(|at| now.duration_since(*at) < DAY);
        self.questions.push(now);
        self.questions.sort_unstable();
        self.symbols
            .retain(|_, last| now.duration_since(*last) < MONTH);
        self.symbols.insert(symbol.to_owned(), now);
        self.closed_until = self.closed_until.filter(|until| *until > now);
    }
}

/// Instants of the last period, oldest first.
fn within(
    instants: impl Iterator<Item = Timestamp>,
    period: SignedDuration,
    now: Timestamp,
) -> Vec<Timestamp> {
    let mut recent: Vec<Timestamp> = instants
        .filter(|at| now.duration_since(*at) < period)
        .collect();
    recent.sort_unstable();
    recent
}

/// When fewer than `limit` of these instants lie within the period.
fn freed(recent: &[Timestamp], limit: usize, period: SignedDuration, now: Timestamp) -> Timestamp {
    match recent.len().checked_sub(limit) {
        None => now,
        Some(extra) => recent
            .get(extra)
            .and_then(|at| at.checked_add(period).ok())
            .unwrap_or(now),
    }
}

#[cfg(test)]
mod tests;
