//! Tests of the whole crate, some of them against the public archive.

mod archive;
mod boards;
mod coverage;
mod entrants;
mod fact_cache;
mod golden;
mod json;
mod limits;
mod options_and_pairs;
mod record;
mod replies;
mod statistics;
mod table;
mod trailing;
mod yaml;
