//! Every path, the only writers, and what is wrong with a file.

pub mod error;
pub mod file_ops;
pub mod layout;
pub(crate) mod looks;
pub mod shell;
pub mod space;
pub mod state_folder;
