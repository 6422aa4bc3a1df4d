//! Verbs that take a round from nothing to frozen.

pub(super) mod fetch_universe_performance;
pub(super) mod hash_round;
pub(super) mod import_research;
pub(super) mod init_round;
pub(super) mod make_briefing;
pub(super) mod show_prompt;
pub(super) mod validate_universe;
