//! Names, quantities and instants that every other room speaks of.

pub mod ids;
pub mod similar;
pub mod time;
pub mod units;
pub(crate) mod words;
