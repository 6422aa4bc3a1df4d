//! What CapitalBench does, from a new round to its published result.
//!
//! Every operation takes an [`operator::Operator`] (configuration, clock, listener), composes the
//! archive, the adapters, the database and the proofs, and returns a typed result. Nothing here
//! prints, reads flags or reads the environment: the program does that, and `tests/boundary.rs`
//! keeps it so. What happens while an operation works is announced as events.
//!
//! The rooms follow the life of a round: [`opening`], [`asking`], [`accepting`], [`prices`],
//! [`resolving`], [`publishing`], [`syncing`]; [`proof`] signs and stamps every step and takes what outsiders enter, and
//! [`league`] does all of it when it is due.

pub mod accepting;
pub mod asking;
pub mod error;
pub mod league;
pub mod opening;
pub mod operator;
pub mod prices;
pub mod proof;
pub mod publishing;
pub mod resolving;
pub mod syncing;
