//! The publication in PostgreSQL.
//!
//! [`delta`] turns a publication into rows and documents with digests, [`requests`] collects the
//! differences, and [`sync`] sends them through a [`gateway::Gateway`], one transaction per request. [`read`]
//! restores the same publication, the files of its rounds and its signed log from the stored rows; [`prefix`]
//! keeps the same rows as objects below a public address. [`jobs`]
//! are rounds to resolve, which workers share. The policies in `migrations/` decide who may read what, not
//! this program; [`check`] compares them with the migrations.
//!
//! This crate does not read the environment, the clock or a round folder, and computes no figure.

pub mod check;
pub mod delta;
pub mod direct;
pub mod documents;
pub mod gateway;
pub mod jobs;
pub mod log_files;
pub mod migrations;
pub mod packing;
pub mod prefix;
pub mod read;
pub mod requests;
pub mod round_files;
pub mod row_digest;
pub mod stored;
pub mod sync;
