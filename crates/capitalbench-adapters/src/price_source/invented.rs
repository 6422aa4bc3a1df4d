//! An invented market as a price source: for rehearsals, without a network.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use capitalbench_core::market::invented::{Answer, InventedMarket, unknown_option};
use capitalbench_core::market::price_window::{CloseBasis, Session};
use capitalbench_core::market::universe::MarketOption;
use capitalbench_core::values::units::Price;
use jiff::Timestamp;
use jiff::civil::Date;

use super::{AnswerFuture, DailyClose, History, Limit, PriceFault, PriceSource, Question, named};

/// What a fetch learns about an invented market at one instant.
#[derive(Debug, Clone)]
pub struct Invented {
    market: InventedMarket,
    /// Known options by their symbol; any other one moves like a broad fund.
    options: Arc<BTreeMap<String, MarketOption>>,
    now: Timestamp,
}

impl Invented {
    pub fn new(
        market: InventedMarket,
        options: Arc<BTreeMap<String, MarketOption>>,
        now: Timestamp,
    ) -> Self {
        Self {
            market,
            options,
            now,
        }
    }

    fn load(&self, question: Question<'_>) -> Result<History, PriceFault> {
        let symbol = question.symbol;
        let listed = self.market.listed_as(symbol);
        let known = self.options.get(listed).cloned();
        let option = known.or_else(|| unknown_option(listed));
        let option = option.ok_or(PriceFault::InvalidSymbol)?;
        let sessions = match self.market.answer(&option, symbol, self.now) {
            Answer::Sessions(sessions) => sessions,
            Answer::UnknownSymbol => return Err(PriceFault::UnknownSymbol),
            Answer::Unreachable => {
                let reason = "the invented source is down".to_owned();
                return Err(PriceFault::Unreachable { reason });
            }
            Answer::PlanUsedUp { until } => {
                let left = until.duration_since(self.now);
                return Err(PriceFault::Limited {
                    limit: Limit::Daily,
                    retry_after: left.try_into().ok(),
                });
            }
        };
        let rows: Vec<DailyClose> = sessions.iter().map(row).collect();
        let asked = rows.iter().filter(|row| question.covers(row.date)).copied();
        let body = text(&asked.collect::<Vec<_>>());
        let seed = self.market.seed;
        let (from, to) = (question.from, question.to);
        question.history(
            rows,
            &body,
            format!("{}:{seed}/{symbol}/{from}/{to}", InventedMarket::SOURCE),
        )
    }
}

fn row(session: &Session) -> DailyClose {
    DailyClose {
        date: session.date,
        close: session.close.map(Price::get),
        adjusted: session.adjusted.map(Price::get),
        volume: session.volume,
        dividend: session.dividend,
        split: session.split,
    }
}

/// The rows as the text that a vendor would have sent.
fn text(rows: &[DailyClose]) -> String {
    let mut text = String::new();
    for row in rows {
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        let cells = [row.close, row.adjusted, row.volume, row.dividend, row.split];
        // Writing into a text cannot fail.
        let _ = writeln!(text, "{},{}", row.date, cells.map(number).join(","));
    }
    text
}

impl PriceSource for Invented {
    fn name(&self) -> &'static str {
        InventedMarket::SOURCE
    }

    fn stored_label(&self) -> &'static str {
        InventedMarket::SOURCE
    }

    fn close_basis(&self) -> CloseBasis {
        CloseBasis::Raw
    }

    fn answer<'a>(&'a self, symbol: &'a str, from: Date, to: Date) -> AnswerFuture<'a> {
        let answer = async move { self.load(Question::new(symbol, from, to)?) };
        Box::pin(named(InventedMarket::SOURCE, symbol, answer))
    }
}
