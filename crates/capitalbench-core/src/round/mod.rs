//! The rules that a round is frozen with, and where it stands.

pub mod ending;
pub mod failure_policy;
pub mod lifecycle;
pub mod manifest;
pub mod methodology;
pub mod resolution_job;
pub mod roster;
