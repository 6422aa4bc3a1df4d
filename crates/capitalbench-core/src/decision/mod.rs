//! The way from a reply to a portfolio, and the portfolios that rules make.

pub mod control;
pub(crate) mod exposure_cap;
pub mod judgment;
pub mod portfolio;
pub mod submission;
