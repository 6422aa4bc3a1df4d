//! Where CapitalBench meets the outside: prices, providers and clocks of others.
//!
//! [`http`] is the one client for all of them, [`secret`] the only holder of keys,
//! [`price_source`] says what a vendor of daily closes must deliver and how each may fail, [`provider`]
//! asks one model once and reads what came back, [`outside_clock`] asks for time stamps, and
//! [`supabase`] is the public store over HTTP.
//!
//! Nothing here reads the environment, the clock or a round folder: addresses, keys and limits
//! are given by the caller, and what comes back are plain values or a typed fault.

pub mod http;
pub mod outside_clock;
pub mod price_source;
pub mod provider;
pub mod secret;
pub mod supabase;
