//! Round folders on disk: read, check, freeze, score and verify.
//!
//! [`disk`] knows every path and does every write, [`mod@format`] turns bytes into core types and
//! back. [`round`], [`run`], [`prices`] and [`results`] are the steps of a round in their order,
//! [`public`] is what others may see of it, [`log`] is the signed record of all steps, and
//! [`verify`] derives everything again from the files and reports where they disagree.

pub mod disk;
pub mod entering;
pub mod format;
pub mod log;
pub mod prices;
pub mod public;
pub mod results;
pub mod round;
pub mod run;
pub mod store;
pub mod verify;
