//! Proofs of order and completeness, as bytes in and bytes out: no disk, no network, no clock.
//!
//! An [`event`] becomes one leaf of [`canonical`] JSON. Leaves form an RFC 6962 tree ([`merkle`]) that
//! is stored in [`tiles`]. A [`checkpoint`] names the tree's size and root and is a signed [`note`].
//! A [`tlog_proof`] proves that a leaf is in the log to a reader who has only the log's key. Outside
//! clocks prove when a checkpoint existed: [`timestamp`] and [`opentimestamps`]. A [`witness`] proves
//! that others saw the same log. [`order`] judges whether the steps of a round happened in the
//! required order.

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
pub mod witness;

pub use encoding::{from_base64, to_base64};
