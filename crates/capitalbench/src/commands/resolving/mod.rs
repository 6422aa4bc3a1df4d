//! Verbs that price and score rounds, now or when they are due.

pub(super) mod automation;
pub(super) mod fetch_prices;
pub(super) mod record_listing;
pub(super) mod resolve_due;
pub(super) mod score_round;
pub(super) mod update_interim;
pub(super) mod worker;
