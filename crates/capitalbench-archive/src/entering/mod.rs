//! Files of entrants: registrations, sealed entries, openings and receipts, with their signatures.

pub mod agent;
pub mod delivered;
pub mod portfolio;
pub mod receipt;
pub mod terms;
