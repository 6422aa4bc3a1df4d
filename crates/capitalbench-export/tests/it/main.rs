//! Publications of rounds that are made in memory.

mod first_board;
mod made;
mod renames;
mod withholding;
