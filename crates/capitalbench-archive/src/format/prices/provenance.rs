//! `prices/provenance.json`: who was asked for prices, when, and the digests of what was said.

use std::collections::BTreeMap;

use capitalbench_core::market::price_window::CloseBasis;
use capitalbench_core::values::ids::{Digest, OptionId};
use capitalbench_core::values::time::parse_day;
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value, json};

use crate::disk::error::Fault;
use crate::format::text::json;
use crate::format::text::member::{digest, list, only, stamp, text, version};

/// The version of this format.
const VERSION: u64 = 1;

/// The members of the file; there are no others.
const MEMBERS: [&str; 14] = [
    "format_version",
    "round_id",
    "source",
    "stored_label",
    "close_basis",
    "purpose",
    "coverage",
    "from",
    "to",
    "program",
    "answers",
    "files",
    "warnings",
    "replaced",
];

/// The members of one answer.
const ANSWER_MEMBERS: [&str; 7] = [
    "option_id",
    "symbol",
    "address",
    "fetched_at_utc",
    "body_sha256",
    "rows",
    "requests",
];

/// What the sheets of a fetch may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Both sides, from one answer per option: may be scored.
    Final,
    /// The entry side alone, for people; final prices replace it.
    Informational,
}

impl Purpose {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::Informational => "informational",
        }
    }
}

/// Which options were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every option of the universe.
    FullUniverse,
    /// Held options, the reference and cash.
    HeldOptions,
}

impl Coverage {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FullUniverse => "full_universe",
            Self::HeldOptions => "held_options",
        }
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRecord {
    /// For which option.
    pub option_id: OptionId,
    /// By which symbol.
    pub symbol: String,
    /// Where it was asked for, without any key.
    pub address: String,
    /// When it came.
    pub fetched_at: Timestamp,
    /// Digest of its body.
    pub body: Digest,
    /// How many sessions it holds.
    pub rows: usize,
    /// How often it was asked for until it came.
    pub requests: usize,
}

/// One fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// The round.
    pub round_id: String,
    /// The source, as it is chosen.
    pub source: String,
    /// The source, as the sheets name it.
    pub stored_label: String,
    /// What its close means.
    pub close_basis: CloseBasis,
    /// What the sheets may be used for.
    pub purpose: Purpose,
    /// Which options were asked for.
    pub coverage: Coverage,
    /// First day asked for.
    pub from: Date,
    /// Last day asked for.
    pub to: Date,
    /// Name and version of the program.
    pub program: String,
    /// The answers, in universe order.
    pub answers: Vec<AnswerRecord>,
    /// Digests of the files of this fetch, by their path in the round.
    pub files: BTreeMap<String, Digest>,
    /// What looked odd.
    pub warnings: Vec<String>,
    /// The folder that keeps the files this fetch replaced.
    pub replaced: Option<String>,
}

/// The file's text.
pub fn render(provenance: &Provenance) -> String {
    let answers: Vec<Value> = provenance
        .answers
        .iter()
        .map(|answer| {
            json!({
                "option_id": answer.option_id.as_str(),
                "symbol": answer.symbol,
                "address": answer.address,
                "fetched_at_utc": answer.fetched_at.to_string(),
                "body_sha256": answer.body.to_hex(),
                "rows": answer.rows,
                "requests": answer.requests,
            })
        })
        .collect();
    let files: Map<String, Value> = provenance
        .files
        .iter()
        .map(|(path, digest)| (path.clone(), digest.to_hex().into()))
        .collect();
    json::to_pretty(&json!({
        "format_version": VERSION,
        "round_id": provenance.round_id,
        "source": provenance.source,
        "stored_label": provenance.stored_label,
        "close_basis": provenance.close_basis.as_str(),
        "purpose": provenance.purpose.as_str(),
        "coverage": provenance.coverage.as_str(),
        "from": provenance.from.to_string(),
        "to": provenance.to.to_string(),
        "program": provenance.program,
        "answers": answers,
        "files": files,
        "warnings": provenance.warnings,
        "replaced": provenance.replaced,
    }))
}

/// Reads the file.
pub fn parse(bytes: &[u8]) -> Result<Provenance, Fault> {
    let value = json::parse(bytes)?;
    only(&value, &MEMBERS)?;
    version(&value, VERSION)?;
    let word = |name: &'static str| text(&value, name);
    let purpose = [Purpose::Final, Purpose::Informational];
    let coverage = [Coverage::FullUniverse, Coverage::HeldOptions];
    Ok(Provenance {
        round_id: word("round_id")?.to_owned(),
        source: word("source")?.to_owned(),
        stored_label: word("stored_label")?.to_owned(),
        close_basis: CloseBasis::parse(word("close_basis")?)
            .ok_or_else(|| Fault::field("close_basis", "must be raw or split_adjusted"))?,
        purpose: find(purpose, word("purpose")?, Purpose::as_str)
            .ok_or_else(|| Fault::field("purpose", "must be final or informational"))?,
        coverage: find(coverage, word("coverage")?, Coverage::as_str)
            .ok_or_else(|| Fault::field("coverage", "must be full_universe or held_options"))?,
        from: day(&value, "from")?,
        to: day(&value, "to")?,
        program: word("program")?.to_owned(),
        answers: list(&value, "answers")?
            .iter()
            .map(answer)
            .collect::<Result<_, _>>()?,
        files: files(&value)?,
        warnings: list(&value, "warnings")?
            .iter()
            .map(|warning| warning.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| Fault::field("warnings", "must hold texts"))?,
        replaced: match value.get("replaced") {
            None | Some(Value::Null) => None,
            Some(_) => Some(word("replaced")?.to_owned()),
        },
    })
}

fn find<T: Copy, const N: usize>(
    all: [T; N],
    word: &str,
    name: fn(T) -> &'static str,
) -> Option<T> {
    all.into_iter().find(|value| name(*value) == word)
}

fn day(object: &Value, name: &str) -> Result<Date, Fault> {
    parse_day(text(object, name)?).ok_or_else(|| Fault::field(name, "must be a day"))
}

fn files(object: &Value) -> Result<BTreeMap<String, Digest>, Fault> {
    let wrong = || Fault::field("files", "must hold digests by path");
    let files = object.get("files").and_then(Value::as_object);
    let files = files.ok_or_else(wrong)?.iter();
    files
        .map(|(path, value)| {
            let digest = value.as_str().and_then(Digest::parse).ok_or_else(wrong)?;
            Ok((path.clone(), digest))
        })
        .collect()
}

fn answer(object: &Value) -> Result<AnswerRecord, Fault> {
    only(object, &ANSWER_MEMBERS)?;
    let count = |name: &str| {
        let number = object.get(name).and_then(Value::as_u64);
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.ok_or_else(|| Fault::field(name, "must be a count"))
    };
    Ok(AnswerRecord {
        option_id: OptionId::parse(text(object, "option_id")?)
            .map_err(|error| Fault::field("option_id", error.to_string()))?,
        symbol: text(object, "symbol")?.to_owned(),
        address: text(object, "address")?.to_owned(),
        fetched_at: stamp(object, "fetched_at_utc")?.at(),
        body: digest(object, "body_sha256")?,
        rows: count("rows")?,
        requests: count("requests")?,
    })
}

#[cfg(test)]
mod tests;
