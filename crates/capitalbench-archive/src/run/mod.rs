//! One run on disk: every attempt, what became of it, and its acceptance.

pub mod acceptance;
pub mod control_sources;
pub mod in_flight;
pub mod ledger;
pub mod missing_answers;
pub mod replay_folder;
pub mod run_controls;
pub mod run_folder;
pub mod validation;
