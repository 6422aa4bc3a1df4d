//! What the public may see, from the folders; the cache of it; bundles.

pub mod bundle;
pub mod cache_key;
pub mod claims;
pub mod entrants;
pub mod fact_cache;
pub mod past_rounds;
pub mod public_files;
pub mod public_record;
pub mod scratch_round;
