//! What a source said about one option from entry to exit, and whether its adjustment can be right.
//!
//! Between two sessions the adjusted close moves as the close does, times the split, with the
//! dividend of the ex-date taken off the close before it. A series that moves otherwise has missed
//! an ex-date, or was put together from answers with different bases.

use jiff::civil::Date;

use crate::market::calendar::Market;
use crate::values::ids::OptionId;
use crate::values::units::Price;
use crate::values::words::words;

/// How far the two ratios may be apart, in basis points.
pub const BASIS_TOLERANCE_BPS: f64 = 1.0;

/// What the close of a source means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseBasis {
    /// As traded on the day.
    Raw,
    /// Divided by all later splits already.
    SplitAdjusted,
}

words!(CloseBasis {
    Raw => "raw",
    SplitAdjusted => "split_adjusted",
});

/// One session of one option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    /// Its day.
    pub date: Date,
    pub close: Option<Price>,
    /// The adjusted close, where given.
    pub adjusted: Option<Price>,
    /// Cash per share with this day as the ex-date, where given.
    pub dividend: Option<f64>,
    /// New shares per old one, where given.
    pub split: Option<f64>,
    /// Shares traded, where given.
    pub volume: Option<f64>,
}

/// The sessions of one option in one answer, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceWindow {
    pub option_id: OptionId,
    /// The symbol that was asked for.
    pub symbol: String,
    pub sessions: Vec<Session>,
}

/// Why the adjusted closes of an option cannot be trusted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the adjusted close of {option_id} {}", kind.on(*day))]
pub struct BasisFault {
    pub option_id: OptionId,
    /// The day on which it arises, or most of it.
    pub day: Date,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with an adjusted close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FaultKind {
    /// It departs from what close, dividends and splits imply by this many basis points.
    Differs(f64),
    /// The day has no close or no adjusted close, although other days have both.
    NotGiven,
    /// Its dividend or split is impossible, so no price can follow from it.
    ImpossibleAction,
}

impl FaultKind {
    /// What is wrong with an adjusted close on this day.
    fn on(self, day: Date) -> String {
        match self {
            Self::Differs(bps) => format!(
                "departs by {bps:+.1} bp from what close, dividends and splits imply, most of it on \
                 {day}: the source probably missed an ex-date"
            ),
            Self::NotGiven => {
                format!("cannot be checked: {day} lacks a close or an adjusted close")
            }
            Self::ImpossibleAction => {
                format!("cannot be checked: no price could follow the dividend or split of {day}")
            }
        }
    }
}

impl PriceWindow {
    pub fn on(&self, day: Date) -> Option<&Session> {
        self.sessions.iter().find(|session| session.date == day)
    }

    /// The last session before a day and the first one after it.
    pub fn nearest(&self, day: Date) -> (Option<Date>, Option<Date>) {
        let days = || self.sessions.iter().map(|session| session.date);
        (
            days().filter(|date| *date < day).max(),
            days().filter(|date| *date > day).min(),
        )
    }

    /// Sessions of the exchange between two days, both included, for which there is no row.
    pub fn missing_sessions(&self, market: Market, from: Date, to: Date) -> Vec<Date> {
        let days = from.series(jiff::Span::new().days(1));
        days.take_while(|day| *day <= to)
            .filter(|day| market.is_session(*day) && self.on(*day).is_none())
            .collect()
    }

    /// Compares the adjusted closes with what closes, dividends and splits say.
    ///
    /// None also where no session has both a close and an adjusted close: the source does not give
    /// what could be compared.
    pub fn basis_fault(&self, basis: CloseBasis) -> Option<BasisFault> {
        let both = |session: &Session| session.close.is_some() && session.adjusted.is_some();
        if !self.sessions.iter().any(both) || self.sessions.len() < 2 {
            return None;
        }
        let fault = |day: Date, kind: FaultKind| BasisFault {
            option_id: self.option_id.clone(),
            day,
            kind,
        };
        if let Some(blank) = self.sessions.iter().find(|session| !both(session)) {
            return Some(fault(blank.date, FaultKind::NotGiven));
        }
        let mut total = 1.0;
        let mut worst: Option<(Date, f64)> = None;
        for pair in self.sessions.windows(2) {
            let Some(apart) = surprise(&pair[0], &pair[1], basis) else {
                return Some(fault(pair[1].date, FaultKind::ImpossibleAction));
            };
            total *= apart;
            let size = (apart - 1.0).abs();
            if worst.is_none_or(|(_, largest)| size > largest) {
                worst = Some((pair[1].date, size));
            }
        }
        let bps = (total - 1.0) * 10_000.0;
        let (day, _) = worst?;
        (bps.abs() > BASIS_TOLERANCE_BPS).then(|| fault(day, FaultKind::Differs(bps)))
    }
}

/// The adjusted ratio of two sessions over the expected one; none where none can be expected.
fn surprise(before: &Session, after: &Session, basis: CloseBasis) -> Option<f64> {
    let adjusted = after.adjusted?.get() / before.adjusted?.get();
    let (from, to) = (before.close?.get(), after.close?.get());
    let dividend = after.dividend.unwrap_or(0.0);
    let split = match basis {
        CloseBasis::Raw => after.split.unwrap_or(1.0),
        CloseBasis::SplitAdjusted => 1.0,
    };
    // A dividend on the day of a split may be stated per old share or per new one.
    let per_old_share = adjusted / (to * split / (from - dividend));
    let per_new_share = adjusted / (to * split / (from - dividend * split));
    let usable = |value: &f64| value.is_finite() && *value > 0.0;
    let both = [per_old_share, per_new_share].into_iter().filter(usable);
    both.min_by(|a, b| (a - 1.0).abs().total_cmp(&(b - 1.0).abs()))
}

#[cfg(test)]
mod tests;
