//! Round folders on disk: read, check, freeze, score and verify.
//!
//! [`layout`] knows every path and [`file_ops`] does every write. [`round_folder`] and
//! [`run_folder`] open what is there, [`mod@format`] turns bytes into core types and back,
//! [`freeze`], [`validation`] and [`scoring`] are the steps of a round, and [`verify`] re-derives
//! all of them from the artifacts and reports where they disagree.

pub mod acceptance;
pub mod audit;
pub mod bench_archive;
pub mod bundle;
pub mod cache_key;
pub mod control_sources;
pub mod corrections;
pub mod daily_closes;
pub mod error;
pub mod exceptions;
pub mod fact_cache;
pub mod file_ops;
pub mod format;
pub mod freeze;
pub mod interim_update;
pub mod jobs;
pub mod layout;
pub mod lease;
pub mod ledger;
pub mod log;
pub mod model_input;
pub mod new_round;
pub mod past_rounds;
pub mod price_record;
pub mod public_files;
pub mod public_record;
pub mod report;
pub mod request_state;
pub mod research_import;
pub mod round_folder;
pub mod run_controls;
pub mod run_folder;
pub mod scoring;
pub mod shell;
pub mod state_folder;
pub mod status;
pub mod unproved_prices;
pub mod validation;
pub mod verify;

pub use capitalbench_core::yaml;
