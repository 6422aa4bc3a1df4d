//! `prices/cross_check.json` and the word that accepts it beyond its tolerance.

use capitalbench_core::market::cross_check::{Comparison, CrossCheck};
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::time::Stamp;
use capitalbench_core::values::units::Return;
use serde_json::{Value, json};

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::member::{digest, list, only, stamp, text, version};

/// The version of this format.
const VERSION: u64 = 1;

/// The members of a comparison, of one of its rows, and of the word that accepts it.
const MEMBERS: [&str; 6] = [
    "format_version",
    "source",
    "tolerance_bps",
    "units",
    "beyond_tolerance",
    "rows",
];
const ROW_MEMBERS: [&str; 5] = [
    "option_id",
    "return",
    "other_return",
    "apart_bps",
    "unavailable",
];
const ACCEPTANCE_MEMBERS: [&str; 4] = [
    "format_version",
    "cross_check_sha256",
    "reason",
    "accepted_at_utc",
];

/// The operator's word that prices may be scored although two sources disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossCheckAcceptance {
    /// Digest of the comparison it speaks of.
    pub cross_check: Digest,
    /// Why.
    pub reason: String,
    /// When.
    pub accepted_at: Stamp,
}

/// The comparison's text.
pub fn render(check: &CrossCheck) -> String {
    let rows: Vec<Value> = check
        .rows
        .iter()
        .map(|row| {
            json!({
                "option_id": row.option_id.as_str(),
                "return": row.scored.get(),
                "other_return": row.other.as_ref().ok().map(|value| value.get()),
                "apart_bps": row.apart_bps(),
                "unavailable": row.other.as_ref().err(),
            })
        })
        .collect();
    let beyond: Vec<&str> = check
        .beyond()
        .into_iter()
        .map(|row| row.option_id.as_str())
        .collect();
    json::to_pretty(&json!({
        "format_version": VERSION,
        "source": check.source,
        "tolerance_bps": check.tolerance_bps,
        "units": {"return": "fraction", "other_return": "fraction", "apart_bps": "basis points"},
        "beyond_tolerance": beyond,
        "rows": rows,
    }))
}

/// Reads a comparison.
pub fn parse(bytes: &[u8]) -> Result<CrossCheck, Fault> {
    let value = json::parse(bytes)?;
    only(&value, &MEMBERS)?;
    version(&value, VERSION)?;
    let rows = list(&value, "rows")?;
    let tolerance = value["tolerance_bps"].as_f64();
    Ok(CrossCheck {
        source: text(&value, "source")?.to_owned(),
        tolerance_bps: tolerance
            .ok_or_else(|| Fault::field("tolerance_bps", "must be a number"))?,
        rows: rows.iter().map(row).collect::<Result<_, _>>()?,
    })
}

fn row(value: &Value) -> Result<Comparison, Fault> {
    only(value, &ROW_MEMBERS)?;
    let number = |name: &str| {
        let number = value[name].as_f64().map(Return::from_fraction);
        number.ok_or_else(|| Fault::field(name, "must be a number"))
    };
    Ok(Comparison {
        option_id: OptionId::parse(text(value, "option_id")?)
            .map_err(|error| Fault::field("option_id", error.to_string()))?,
        scored: number("return")?,
        other: match value["unavailable"].as_str() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(number("other_return")?),
        },
    })
}

/// The acceptance's text.
pub fn render_acceptance(acceptance: &CrossCheckAcceptance) -> String {
    json::to_pretty(&json!({
        "format_version": VERSION,
        "cross_check_sha256": acceptance.cross_check.to_hex(),
        "reason": acceptance.reason,
        "accepted_at_utc": acceptance.accepted_at.text(),
    }))
}

/// Reads an acceptance.
pub fn parse_acceptance(bytes: &[u8]) -> Result<CrossCheckAcceptance, Fault> {
    let value = json::parse(bytes)?;
    only(&value, &ACCEPTANCE_MEMBERS)?;
    version(&value, VERSION)?;
    Ok(CrossCheckAcceptance {
        cross_check: digest(&value, "cross_check_sha256")?,
        reason: text(&value, "reason")?.to_owned(),
        accepted_at: stamp(&value, "accepted_at_utc")?,
    })
}

#[cfg(test)]
mod tests;
