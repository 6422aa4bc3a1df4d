//! Proofs of order and completeness, as bytes in and bytes out: no disk, no network, no clock.
//!
//! An [`event`] becomes one leaf of [`canonical`] JSON. Leaves stand in an RFC 6962 tree
//! ([`merkle`]) that is stored in [`tiles`]; a [`checkpoint`] names its size and root and is a
//! signed [`note`]. A [`tlog_proof`] shows to somebody who has nothing else that a leaf is in it.
//! When a checkpoint existed is said by outside clocks: [`timestamp`] and [`opentimestamps`].

pub mod canonical;
pub mod checkpoint;
mod encoding;
pub mod event;

pub mod merkle;
pub mod note;
pub mod opentimestamps;
pub mod order;
pub mod tiles;
pub mod timestamp;
pub mod tlog_proof;
