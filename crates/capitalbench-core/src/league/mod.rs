//! A league: which rounds are opened when, on what terms, and what may be spent on them.

pub mod accent;
pub mod licence;
pub mod message;
pub mod schedule;
pub mod settings;
