//! [`RoundPrices`] reads the two sheets of a round and refuses those that break an enforced rule,
//! because no score is better than its prices.

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::price_rules::{self, PriceProblem};
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::Digest;
use serde_json::json;

use super::ScoringError;
use crate::disk::layout;
use crate::format::{prices::price_sheet, text::json};
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices;
use crate::prices::withheld::wrongly_published;
use crate::results::exceptions::Exceptions;
use crate::round::round_folder::RoundInputs;

/// The two sheets of a round, and the record of their fetch.
#[derive(Debug)]
pub(crate) struct RoundPrices {
    pub(super) entry: PriceSheet,
    pub(super) exit: PriceSheet,
    pub(super) digests: (Digest, Digest),
    record: Option<PriceRecord>,
    /// Why the operator accepted sheets without a record.
    pub(super) unproved_reason: Option<String>,
    record_problems: Vec<PriceProblem>,
}

impl RoundPrices {
    /// Reads both sheets and the record of their fetch, where there is one.
    pub(crate) fn load(inputs: &RoundInputs) -> Result<Self, ScoringError> {
        let folder = &inputs.folder;
        let sheet = |file: &'static str| -> Result<(PriceSheet, Digest), ScoringError> {
            let round = folder.name();
            let bytes = folder.read_optional(file)?;
            let bytes = bytes.ok_or(ScoringError::NoPrices { round, file })?;
            let sheet =
                price_sheet::parse(&bytes).map_err(|fault| fault.in_file(&folder.file(file)))?;
            Ok((sheet, Digest::of(&bytes)))
        };
        let entry = sheet(layout::ENTRY_PRICES)?;
        let exit = sheet(layout::EXIT_PRICES)?;
        let record = PriceRecord::load(folder)?;
        let mut record_problems = wrongly_published(folder, inputs.manifest.publish)?;
        if let Some(record) = &record {
            record_problems.extend(record.problems(inputs, (Some(&entry.0), Some(&exit.0)))?);
        }
        let accepted = unproved_prices::acceptance(folder)?;
        let digests = (entry.1, exit.1);
        let unproved = record.is_none() || unproved_prices::is_from_files(folder)?;
        let accepted = accepted.filter(|own| unproved && own.sheets() == digests);
        Ok(Self {
            entry: entry.0,
            exit: exit.0,
            digests,
            record,
            unproved_reason: accepted.map(|own| own.reason),
            record_problems,
        })
    }

    /// The same with exceptions that are not stored yet.
    pub(super) fn allowing(mut self, exceptions: &Exceptions) -> Self {
        if let (Some(record), Some(word)) = (&mut self.record, &exceptions.cross_check) {
            record.acceptance = Some(word.clone());
        }
        let word = exceptions.unproved.as_ref();
        if let Some(word) = word.filter(|word| word.sheets() == self.digests) {
            self.unproved_reason = Some(word.reason.clone());
        }
        self
    }

    pub(super) fn unaccepted_cross_check(&self) -> Option<&CrossCheck> {
        self.record.as_ref()?.unaccepted_cross_check()
    }

    pub(super) fn cross_check_reason(&self) -> Option<&str> {
        let record = self.record.as_ref()?;
        let (accepted, check) = (record.acceptance.as_ref()?, record.cross_check.as_ref()?);
        (accepted.cross_check == check.1).then_some(&*accepted.reason)
    }
}

/// Broken price rules that are tolerated; a rule that the methodology enforces is an error.
pub(super) fn tolerated_problems(
    inputs: &RoundInputs,
    prices: &RoundPrices,
) -> Result<Vec<PriceProblem>, ScoringError> {
    let manifest = &inputs.manifest;
    let (entry, exit) = (&prices.entry, &prices.exit);
    let mut problems = price_rules::problems(&inputs.priced, manifest.window, entry, exit);
    problems.extend(prices.record_problems.iter().cloned());
    let ours = manifest.methodology.enforcement() == Enforcement::Refuse;
    // Under our own labels scoring refuses them beforehand, see `unproved_prices`.
    if !ours && prices.record.is_none() {
        problems.push(PriceProblem::NoRecord);
    }
    // Only this program writes records of a fetch, so they bind under every label.
    let is_record = |problem: &PriceProblem| matches!(problem, PriceProblem::RecordDiffers { .. });
    let is_refused = |problem: &&PriceProblem| is_record(problem) || (ours && problem.is_refused());
    let refused: Vec<_> = problems.iter().filter(is_refused).cloned().collect();
    if refused.is_empty() {
        return Ok(problems);
    }
    Err(ScoringError::Prices {
        round: manifest.round_id.to_string(),
        problems: refused,
    })
}

pub(super) fn price_warnings(entry: &PriceSheet, exit: &PriceSheet) -> Option<String> {
    let mut warnings = Vec::new();
    for (side, sheet) in [(Side::Entry, entry), (Side::Exit, exit)] {
        for key in sheet.close_only_keys() {
            let message = "no adjusted close; the raw close was used";
            warnings.push(json!({"side": side.as_str(), "key": key, "message": message}));
        }
    }
    (!warnings.is_empty()).then(|| json::to_pretty(&json!({ "warnings": warnings })))
}
