//! Every step is signed in the log, stamped by outside clocks where the round promises it, and shown
//! to witnesses where some are named.

pub mod anchor;
pub mod claims;
pub mod clock_trial;
pub mod clocks;
pub mod entering;
pub mod given_instant;
pub mod log_key;
pub mod promise;
pub mod record;
pub mod stamped_picks;
pub mod witnesses;
