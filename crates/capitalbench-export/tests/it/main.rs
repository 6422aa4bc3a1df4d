//! Publications of rounds that are made in memory.

mod made;
mod renames;
mod withholding;
