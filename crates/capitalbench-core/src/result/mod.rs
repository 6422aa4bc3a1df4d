//! All arithmetic of results: returns, scores, order and agreement.

pub mod consistency;
pub mod interim;
pub mod leaderboard;
pub mod returns;
pub mod score;
