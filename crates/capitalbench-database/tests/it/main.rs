//! The database as its users meet it: a real PostgreSQL per test.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod stage;

mod access;
mod additions;
mod check;
mod edited;
mod jobs;
mod killed;
mod log;
mod many_workers;
mod owner;
mod readers;
mod round_trip;
mod schema;
mod withheld;
