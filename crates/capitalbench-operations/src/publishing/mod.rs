//! What readers get from resolved and open rounds: reports, boards, provisional tracking.

pub mod boards;
pub mod interim;
pub mod report;
pub mod summary;
