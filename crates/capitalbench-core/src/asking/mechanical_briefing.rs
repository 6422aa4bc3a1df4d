//! Kept sources → a briefing that nobody wrote: the same sources give the same bytes.
//!
//! [`MechanicalFacts::text`] states levels, changes, volatility and breadth of the priced options and
//! the Treasury's par yields, in neutral sentences that pass the rules of [`super::briefing`]. It
//! leaves out what the market table shows already. [`MechanicalFacts::later_facts`] names rows that
//! nobody can have known at the cutoff.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::asking::market_context::TrailingWindow;
use crate::market::adjusted_closes::{AdjustedCloses, last_sessions};
use crate::market::price_window::PriceWindow;
use crate::market::published_prices::PublishedPrices;
use crate::market::treasury::{Curve, Maturity};
use crate::market::universe::{Listing, MarketOption, Universe};
use crate::values::ids::OptionId;
use crate::values::sums::{mean, variance};
use crate::values::units::Price;

mod sentences;

/// The name of the rule by which the text is made. Other words or figures need another name, because
/// `verify` makes the text of every round again. Whether closes stand in it follows from the manifest.
pub const RULE: &str = "mechanical-1";

/// Sessions over which a change is stated.
const SPANS: [usize; 4] = [1, 5, 20, 60];
/// Published days over which the change of a yield is stated.
const YIELD_SPANS: [usize; 3] = [1, 5, 20];
/// Sessions of the two means that closes are compared with.
const MEANS: [usize; 2] = [60, 200];
/// Daily returns of the volatility.
const VOLATILITY_RETURNS: usize = 60;

/// Everything a mechanical briefing follows from.
#[derive(Debug, Clone, Copy)]
pub struct MechanicalFacts<'a> {
    pub universe: &'a Universe,
    pub histories: &'a [PriceWindow],
    /// The last day whose closes count, as in the market table.
    pub as_of: Date,
    pub treasury: TreasuryFacts<'a>,
    /// Without closes the text has no level of an option.
    pub publish: PublishedPrices,
}

/// What the Treasury said.
#[derive(Debug, Clone, Copy)]
pub enum TreasuryFacts<'a> {
    Read(&'a Curve),
    /// The market is invented or has another currency, so no yield of the Treasury belongs to it.
    NotAsked,
    /// The operator let the briefing go without it; the text says so.
    NotReached,
}

/// A kept source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptSource {
    Histories,
    Treasury,
}

/// A row that nobody can have known at the cutoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterFact {
    pub source: KeptSource,
    pub text: String,
}

/// The figures of one option; what its history does not hold is none.
#[derive(Debug, Clone)]
struct OptionFigures<'a> {
    id: &'a OptionId,
    /// The last close as traded, or the adjusted one where the source gives no other; none as well
    /// where closes are not published.
    level: Option<f64>,
    /// In the order of [`SPANS`].
    changes: [Option<f64>; 4],
    volatility: Option<f64>,
    /// Last close ÷ mean of the last closes − 1, in the order of [`MEANS`].
    from_means: [Option<f64>; 2],
    /// Last close ÷ highest close of the past year − 1, and the latest day of that close.
    from_high: Option<(f64, Date)>,
}

impl MechanicalFacts<'_> {
    /// The briefing.
    pub fn text(&self) -> String {
        sentences::briefing(self)
    }

    /// The first row of each history, and every day of the curve, that is later than the cutoff.
    pub fn later_facts(&self, cutoff: Timestamp) -> Vec<LaterFact> {
        let mut later = Vec::new();
        let market = self.universe.market();
        for window in self.histories {
            let known = |day: Date| market.close_at(day).or_else(|| market.regular_close(day));
            let mut days = window.sessions.iter().map(|row| row.date);
            let day = days.find(|day| known(*day).is_none_or(|known| known > cutoff));
            later.extend(day.map(|day| LaterFact {
                source: KeptSource::Histories,
                text: format!(
                    "{} has a row of {day}, whose close is after the cutoff {cutoff}",
                    window.option_id
                ),
            }));
        }
        if let TreasuryFacts::Read(curve) = self.treasury {
            let days = curve.days().iter();
            let after = days.filter(|day| day.known_at().is_none_or(|known| known > cutoff));
            later.extend(after.map(|curve| LaterFact {
                source: KeptSource::Treasury,
                text: format!(
                    "the curve of {} follows from quotes after the cutoff {cutoff}",
                    curve.day
                ),
            }));
        }
        later
    }

    /// The figures of every option that models see and that has a price, in universe order.
    fn figures(&self) -> Vec<OptionFigures<'_>> {
        let shown = |option: &&MarketOption| option.listing == Listing::Shown && !option.is_cash();
        let options = self.universe.options().iter().filter(shown);
        options.map(|option| self.figures_of(&option.id)).collect()
    }

    fn figures_of<'a>(&self, id: &'a OptionId) -> OptionFigures<'a> {
        let market = self.universe.market();
        let window = self.histories.iter().find(|own| own.option_id == *id);
        let closes = window.and_then(|window| AdjustedCloses::of(window, self.as_of));
        let rows = window.map(|window| window.sessions.as_slice());
        let mut rows = rows.unwrap_or_default().iter().rev();
        let last_row = rows.find(|row| row.date <= self.as_of);
        let level = last_row.and_then(|row| row.close.or(row.adjusted));
        let at = |count: usize| {
            closes
                .as_ref()?
                .at(&last_sessions(market, self.as_of, count))
        };
        let change = |span: usize| {
            let path = at(span + 1)?;
            Some(path.last()? / path.first()? - 1.0)
        };
        let from_mean = |count: usize| {
            let path = at(count)?;
            Some(path.last()? / mean(&path) - 1.0)
        };
        let year = TrailingWindow::Year1.start(self.as_of);
        let year = closes.as_ref().zip(year);
        OptionFigures {
            id,
            level: level.filter(|_| self.publish.is_full()).map(Price::get),
            changes: SPANS.map(change),
            volatility: at(VOLATILITY_RETURNS + 1)
                .and_then(|path| volatility(&path, market.sessions_per_year())),
            from_means: MEANS.map(from_mean),
            from_high: year.and_then(|(closes, start)| from_high(closes.since(start))),
        }
    }
}

/// Sample standard deviation of the daily returns of a path, scaled to a year.
fn volatility(path: &[f64], sessions_per_year: f64) -> Option<f64> {
    let returns: Vec<f64> = path
        .windows(2)
        .map(|pair| pair[1] / pair[0] - 1.0)
        .collect();
    Some(variance(&returns)?.sqrt() * sessions_per_year.sqrt())
}

/// How far the last close is from the highest one, and when that was reached last.
fn from_high(path: &[(Date, f64)]) -> Option<(f64, Date)> {
    let (_, last) = path.last()?;
    let highest = path.iter().map(|(_, close)| *close).reduce(f64::max)?;
    let reached = path.iter().rev().find(|(_, close)| *close >= highest);
    reached.map(|(day, _)| (last / highest - 1.0, *day))
}

#[cfg(test)]
mod tests;
