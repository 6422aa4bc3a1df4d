//! Verbs that check rounds, and the proofs that others check.

pub(super) mod anchor;
pub(super) mod audit_round;
pub(super) mod bundle;
pub(super) mod keys;
pub(super) mod verify;
