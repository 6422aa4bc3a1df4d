//! Results, their corrections, provisional tracking and reports.

pub mod after_the_fact;
pub mod corrections;
pub mod exceptions;
pub mod interim_update;
pub mod report;
pub mod scoring;
