//! What a record is worth: uncertainty, chance and ties, in numbers that anyone can recompute.
//!
//! Rounds overlap, so the unit of chance is the market day, not the round: [`daily`] makes one
//! series per model and [`hac`] its interval, with [`bootstrap`] as a second opinion. Where daily
//! closes are missing, [`overlap`] knows how many effective windows the rounds are worth. [`null`]
//! draws what luck would have given and [`excess`] tests against it, [`ties`] tells who can be told
//! apart, [`sharpe`] what the best of several is worth, [`shrinkage`] how much of a distance to
//! expect again, [`synthetic`] what part the market had, [`noise`] how much was the model's own
//! mood, and [`reliability`] what stated confidence meant. Everything is pure and seeded.

pub mod admissible;
pub mod bootstrap;
mod capped;
pub mod daily;
pub mod distribution;
pub mod excess;
pub mod hac;
pub mod noise;
pub mod null;
pub mod overlap;
pub mod random;
pub mod reliability;
pub mod sharpe;
pub mod shrinkage;
mod slots;
pub mod synthetic;
pub mod ties;
