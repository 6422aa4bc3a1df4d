//! `market_data/briefing_recipe.json`: how a mechanical briefing was made from the kept sources.

use capitalbench_core::asking::mechanical_briefing::RULE;
use serde::{Deserialize, Serialize};

use crate::disk::error::Fault;
use crate::format::stored::FormatVersion;
use crate::format::text::json;

/// Whether the Treasury's curve is part of a briefing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreasuryPart {
    /// Its answers are kept.
    Read,
    /// The market is invented.
    NotAsked,
    /// It could not be fetched; the briefing says so.
    NotReached,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format_version: FormatVersion<1>,
    rule: String,
    treasury: TreasuryPart,
}

pub fn render(treasury: TreasuryPart) -> String {
    json::render(&Stored {
        format_version: FormatVersion,
        rule: RULE.to_owned(),
        treasury,
    })
}

/// Reads the recipe; a rule that this program does not know stops it.
pub fn parse(bytes: &[u8]) -> Result<TreasuryPart, Fault> {
    let stored: Stored = json::read(bytes)?;
    if stored.rule != RULE {
        let text = format!("{:?} is not a rule that this program knows", stored.rule);
        return Err(Fault::field("rule", text));
    }
    Ok(stored.treasury)
}

#[cfg(test)]
mod tests;
