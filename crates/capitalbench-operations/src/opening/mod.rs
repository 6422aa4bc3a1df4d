//! A round from nothing to frozen: dates and roster, the table of trailing returns, the freeze.

pub mod briefing;
pub(crate) mod continued;
pub mod freezing;
pub mod market_table;
pub mod new_round;
pub mod void;
