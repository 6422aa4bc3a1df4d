//! Moves of a day that are too large to be believed from one source alone.
//!
//! Adjusted closes count splits and distributions already, so such a move has neither as its reason.

use std::fmt;

use jiff::civil::Date;

use crate::market::cross_check::CrossCheck;
use crate::market::price_window::{PriceWindow, Session};
use crate::values::ids::OptionId;
use crate::values::units::Return;

/// The largest move of a day where a round froze none, in basis points.
pub const USUAL_LARGEST_BPS: u32 = 4_000;

/// One move beyond the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct LargeMove {
    pub option_id: OptionId,
    /// The day on which it ended.
    pub day: Date,
    pub value: Return,
}

impl fmt::Display for LargeMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.value.get();
        write!(
            f,
            "{} moved {percent:+.1} % on {}",
            self.option_id, self.day
        )
    }
}

/// Every move beyond the limit in answers of one source.
pub fn large_moves(windows: &[PriceWindow], largest_bps: u32) -> Vec<LargeMove> {
    let largest = f64::from(largest_bps) / 10_000.0;
    let of_window = |window: &PriceWindow| {
        let pairs = window.sessions.windows(2);
        let moves = pairs.filter_map(|pair| {
            let value = move_between(&pair[0], &pair[1])?;
            (value.get().abs() > largest).then(|| LargeMove {
                option_id: window.option_id.clone(),
                day: pair[1].date,
                value,
            })
        });
        moves.collect::<Vec<_>>()
    };
    windows.iter().flat_map(of_window).collect()
}

/// The same without the options of which a second source tells the same return.
pub fn unconfirmed_moves(
    windows: &[PriceWindow],
    largest_bps: u32,
    check: Option<&CrossCheck>,
) -> Vec<LargeMove> {
    let beyond = check.map(CrossCheck::beyond).unwrap_or_default();
    let is_confirmed = |id: &OptionId| {
        check.is_some_and(|check| check.rows.iter().any(|row| row.option_id == *id))
            && beyond.iter().all(|row| row.option_id != *id)
    };
    let mut moves = large_moves(windows, largest_bps);
    moves.retain(|own| !is_confirmed(&own.option_id));
    moves
}

/// The adjusted move; of raw closes only where no split or dividend explains it.
fn move_between(before: &Session, after: &Session) -> Option<Return> {
    if let (Some(from), Some(to)) = (before.adjusted, after.adjusted) {
        return Some(Return::between(from, to));
    }
    let is_split = after.split.is_some_and(|split| (split - 1.0).abs() > 1e-9);
    let is_paid = after.dividend.is_some_and(|paid| paid > 0.0);
    let (from, to) = (before.close?, after.close?);
    (!is_split && !is_paid).then(|| Return::between(from, to))
}

#[cfg(test)]
mod tests;
