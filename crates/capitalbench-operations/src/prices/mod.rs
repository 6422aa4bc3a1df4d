//! Prices of a round's window: which are needed, who is asked, what is stored.

pub mod again;
pub mod fetch;
pub mod fetcher;
pub mod invented;
pub mod listing;
pub mod plan;
pub mod plan_time;
pub mod sources;
pub mod universe_check;
pub(crate) mod withholding;
