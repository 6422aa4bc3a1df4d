//! The publication in PostgreSQL.
//!
//! [`delta`] turns a publication into rows and documents with digests, [`requests`] gathers what differs,
//! [`sync`] sends it through a [`gateway::Gateway`], one transaction per request, and [`read`] makes the same
//! publication, the files of its rounds and its signed log again from what is stored. [`jobs`] are rounds to resolve,
//! shared by workers. Who may read what is decided by the policies in
//! `migrations/`, not by this program; [`check`] compares them with what they must be.
//!
//! Nothing here reads the environment, the clock or a round folder, and no figure is computed.

pub mod check;
pub mod delta;
pub mod direct;
pub mod documents;
pub mod gateway;
pub mod jobs;
pub mod log_files;
pub mod migrations;
pub mod packing;
pub mod read;
pub mod requests;
pub mod round_files;
pub mod row_digest;
pub mod stored;
pub mod sync;
