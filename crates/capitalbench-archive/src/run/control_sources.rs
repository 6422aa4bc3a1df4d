//! The inputs of control entrants, from a frozen round and the rounds beside it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use capitalbench_core::asking::run::official_run;
use capitalbench_core::decision::control::{Control, ControlInputs, PastFigures, controls};
use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::market::prices::Side;
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::values::ids::{Digest, OptionId, RoundId};
use capitalbench_core::values::time::WrittenInstant;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::{prices::trailing, round::manifest};
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds};
use crate::run::validation::validate_run;

/// The best option of the round that was resolved last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LastBest {
    pub(crate) round_id: RoundId,
    pub(crate) option_id: OptionId,
}

/// Facts of a round that controls need besides its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct ControlSources {
    past: Vec<PastFigures>,
    freeze: Digest,
    last_best: Option<OptionId>,
    decisions: Vec<Vec<Holding>>,
}

impl ControlSources {
    /// Reads the market table, the stored digests, the last round of the track and the record.
    pub fn load(inputs: &RoundInputs) -> Result<Self, FileError> {
        Self::new(inputs, last_best(inputs)?.as_ref(), decisions(inputs)?)
    }

    pub(crate) fn new(
        inputs: &RoundInputs,
        best: Option<&LastBest>,
        decisions: Vec<Vec<Holding>>,
    ) -> Result<Self, FileError> {
        let folder = &inputs.folder;
        // The frozen market table; a round may have none.
        let past = folder.parse_optional(trailing::CSV, trailing::parse_figures)?;
        Ok(Self {
            past: past.unwrap_or_default(),
            freeze: Digest::of(&folder.read(layout::HASHES)?),
            last_best: best.map(|best| best.option_id.clone()),
            decisions,
        })
    }

    pub fn controls(&self, inputs: &RoundInputs) -> Vec<Control> {
        controls(&ControlInputs {
            universe: &inputs.universe,
            format: inputs.manifest.format,
            constraints: &inputs.manifest.limits(),
            past: &self.past,
            freeze: self.freeze,
            last_best: self.last_best.as_ref(),
            decisions: &self.decisions,
            own: &inputs.manifest.controls,
        })
    }
}

fn decisions(inputs: &RoundInputs) -> Result<Vec<Vec<Holding>>, FileError> {
    let runs = inputs.folder.runs()?;
    let Ok(record) = official_run(&runs, inputs.manifest.record_rules()) else {
        return Ok(Vec::new());
    };
    let folder = inputs.folder.run(&record.run_id)?;
    let checked = validate_run(inputs, &folder, record.rules)?;
    let valid = checked.into_iter().filter_map(|file| file.verdict.ok());
    Ok(valid.map(|valid| valid.decision.holdings()).collect())
}

/// The best option of the round that was resolved last before this one's deadline.
pub(crate) fn last_best(inputs: &RoundInputs) -> Result<Option<LastBest>, FileError> {
    let mut earlier = Vec::new();
    for folder in list_rounds(&inputs.folder.rounds())? {
        let other = folder.parse(layout::MANIFEST, manifest::parse)?;
        if precedes(&other, &inputs.manifest) {
            earlier.push((other, folder));
        }
    }
    earlier
        .sort_by_key(|(other, _)| Reverse((other.window.map(|w| w.exit), other.round_id.clone())));
    for (other, folder) in earlier {
        if let Some(option_id) = best_option(folder)? {
            return Ok(Some(LastBest {
                round_id: other.round_id,
                option_id,
            }));
        }
    }
    Ok(None)
}

/// The best option of a round beside this one, where it is there and priced.
pub(crate) fn best_beside(
    inputs: &RoundInputs,
    round_id: &RoundId,
) -> Result<Option<OptionId>, FileError> {
    let path = inputs.folder.rounds().join(round_id.as_str());
    if !RoundFolder::is_round(&path) {
        return Ok(None);
    }
    best_option(RoundFolder::open(&path)?)
}

/// Same track, part of the record, and over when this round was decided.
fn precedes(other: &Manifest, own: &Manifest) -> bool {
    let deadline = own.decision_deadline.as_ref().map(WrittenInstant::at);
    let exit = other
        .window
        .and_then(|window| window.market.close_at(window.exit));
    other.track() == own.track()
        && other.stream == Stream::Primary
        && exit.zip(deadline).is_some_and(|(exit, end)| exit < end)
}

/// The best option of a round whose universe is fully priced.
fn best_option(folder: RoundFolder) -> Result<Option<OptionId>, FileError> {
    let sheets = folder.sheet(Side::Entry)?.zip(folder.sheet(Side::Exit)?);
    let Some((entry, exit)) = sheets else {
        return Ok(None);
    };
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    let returns = RoundReturns::new(&inputs.universe, &entry, &exit, &BTreeSet::new());
    let best = returns.ok().and_then(|returns| {
        let first = returns.by_rank().into_iter().next()?;
        first.rank.map(|_| first.option_id.clone())
    });
    Ok(best)
}
