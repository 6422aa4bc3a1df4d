//! Copies elsewhere: the public database, brought up to date after the record changed, and rounds in an
//! object store.

pub mod follow;
pub mod public_prefix;
pub mod rest;
pub mod store;
pub mod target;
