//! Interim rows: computed again from the submissions and the interim prices.

use capitalbench_core::market::prices::Quote;
use capitalbench_core::market::universe::MarketOption;

use super::finding::{Code, Findings};
use super::results::{first_difference, valid_submissions};
use super::{RoundState, RunState, unreadable};
use crate::disk::layout::{self, run};
use crate::format::figures::interim::{self, Snapshots};

/// Rebuilds the interim rows of every run that has some.
pub(super) fn check(state: &RoundState, findings: &mut Findings) {
    let folder = &state.inputs.folder;
    let snapshots = match folder.parse_optional(layout::INTERIM_PRICES, interim::parse_prices) {
        Ok(snapshots) => snapshots,
        Err(error) => return findings.push(unreadable(folder, &error)),
    };
    for run in state.runs.iter().filter(|run| run.folder.has(run::INTERIM)) {
        if let Some(text) = difference(state, run, snapshots.as_ref()) {
            findings.add(Code::InterimDiffers, run.place(run::INTERIM), text);
        }
    }
    if let Some(snapshots) = &snapshots {
        basis(state, snapshots, findings);
    }
}

fn difference(state: &RoundState, run: &RunState, snapshots: Option<&Snapshots>) -> Option<String> {
    let Some(snapshots) = snapshots else {
        return Some(format!("there is no {}", layout::INTERIM_PRICES));
    };
    let reference = &state.inputs.universe.reference().id;
    let submissions = valid_submissions(run);
    let stored = run.folder.read_optional(run::INTERIM).ok().flatten();
    let stored = stored.unwrap_or_default();
    match interim::render(run.folder.run_id(), &submissions, reference, snapshots) {
        Err(fault) => Some(fault.to_string()),
        Ok(text) if text.as_bytes() == stored => None,
        Ok(text) => Some(first_difference(&text, &String::from_utf8_lossy(&stored))),
    }
}

/// After resolution both sheets are fetched again, so tracking may have used another basis.
fn basis(state: &RoundState, snapshots: &Snapshots, findings: &mut Findings) {
    let (Some(entry), Some((_, (_, start)))) = (&state.sheets.entry, snapshots.first_key_value())
    else {
        return;
    };
    let differs = |option: &&MarketOption| {
        let used = entry.find(option).and_then(Quote::used);
        let both = used.zip(start.get(&option.id));
        both.is_some_and(|((price, _), tracked)| price != *tracked)
    };
    let options = state.inputs.universe.options().iter();
    let other = options.filter(differs).count();
    if other > 0 {
        let text = format!("{other} options start from another price than the final entry price");
        findings.add(Code::InterimBasisDiffers, layout::INTERIM_PRICES, text);
    }
}
