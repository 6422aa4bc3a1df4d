//! A league that runs itself: its folder, what is due in it, and one pass that does it.

mod agents;
mod begin;
pub mod check;
mod commands;
mod daily;
mod decide;
mod entries;
pub mod folder;
mod hints;
mod lanes;
pub mod messages;
pub mod new;
pub mod pass;
pub mod plan;
pub mod rehearsal;
mod standing;
mod terms;

pub use terms::configured;
