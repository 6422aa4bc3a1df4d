//! The files that a round is frozen with.

pub mod benchmark_sets;
pub mod briefing_recipe;
pub(crate) mod controls;
pub mod hashes;
pub mod job;
pub mod manifest;
pub mod models;
pub mod new_manifest;
pub mod options;
mod publish;
pub mod research;
pub mod slate;
