//! The public database, brought up to date after the record changed.

pub mod follow;
pub mod rest;
pub mod target;
