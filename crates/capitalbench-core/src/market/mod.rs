//! What can be bought, when the exchange is open, and which prices count.

pub mod adjusted_closes;
pub mod calendar;
pub mod cross_check;
pub mod daily_move;
pub mod daily_returns;
pub mod invented;
pub mod price_rules;
pub mod price_window;
pub mod prices;
pub mod published_prices;
pub mod reference_name;
pub mod request_budget;
pub mod synthetic;
pub mod treasury;
pub mod universe;
pub mod universes;
