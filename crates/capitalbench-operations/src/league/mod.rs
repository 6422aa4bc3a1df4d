//! A league that runs itself: its folder, what is due in it, and one pass that does it.

pub mod check;
pub mod folder;
pub mod messages;
pub mod new;
pub mod pass;
