//! Price sheets: readable, dated on the window's days, from one source and on one basis.

use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::price_rules::{self, PriceProblem};
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::round::methodology::Enforcement;

use super::finding::{Code, Findings};
use super::{RoundState, RunState, unreadable};
use crate::disk::layout::{self, run};
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices;
use crate::prices::withheld::wrongly_published;
use crate::round::listing_changes;
use crate::round::round_folder::{RoundFolder, RoundInputs};

/// Both sheets, where they exist and can be read.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    pub(crate) entry: Option<PriceSheet>,
    pub(crate) exit: Option<PriceSheet>,
    /// Problems of the record of their fetch, where there is one.
    record_problems: Vec<PriceProblem>,
    /// The disagreement of two sources beyond the tolerance, unless it is accepted.
    disagreement: Option<String>,
    /// Whether the closes behind a fetch are not here.
    withheld: bool,
}

pub(super) fn load(folder: &RoundFolder, findings: &mut Findings) -> Sheets {
    let mut read = |side| {
        folder.sheet(side).unwrap_or_else(|error| {
            let found = unreadable(folder, &error);
            findings.add(Code::PriceSheetInvalid, found.place, found.detail);
            None
        })
    };
    Sheets {
        entry: read(Side::Entry),
        exit: read(Side::Exit),
        ..Sheets::default()
    }
}

/// Compares the sheets with the record of their fetch.
pub(super) fn compare_record(inputs: &RoundInputs, sheets: &mut Sheets, found: &mut Findings) {
    let folder = &inputs.folder;
    let priced = sheets.entry.is_some() && sheets.exit.is_some();
    let compared = PriceRecord::load(folder).and_then(|record| {
        let mut problems = wrongly_published(folder, inputs.manifest.publish)?;
        // Without the record of a fetch nothing says that private closes are those behind the sheets.
        let closes = record.as_ref().and_then(|record| record.closes.as_ref());
        sheets.withheld = closes.is_none();
        if let Some(record) = record {
            sheets.disagreement = record.unaccepted_cross_check().map(disagreement);
            let both = (sheets.entry.as_ref(), sheets.exit.as_ref());
            problems.extend(record.problems(inputs, both)?);
        }
        if priced {
            problems.extend(unproved_prices::problem(inputs)?);
        }
        Ok(problems)
    });
    match compared {
        Ok(problems) => sheets.record_problems = problems,
        Err(error) => found.push(unreadable(folder, &error)),
    }
}

/// Reports every broken price rule.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    let (universe, window) = (&*state.inputs.priced, state.inputs.manifest.window);
    check_listings(&state.inputs, findings);
    if !state.inputs.manifest.publish.is_full()
        && state.sheets.exit.is_some()
        && state.sheets.withheld
    {
        let text = "returns are the operator's word: closes are not published";
        findings.add(Code::ClosesNotPublished, layout::PRICES, text);
    }
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
        // These have a code of their own under every label.
        let is_record = matches!(
            problem,
            PriceProblem::RecordDiffers { .. }
                | PriceProblem::NotAsPublished { .. }
                | PriceProblem::IndexDiffers { .. }
        );
        let (mut code, place) = code_and_place(&problem);
        if ours && problem.is_refused() && !is_record {
            code = Code::PriceRuleBroken;
        }
        findings.add(code, place, problem.to_string());
    }
    // Scoring refuses such prices, so before a result this is only the operator's concern.
    let scored = |run: &RunState| run.folder.has(run::OUTCOMES) || run.folder.has(run::LEADERBOARD);
    if let Some(text) = &state.sheets.disagreement
        && state.runs.iter().any(scored)
    {
        findings.add(Code::PriceRuleBroken, layout::CROSS_CHECK, text);
    }
}

/// Reports every option that was renamed or delisted, and who said so.
fn check_listings(inputs: &RoundInputs, findings: &mut Findings) {
    let recorded = listing_changes::load(&inputs.folder).unwrap_or_default();
    for option in inputs.priced.options() {
        let Some(change) = &option.change else {
            continue;
        };
        let mut own = recorded.iter().filter(|own| own.option_id == option.id);
        if let Some(own) = own.next_back() {
            findings.add(Code::ListingChanged, layout::LISTING_CHANGES, own.text());
        } else {
            let text = format!("{} {change}, by the frozen options", option.id);
            findings.add(Code::ListingChanged, layout::OPTIONS, text);
        }
    }
}

fn disagreement(check: &CrossCheck) -> String {
    let options = check.beyond();
    let options: Vec<&str> = options.iter().map(|row| row.option_id.as_str()).collect();
    format!(
        "{} differs by more than {} basis points for {}, and the operator did not accept it",
        check.source,
        check.tolerance_bps,
        options.join(", ")
    )
}

/// The code of a price problem, and the file it is about.
fn code_and_place(problem: &PriceProblem) -> (Code, &str) {
    let sheet = |side: &Side| layout::price_sheet(*side);
    match problem {
        PriceProblem::OffDate { side, .. } => (Code::PriceRowOffDate, sheet(side)),
        PriceProblem::BlankClose { side, .. } => (Code::BlankClose, sheet(side)),
        PriceProblem::RawClose { side, .. } => (Code::UnadjustedPrice, sheet(side)),
        PriceProblem::ForeignRows { side, .. } => (Code::ForeignPriceRows, sheet(side)),
        PriceProblem::Unpriced { side, .. } => (Code::UnpricedOptions, sheet(side)),
        PriceProblem::SourceDiffers { .. } => (Code::PriceSourceDiffers, layout::PRICES),
        PriceProblem::MissedDistribution { .. } => (Code::MissedDistribution, layout::PRICES),
        PriceProblem::RecordDiffers { file, .. } => (Code::PriceRecordDiffers, file),
        PriceProblem::NoRecord | PriceProblem::FromFiles => {
            (Code::PriceRecordDiffers, layout::PRICES)
        }
        PriceProblem::NotAsPublished { file, .. } => (Code::NotAsPublished, file),
        PriceProblem::IndexDiffers { .. } => (Code::IndexDiffers, layout::PRICE_WINDOW),
        PriceProblem::Basis(_) => (Code::AdjustmentDiffers, layout::PRICE_WINDOW),
        PriceProblem::StillListed { .. } | PriceProblem::LargeMove(_) => {
            (Code::PriceRuleBroken, layout::PRICE_WINDOW)
        }
        PriceProblem::MovesAccepted { .. } => (Code::MovesAccepted, layout::MOVE_EXCEPTION),
        PriceProblem::OtherSource { .. } => (Code::PriceSourceReplaced, layout::SOURCE_EXCEPTION),
    }
}
