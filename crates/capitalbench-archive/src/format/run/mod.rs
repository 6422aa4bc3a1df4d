//! The files of a run.

pub mod acceptance;
pub mod new_run_manifest;
pub mod pricing;
pub mod replay;
pub mod run_log;
pub mod run_manifest;
pub mod submission;
