//! The way from a reply to a portfolio, the portfolios that rules make, and those that outsiders seal.

pub mod control;
pub mod entering;
pub(crate) mod exposure_cap;
pub mod judgment;
pub mod portfolio;
pub mod submission;
