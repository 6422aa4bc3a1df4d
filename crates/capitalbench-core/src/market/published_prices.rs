//! What a round publishes of its prices, and the index that stands for closes that stay private.
//!
//! A vendor may forbid that its closes are passed on. A round that publishes [`PublishedPrices::Returns`]
//! keeps them, and shows sheets of base one instead: every option is 1 at its entry close, and at a
//! later close what [`index`] makes of the two. Scores follow from these sheets alone.

use jiff::civil::Date;

use crate::market::price_window::{PriceWindow, Session};
use crate::market::universe::MarketOption;
use crate::values::ids::OptionId;
use crate::values::units::Price;
use crate::values::words::words;

/// What a round publishes of its prices, frozen in its manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum PublishedPrices {
    /// Closes, as the vendor gave them.
    #[default]
    Full,
    /// Returns since the entry, by [`INDEX_RULE`]; the closes stay private.
    Returns,
}

words!(PublishedPrices {
    Full => "full",
    Returns => "returns",
});

/// The name of the rule of [`index`] and [`six_decimals`]. Another rounding needs another name, because
/// `verify` makes the sheets of every round again.
pub const INDEX_RULE: &str = "index-6-v1";

/// Millionths in one.
const MILLION: f64 = 1e6;
/// The largest index in millionths, a billion times its entry; a double holds it exactly.
const LARGEST: u128 = 1_000_000_000_000_000;

/// Sources whose terms forbid, or do not allow, that their closes are passed on, by the words that
/// flags and files have for them.
const VENDORS: [&str; 3] = ["tiingo", "alphavantage", "yahoo"];

/// Whether a source is a vendor whose closes an operator may not publish without its leave.
pub fn forbids_redistribution(source: &str) -> bool {
    VENDORS.contains(&source)
}

impl PublishedPrices {
    /// Whether closes are public; files and documents do not mention it then.
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }

    /// What a new league publishes where its prices come from this source.
    pub fn usual_for(source: &str) -> Self {
        if forbids_redistribution(source) {
            Self::Returns
        } else {
            Self::Full
        }
    }
}

/// Why an option has no index.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoIndex {
    /// Raw closes would lose distributions, and adjusted ones beside them would tell them.
    #[error(
        "{0} has no adjusted close on {1}; a round that publishes returns counts adjusted closes only"
    )]
    NotAdjusted(OptionId, Date),
    /// Nothing to count from.
    #[error("{0} has no row on its entry day {1}")]
    NoEntry(OptionId, Date),
    /// The quotient does not fit the rule.
    #[error(
        "{0} is worth less than a millionth, or more than a billion times, of its entry on {1}"
    )]
    OutOfRange(OptionId, Date),
}

/// `close ÷ entry`, rounded to six decimals.
///
/// Both closes are taken as the shortest decimals that read back as the same doubles. Their quotient is
/// computed in decimals without any error, and a half is rounded up. None where it rounds to zero or
/// is above a billion.
pub fn index(entry: Price, close: Price) -> Option<Price> {
    let millionths = quotient_in_millionths(decimal(close.get())?, decimal(entry.get())?)?;
    let fits = (1..=LARGEST).contains(&millionths);
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 10^15, which a double holds exactly"
    )]
    let value = millionths as f64 / MILLION;
    Price::new(value).filter(|_| fits)
}

/// A figure that was computed from closes, rounded to six decimals, halves away from zero: with all its
/// digits it would give the closes back.
pub fn six_decimals(value: f64) -> f64 {
    let rounded = (value * MILLION).round() / MILLION;
    // No figure is minus zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The sessions of an option as public sheets have them: its index in place of the adjusted close, and
/// nothing else.
pub fn indexed(
    option: &MarketOption,
    window: &PriceWindow,
    entry: Date,
) -> Result<PriceWindow, NoIndex> {
    let base_day = option.priced_on(entry);
    let base = window.on(base_day);
    let base = base.ok_or_else(|| NoIndex::NoEntry(option.id.clone(), base_day))?;
    let adjusted = |session: &Session| {
        let missing = || NoIndex::NotAdjusted(option.id.clone(), session.date);
        session.adjusted.ok_or_else(missing)
    };
    let base = adjusted(base)?;
    let of = |session: &Session| {
        let out = || NoIndex::OutOfRange(option.id.clone(), session.date);
        Ok(Session {
            date: session.date,
            close: None,
            adjusted: Some(index(base, adjusted(session)?).ok_or_else(out)?),
            dividend: None,
            split: None,
            volume: None,
        })
    };
    Ok(PriceWindow {
        option_id: window.option_id.clone(),
        symbol: window.symbol.clone(),
        sessions: window
            .sessions
            .iter()
            .map(of)
            .collect::<Result<_, NoIndex>>()?,
    })
}

/// A decimal: digits, and how many of them stand behind the point.
type Decimal = (u128, u32);

/// The shortest decimal that reads back as a price.
fn decimal(value: f64) -> Option<Decimal> {
    let text = value.to_string();
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let digits = format!("{whole}{part}").parse().ok()?;
    Some((digits, u32::try_from(part.len()).ok()?))
}

/// A million times a quotient of decimals, to the nearest whole number, a half upwards.
fn quotient_in_millionths(of: Decimal, by: Decimal) -> Option<u128> {
    let ((of, of_places), (mut by, by_places)) = (of, by);
    // Places that the quotient needs beyond those of whole numbers.
    let places = 6 + i64::from(by_places) - i64::from(of_places);
    if places < 0 {
        let more = u32::try_from(-places).ok()?;
        by = by.checked_mul(10_u128.checked_pow(more)?)?;
    }
    let (mut quotient, mut rest) = (of.checked_div(by)?, of.checked_rem(by)?);
    for _ in 0..places {
        rest = rest.checked_mul(10)?;
        quotient = quotient.checked_mul(10)?.checked_add(rest / by)?;
        rest %= by;
    }
    let is_half = rest >= by - rest;
    quotient.checked_add(u128::from(is_half))
}

#[cfg(test)]
mod tests;
