//! The database as its users meet it: a real PostgreSQL per test.

mod server;
mod stage;

mod round_trip;
