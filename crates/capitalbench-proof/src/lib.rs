//! Proofs a stranger can check without trusting us: bytes in, bytes out.

pub mod opentimestamps;
pub mod timestamp;
