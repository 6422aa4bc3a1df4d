//! What the tests of several crates share. Nothing of it is part of the program.
//!
//! The tests of a crate below this one may use it too: Cargo allows the circle, because only tests
//! depend on this crate. Tests inside `src/` of such a crate cannot, since they would meet every
//! type twice.

pub mod answers;
pub mod authority;
pub mod bench_archive;
pub mod database_server;
