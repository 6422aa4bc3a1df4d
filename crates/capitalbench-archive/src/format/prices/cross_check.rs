//! `prices/cross_check.json` compares two price sources; `prices/cross_check_acceptance.json` lets
//! a comparison beyond its tolerance be scored.

use capitalbench_core::market::cross_check::{Comparison, CrossCheck};
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_core::values::units::Return;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::disk::error::Fault;
use crate::format::stored::FormatVersion;
use crate::format::text::json;

/// The operator's reason for scoring prices although two sources disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossCheckAcceptance {
    pub format_version: FormatVersion<1>,
    /// Digest of the comparison that is accepted; another comparison needs another acceptance.
    #[serde(rename = "cross_check_sha256")]
    pub cross_check: Digest,
    pub reason: String,
    #[serde(rename = "accepted_at_utc")]
    pub accepted_at: WrittenInstant,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format_version: FormatVersion<1>,
    source: String,
    tolerance_bps: f64,
    // For people; readers compute them again.
    #[serde(default)]
    units: Value,
    #[serde(default)]
    beyond_tolerance: Vec<OptionId>,
    rows: Vec<StoredRow>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRow {
    option_id: OptionId,
    #[serde(rename = "return")]
    scored: Return,
    other_return: Option<Return>,
    apart_bps: Option<f64>,
    unavailable: Option<String>,
}

pub fn render(check: &CrossCheck) -> String {
    let row = |row: &Comparison| StoredRow {
        option_id: row.option_id.clone(),
        scored: row.scored,
        other_return: row.other.as_ref().ok().copied(),
        apart_bps: row.apart_bps(),
        unavailable: row.other.as_ref().err().cloned(),
    };
    let beyond = check.beyond().into_iter();
    json::render(&Stored {
        format_version: FormatVersion,
        source: check.source.clone(),
        tolerance_bps: check.tolerance_bps,
        units: json!({"return": "fraction", "other_return": "fraction", "apart_bps": "basis points"}),
        beyond_tolerance: beyond.map(|row| row.option_id.clone()).collect(),
        rows: check.rows.iter().map(row).collect(),
    })
}

pub fn render_acceptance(acceptance: &CrossCheckAcceptance) -> String {
    json::render(acceptance)
}

pub fn parse_acceptance(bytes: &[u8]) -> Result<CrossCheckAcceptance, Fault> {
    json::read(bytes)
}

pub fn parse(bytes: &[u8]) -> Result<CrossCheck, Fault> {
    let stored: Stored = json::read(bytes)?;
    let row = |row: StoredRow| {
        let missing = || Fault::field("other_return", "must be a number, or give `unavailable`");
        Ok(Comparison {
            option_id: row.option_id,
            scored: row.scored,
            other: match row.unavailable {
                Some(reason) => Err(reason),
                None => Ok(row.other_return.ok_or_else(missing)?),
            },
        })
    };
    Ok(CrossCheck {
        source: stored.source,
        tolerance_bps: stored.tolerance_bps,
        rows: stored
            .rows
            .into_iter()
            .map(row)
            .collect::<Result<_, Fault>>()?,
    })
}

#[cfg(test)]
mod tests;
