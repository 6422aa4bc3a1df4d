//! What a record is worth: uncertainty, chance and ties, in numbers that anyone can recompute.
//!
//! Rounds overlap, so the unit of chance is the market day, not the round: [`daily`] makes one
//! series per model and [`hac`] its interval, with [`bootstrap`] as a second opinion and for ranks.
//! Where daily closes are missing, [`overlap`] knows how many separate windows the rounds are
//! worth. [`null`] asks what luck would have given, [`ties`] who can be told apart, [`sharpe`] what
//! the best of several is worth, [`noise`] how much of it was the model's own mood, and
//! [`reliability`] what stated confidence meant. Everything is pure and seeded.

pub mod admissible;
pub mod bootstrap;
mod capped;
pub mod daily;
pub mod distribution;
pub mod hac;
pub mod noise;
pub mod null;
pub mod overlap;
pub mod random;
pub mod reliability;
pub mod sharpe;
pub mod ties;
