//! Verbs that ask models and make a run the record.

pub(super) mod accept_run;
pub(super) mod check_providers;
pub(super) mod compare_runs;
pub(super) mod list_runs;
pub(super) mod replay;
pub(super) mod run_round;
pub(super) mod show_controls;
pub(super) mod smoke_provider;
pub(super) mod validate_submissions;
pub(super) mod void_round;
