//! Verbs that show rounds and boards.

pub(super) mod claim;
pub(super) mod compare;
pub(super) mod cumulative_status;
pub(super) mod explain;
pub(super) mod leaderboard;
pub(super) mod mcp;
pub(super) mod plan_evidence;
pub(super) mod status;
