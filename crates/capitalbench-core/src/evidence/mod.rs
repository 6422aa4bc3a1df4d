//! What a record may claim, in numbers and in sentences.

pub mod claim;
pub mod claims;
pub mod explanation;
pub mod inference;
pub mod order_bias;
pub mod sensitivity;
pub mod statistics;
pub mod twins;
