//! The built program, seen from outside: one file per verb, and what bad input, real rounds and
//! odd outputs make of it.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests spoil files on purpose, read CI's settings and say what they skip"
)]

mod audit_round;
mod bad_disk;
mod bad_input;
mod fixtures;
mod golden;
mod harness;
mod hash_round;
mod list_runs;
mod operate;
mod output;
mod run_round;
mod score_round;
mod validate_submissions;
mod verify;
