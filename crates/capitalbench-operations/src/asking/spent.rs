//! What the runs of a round have cost for certain, or may have cost.

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::format::round::models::ModelSettings;
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_archive::run::ledger::{PlannedSlot, RunPlan, attempts_of, repairs_of};
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::prompt::call_suffix;
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::round::manifest::Manifest;
use capitalbench_core::values::ids::RunId;

use super::engine::cost_of;
use crate::error::Error;

/// The runs of a round that are added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs<'a> {
    All,
    /// The budget of a run that goes on counts its own attempts itself.
    Except(&'a RunId),
}

/// The sum over the ledgers of a round. An attempt whose outcome nobody saw counts at its worst case;
/// `models` tells the longest reply where a plan does not.
pub fn spent_on(
    round: &RoundFolder,
    runs: Runs<'_>,
    models: &[ModelSettings],
) -> Result<Cost, Error> {
    let mut sum = Cost::ZERO;
    let ids = round.run_ids()?;
    let counted = ids.iter().filter(|id| runs != Runs::Except(id));
    let mut calls = None;
    for id in counted {
        let run = round.run(id)?;
        let Some(plan) = RunPlan::of_run(&run)? else {
            continue;
        };
        if calls.is_none() {
            let input = round
                .read_optional(layout::MODEL_INPUT)?
                .unwrap_or_default();
            calls = Some(Calls {
                manifest: round.parse(layout::MANIFEST, manifest::parse)?,
                input: String::from_utf8_lossy(&input).into_owned(),
                models,
            });
        }
        if let Some(calls) = &calls {
            sum = sum.plus(calls.of_run(&run, &plan)?);
        }
    }
    Ok(sum)
}

/// What every call of a round is sent.
struct Calls<'a> {
    manifest: Manifest,
    input: String,
    models: &'a [ModelSettings],
}

impl Calls<'_> {
    fn of_run(&self, run: &RunFolder, plan: &RunPlan) -> Result<Cost, Error> {
        let plan = plan.repaired(&repairs_of(run, plan)?);
        let mut sum = Cost::ZERO;
        for planned in &plan.slots {
            let attempts = attempts_of(run, &plan, &planned.slot)?;
            if attempts.is_empty() {
                continue;
            }
            let worst = self.worst_case(&plan, planned);
            for attempt in attempts {
                let ended = attempt.ended.as_ref();
                sum = sum.plus(ended.map_or(worst, |ended| cost_of(ended, worst)));
            }
        }
        Ok(sum)
    }

    /// The most that one call of a slot costs; nothing where it has no price.
    fn worst_case(&self, plan: &RunPlan, planned: &PlannedSlot) -> Cost {
        let id = &planned.slot.model_id;
        let Some(price) = plan.price(&planned.provider, &planned.api_model_name) else {
            return Cost::ZERO;
        };
        let settings = planned.settings.as_ref();
        let most = settings.and_then(|own| own.max_output_tokens).or_else(|| {
            let model = self
                .models
                .iter()
                .find(|own| own.contestant.model_id == *id);
            model.map(|own| own.max_output_tokens)
        });
        let suffix = call_suffix(&self.manifest, id, &planned.provider);
        let tokens = estimate(&format!("{}\n{suffix}", self.input), &planned.provider);
        price.worst_case(tokens, most.unwrap_or(0))
    }
}
