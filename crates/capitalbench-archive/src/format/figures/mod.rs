//! Files of results.

pub mod interim;
pub mod outcomes;
pub mod results;
