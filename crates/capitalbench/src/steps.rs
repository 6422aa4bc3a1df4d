//! Steps from "the window has closed" to a result, for commands and whatever runs them unattended.

pub(crate) mod asking;
pub(crate) mod boards;
pub(crate) mod fetch_prices;
pub(crate) mod held_round;
pub(crate) mod record;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod score;
