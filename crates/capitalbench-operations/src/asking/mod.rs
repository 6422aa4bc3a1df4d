//! Asks the models of a frozen round: plan, seats, calls within limits, every attempt on disk.

pub mod agents;
pub mod attempts;
pub mod bill;
pub mod closing;
pub mod engine;
pub mod events;
pub mod gate;
pub mod plan;
pub mod price_card;
pub mod providers;
mod question;
pub mod repair;
pub mod replay;
pub mod run;
pub mod seats;
pub mod slot_end;
pub mod smoke;
pub mod spending;
pub mod spent;
pub mod verdict;
