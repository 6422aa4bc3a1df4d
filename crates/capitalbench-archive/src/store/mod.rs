//! Rounds in an object store: its format, a store in a folder, and the checkout that commands work on.
//!
//! ```text
//! heads/rounds/<round>      the head of a round; the same for heads/log and heads/beside
//! objects/<ab>/<name>       content: files, packs of small files, and indexes; never overwritten
//! probes/<name>             what the probe at first use writes and removes
//! ```
//!
//! A head names the indexes of its generation, and changes only by a conditional write, so a reader
//! sees one whole generation or another. Reasons and the order of a push: docs/design/store.md.

pub mod checkout;
pub mod folder_store;
pub mod head;
pub mod index;
pub mod packing;
pub mod unit;
