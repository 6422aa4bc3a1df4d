//! Fetched prices with their proofs, and what outlives the process that fetches.

pub mod daily_closes;
pub mod large_moves;
pub mod price_record;
mod replaced;
pub mod request_state;
pub mod unproved_prices;
pub mod withheld;
