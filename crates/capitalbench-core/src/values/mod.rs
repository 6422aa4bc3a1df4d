//! Names, quantities and instants that every other room speaks of.

pub mod ids;
pub mod similar;
pub mod sums;
pub mod time;
pub mod units;
pub(crate) mod words;
