//! Price sheets: readable, dated on the window's days, of one source and one basis.

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::price_rules::{self, PriceProblem};
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::round::methodology::Enforcement;

use super::finding::{Code, Finding};
use super::{RoundState, RunState, unreadable};
use crate::disk::layout::{self, run};
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices;
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// Both sheets, where they are there and readable.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    pub(crate) entry: Option<PriceSheet>,
    pub(crate) exit: Option<PriceSheet>,
    /// What is wrong with the record of their fetch, where there is one.
    record_problems: Vec<PriceProblem>,
    /// What two sources disagree on beyond the tolerance, where nobody accepted it.
    disagreement: Option<String>,
}

/// Reads both sheets.
pub(super) fn load(folder: &RoundFolder, findings: &mut Vec<Finding>) -> Sheets {
    let mut read = |side| {
        folder.sheet(side).unwrap_or_else(|error| {
            let found = unreadable(folder, &error);
            findings.push(Finding::new(
                Code::PriceSheetInvalid,
                found.place,
                found.detail,
            ));
            None
        })
    };
    Sheets {
        entry: read(Side::Entry),
        exit: read(Side::Exit),
        record_problems: Vec::new(),
        disagreement: None,
    }
}

/// Compares the sheets with the record of their fetch.
pub(super) fn compare_record(inputs: &RoundInputs, sheets: &mut Sheets, found: &mut Vec<Finding>) {
    let folder = &inputs.folder;
    let priced = sheets.entry.is_some() && sheets.exit.is_some();
    let compared = PriceRecord::load(folder).and_then(|record| match record {
        None if priced => Ok(Vec::from_iter(unproved_prices::problem(inputs)?)),
        None => Ok(Vec::new()),
        Some(record) => {
            sheets.disagreement = record.unaccepted_cross_check().map(disagreement);
            let both = (sheets.entry.as_ref(), sheets.exit.as_ref());
            let mut problems = record.problems(inputs, both)?;
            if priced {
                problems.extend(unproved_prices::problem(inputs)?);
            }
            Ok(problems)
        }
    });
    match compared {
        Ok(problems) => sheets.record_problems = problems,
        Err(error) => found.push(unreadable(folder, &error)),
    }
}

/// Reports every broken price rule.
pub(super) fn check(state: &RoundState, findings: &mut Vec<Finding>) {
    let (universe, window) = (&*state.inputs.universe, state.inputs.manifest.window);
    let problems = match (&state.sheets.entry, &state.sheets.exit) {
        (Some(entry), Some(exit)) => price_rules::problems(universe, window, entry, exit),
        (Some(entry), None) => {
            let day = window.map(|window| window.entry);
            price_rules::side_problems(universe, day, Side::Entry, entry)
        }
        (None, Some(exit)) => {
            let day = window.map(|window| window.exit);
            price_rules::side_problems(universe, day, Side::Exit, exit)
        }
        (None, None) => Vec::new(),
    };
    let record_problems = state.sheets.record_problems.iter().cloned();
    let problems = problems.into_iter().chain(record_problems);
    let ours = state.inputs.manifest.methodology.enforcement() == Enforcement::Refuse;
    for problem in problems {
        let is_record = matches!(problem, PriceProblem::RecordDiffers { .. });
        let code = if ours && problem.is_refused() && !is_record {
            Code::PriceRuleBroken
        } else {
            code_of(&problem)
        };
        findings.push(Finding::new(code, place_of(&problem), problem.to_string()));
    }
    // Scoring refuses such prices; until then it is the operator's to look into.
    let scored = |run: &RunState| run.folder.has(run::OUTCOMES) || run.folder.has(run::LEADERBOARD);
    if let Some(text) = &state.sheets.disagreement
        && state.runs.iter().any(scored)
    {
        findings.push(Finding::new(
            Code::PriceRuleBroken,
            layout::CROSS_CHECK,
            text,
        ));
    }
}

fn disagreement(check: &CrossCheck) -> String {
    let options = check.beyond();
    let options: Vec<&str> = options.iter().map(|row| row.option_id.as_str()).collect();
    format!(
        "{} differs by more than {} basis points for {}, and nobody accepted it",
        check.source,
        check.tolerance_bps,
        options.join(", ")
    )
}

fn code_of(problem: &PriceProblem) -> Code {
    match problem {
        PriceProblem::OffDate { .. } => Code::PriceRowOffDate,
        PriceProblem::BlankClose { .. } => Code::BlankClose,
        PriceProblem::RawClose { .. } => Code::UnadjustedPrice,
        PriceProblem::SourceDiffers { .. } => Code::PriceSourceDiffers,
        PriceProblem::MissedDistribution { .. } => Code::MissedDistribution,
        PriceProblem::Basis(_) => Code::AdjustmentDiffers,
        PriceProblem::RecordDiffers { .. } | PriceProblem::NoRecord | PriceProblem::FromFiles => {
            Code::PriceRecordDiffers
        }
        PriceProblem::OtherSource { .. } => Code::PriceSourceReplaced,
        PriceProblem::ForeignRows { .. } => Code::ForeignPriceRows,
        PriceProblem::Unpriced { .. } => Code::UnpricedOptions,
    }
}

fn place_of(problem: &PriceProblem) -> &'static str {
    let side = match problem {
        PriceProblem::OffDate { side, .. }
        | PriceProblem::BlankClose { side, .. }
        | PriceProblem::RawClose { side, .. }
        | PriceProblem::ForeignRows { side, .. }
        | PriceProblem::Unpriced { side, .. } => *side,
        PriceProblem::RecordDiffers { file, .. } => return file,
        PriceProblem::Basis(_) => return layout::PRICE_WINDOW,
        PriceProblem::OtherSource { .. } => return layout::SOURCE_EXCEPTION,
        PriceProblem::SourceDiffers { .. }
        | PriceProblem::MissedDistribution { .. }
        | PriceProblem::NoRecord
        | PriceProblem::FromFiles => return layout::PRICES,
    };
    match side {
        Side::Entry => layout::ENTRY_PRICES,
        Side::Exit => layout::EXIT_PRICES,
    }
}
