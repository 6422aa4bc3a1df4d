//! Numbers, words and tables as every stored file writes them.

pub mod json;
pub mod number;
pub mod scalar;
pub mod table;
