//! Steps from "the window has closed" to a result, for commands and whatever runs them unattended.

pub(crate) mod asking;
pub(crate) mod fetch_prices;
pub(crate) mod score;
