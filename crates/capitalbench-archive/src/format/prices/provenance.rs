//! `prices/provenance.json`: which source was asked for prices, when, and the digests of its answers.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::{Digest, OptionId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::disk::error::Fault;
use crate::format::stored::{FormatVersion, day};
use crate::format::text::json;

/// What the sheets of a fetch may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Both sides, from one answer per option: may be scored.
    Final,
    /// The entry side alone, for people; final prices replace it.
    Informational,
}

/// Which options were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    FullUniverse,
    /// Held options, the reference and cash.
    HeldOptions,
}

/// One answer of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRecord {
    pub option_id: OptionId,
    pub symbol: String,
    /// Where it was asked for, without any key.
    pub address: String,
    #[serde(rename = "fetched_at_utc")]
    pub fetched_at: Timestamp,
    /// None where closes are not published: the digest of a short answer gives them away.
    #[serde(
        rename = "body_sha256",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub body: Option<Digest>,
    /// How many sessions it holds.
    pub rows: usize,
    /// How many requests it took.
    pub requests: usize,
}

/// One fetch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    pub format_version: FormatVersion<1>,
    pub round_id: String,
    /// The source as a flag names it.
    pub source: String,
    /// The source as the sheets name it.
    pub stored_label: String,
    #[serde(with = "close_basis")]
    pub close_basis: CloseBasis,
    pub purpose: Purpose,
    pub coverage: Coverage,
    /// First day asked for.
    #[serde(with = "day")]
    pub from: Date,
    /// Last day asked for.
    #[serde(with = "day")]
    pub to: Date,
    /// Name and version of the program.
    pub program: String,
    /// The answers, in universe order.
    pub answers: Vec<AnswerRecord>,
    /// Digests of the files of this fetch, by their path in the round.
    pub files: BTreeMap<String, Digest>,
    pub warnings: Vec<String>,
    /// The folder that keeps the files this fetch replaced.
    pub replaced: Option<String>,
}

mod close_basis {
    use capitalbench_core::market::price_window::CloseBasis;
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(in crate::format) fn serialize<S: Serializer>(
        basis: &CloseBasis,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(basis.as_str())
    }

    pub(in crate::format) fn deserialize<'de, D: Deserializer<'de>>(
        word: D,
    ) -> Result<CloseBasis, D::Error> {
        let basis = CloseBasis::parse(&String::deserialize(word)?);
        basis.ok_or_else(|| D::Error::custom("close_basis must be raw or split_adjusted"))
    }
}

pub fn render(provenance: &Provenance) -> String {
    json::render(provenance)
}

pub fn parse(bytes: &[u8]) -> Result<Provenance, Fault> {
    json::read(bytes)
}

#[cfg(test)]
mod tests;
