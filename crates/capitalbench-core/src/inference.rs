//! What a record is worth: uncertainty, chance and ties, in numbers that anyone can recompute.
//!
//! Rounds overlap, so the unit of chance is the market day, not the round. Everything is pure and
//! seeded: the same rounds give the same figures.

pub mod admissible;
pub mod daily;
pub mod distribution;
pub mod hac;
pub mod overlap;
pub mod random;
