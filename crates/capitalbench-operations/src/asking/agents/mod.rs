//! Agents: entrants that are asked at their address, and the kit that tries one.

pub mod asking;
pub mod kit;
pub mod round;
