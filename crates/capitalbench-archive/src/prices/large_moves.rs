//! The operator's reason for believing moves that one source alone tells.

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::daily_move::{USUAL_LARGEST_BPS, unconfirmed_moves};
use capitalbench_core::market::price_window::PriceWindow;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::format::stored::FormatVersion;

/// `prices/move_exception.json`, and `market_data/move_exception.json` for the market table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveException {
    format_version: FormatVersion<1>,
    /// The moves in words; other moves need another reason.
    pub moves: Vec<String>,
    pub reason: String,
    #[serde(rename = "accepted_at_utc")]
    accepted_at: WrittenInstant,
}

impl MoveException {
    pub fn new(moves: Vec<String>, reason: &str, now: Timestamp) -> Self {
        Self {
            format_version: FormatVersion,
            moves,
            reason: reason.to_owned(),
            accepted_at: WrittenInstant::of(now),
        }
    }
}

/// Moves in answers for a round that nothing explains, in words; none before v1.2.
pub fn unexplained(
    manifest: &Manifest,
    windows: &[PriceWindow],
    check: Option<&CrossCheck>,
) -> Vec<String> {
    if !manifest.methodology.limits_daily_moves() {
        return Vec::new();
    }
    let moves = unconfirmed_moves(windows, largest(manifest), check);
    moves.iter().map(ToString::to_string).collect()
}

/// The largest move of a day that a round believes, in basis points.
pub fn largest(manifest: &Manifest) -> u32 {
    let frozen = manifest.origins.largest_daily_move_bps;
    frozen.unwrap_or(USUAL_LARGEST_BPS)
}
