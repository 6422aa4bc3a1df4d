//! Faults as a round tells them.

use capitalbench_core::market::published_prices::PublishedPrices;

use super::{PriceError, PriceFault};
use crate::price_source::RowFault;

impl PriceError {
    /// The error in the words of a round. Where its closes stay private, nothing of the answer is quoted:
    /// a close may stand in whatever a vendor sends.
    pub fn told(&self, publish: PublishedPrices) -> String {
        if publish.is_full() {
            return self.to_string();
        }
        let Self { origin, symbol, .. } = self;
        let answered = format!("{origin} answered for {symbol} with");
        match &self.fault {
            PriceFault::PlainText { .. } => {
                format!("{answered} a text in place of prices; try again later")
            }
            PriceFault::AccountNotice { .. } => format!(
                "{answered} a notice about the account in place of prices; look at the account, or use \
                 another source"
            ),
            PriceFault::WrongContentType { .. } => format!(
                "{answered} content of another type than application/json; check the base URL"
            ),
            PriceFault::Malformed { .. } => format!(
                "{answered} something that is not its list of daily rows; check the base URL, or try \
                 again later"
            ),
            PriceFault::Garbled { .. } => format!(
                "the answer of {origin} for {symbol} breaks the rules of HTTP; check the base URL and \
                 any gateway on the way"
            ),
            PriceFault::ServerFailed { code, .. } => {
                format!("{origin} failed on its side for {symbol} (status {code}); try again later")
            }
            PriceFault::Refused { code, .. } => format!(
                "{origin} refused the question for {symbol} (status {code}); check the symbol, the days \
                 and the base URL"
            ),
            PriceFault::Row { fault, .. } => format!(
                "{origin} gave a row of {symbol} that cannot be used: {}; try again later, or use \
                 another source",
                told(fault)
            ),
            PriceFault::InvalidSymbol
            | PriceFault::InvalidRange { .. }
            | PriceFault::UnknownSymbol
            | PriceFault::KeyRefused
            | PriceFault::KeyMissing
            | PriceFault::AnonymousRefused { .. }
            | PriceFault::Limited { .. }
            | PriceFault::WebPage { .. }
            | PriceFault::NotFinite { .. }
            | PriceFault::NoRows { .. }
            | PriceFault::Timeout { .. }
            | PriceFault::CutOff
            | PriceFault::Unreachable { .. }
            | PriceFault::TooLarge { .. }
            | PriceFault::NotText
            | PriceFault::Redirected { .. }
            | PriceFault::NoFolder { .. }
            | PriceFault::NoFile { .. }
            | PriceFault::Unreadable { .. } => self.to_string(),
        }
    }
}

/// What is wrong with a row, without its cells.
fn told(fault: &RowFault) -> String {
    match fault {
        RowFault::BadDate { .. } => "its day is no date".to_owned(),
        RowFault::UncertainDay { .. } => "it belongs to no day for certain".to_owned(),
        RowFault::NoAdjustedClose { date } => format!("{date} has no adjusted close"),
        RowFault::NoClose { date } => format!("{date} has no close"),
        RowFault::NotAPrice { date, field, .. } => {
            format!("the {field} of {date} is not above zero")
        }
        RowFault::Negative { date, field, .. } => format!("the {field} of {date} is below zero"),
        RowFault::NotANumber { .. } => "a cell is no number".to_owned(),
        RowFault::Duplicate { date } => format!("{date} appears a second time"),
        RowFault::OutsideRange { date, .. } => format!("{date} was not asked for"),
        RowFault::UnknownColumn { .. }
        | RowFault::RepeatedColumn { .. }
        | RowFault::MissingColumn { .. }
        | RowFault::CellCount { .. }
        | RowFault::Quote => "it is not written as a row of closes".to_owned(),
    }
}

#[cfg(test)]
mod tests;
