//! The rules of CapitalBench as pure functions over typed values.
//!
//! A round passes through these modules in this order: [`universe`] and [`manifest`] say what was
//! asked, [`submission`] and [`judgment`] turn a reply into a decision or say why it is none,
//! [`acceptance`] and [`run`] decide which run is the record, [`control`] builds what models are
//! held against, [`prices`], [`returns`] and [`score`] turn two price sheets into outcomes,
//! [`leaderboard`] and [`consistency`] order them, [`interim`] tracks a round that is still open,
//! and [`lifecycle`] says where the round stands.
//!
//! Nothing here touches disk, network, clock or environment: the same input gives the same result.

pub mod acceptance;
pub mod artifact;
pub mod attempt;
pub mod boards;
pub mod briefing;
pub mod calendar;
pub mod claim;
pub mod consistency;
pub mod control;
pub mod cost;
pub mod cross_check;
pub mod explanation;
mod exposure_cap;
pub mod ids;
pub mod inference;
pub mod interim;
pub mod judgment;
pub mod leaderboard;
pub mod lifecycle;
pub mod manifest;
pub mod market_context;
pub mod methodology;
pub mod names;
pub mod portfolio;
pub mod price_rules;
pub mod price_window;
pub mod prices;
pub mod prompt;
pub mod publication;
pub mod request_budget;
pub mod resolution_job;
pub mod returns;
pub mod roster;
pub mod run;
pub mod score;
pub mod similar;
pub mod statistics;
mod stored_form;
pub mod submission;
pub mod synthetic;
pub mod tar;
#[cfg(test)]
pub(crate) mod test_support;
pub mod time;
pub mod tokens;
pub mod units;
pub mod universe;
pub mod universes;
pub mod yaml;
