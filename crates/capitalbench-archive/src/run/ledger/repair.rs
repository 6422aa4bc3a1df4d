//! Repairs of a run: another name on the wire for a model whose provider knows none of the first.
//!
//! ```text
//! runs/<run_id>/repairs/NNN.json   before the next attempt of the model
//! ```

use capitalbench_core::asking::attempt::{AttemptStatus, counted};
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CardNote, PlannedPrice, PlannedSlot, RunPlan};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::round::round_folder::entries_in;
use crate::run::run_folder::RunFolder;

/// One model gets another name on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repair {
    /// Which repair of the run, from 1.
    pub number: u64,
    pub model_id: ModelId,
    /// The name that was asked for before.
    pub from: String,
    /// The name that is asked for from now on.
    pub to: String,
    /// The operator's reason.
    pub reason: String,
    pub repaired_at_utc: WrittenInstant,
    /// What the model costs under its new name; none when no card has it.
    pub price: Option<PlannedPrice>,
    /// Where that price comes from.
    pub price_cards: Vec<CardNote>,
}

impl Repair {
    /// The file of a repair inside its run.
    pub fn path(number: u64) -> String {
        format!("{}/{number:03}.json", run::REPAIRS)
    }

    pub fn at(&self) -> Timestamp {
        self.repaired_at_utc.at()
    }

    /// Refuses what this program never writes.
    fn check(&self, number: u64, plan: &RunPlan, before: &[Self]) -> Result<(), Fault> {
        let planned = plan.slots.iter();
        let planned = planned
            .filter(|planned| planned.slot.model_id == self.model_id)
            .map(|planned| (planned.provider.as_str(), name_now(planned, before)))
            .next();
        let Some((provider, name)) = planned else {
            return Err(wrong("model_id", "is no model of the run"));
        };
        let is_own = |price: &PlannedPrice| {
            (price.provider.as_str(), &price.api_model_name) == (provider, &self.to)
        };
        let told = [
            (
                "number",
                self.number == number,
                "does not match the name of the file",
            ),
            (
                "from",
                self.from == name,
                "is not the name that the model had before",
            ),
            ("to", self.to != self.from, "is the name of before"),
            ("to", !self.to.trim().is_empty(), "is blank"),
            ("reason", !self.reason.trim().is_empty(), "is blank"),
            (
                "price",
                self.price.as_ref().is_none_or(is_own),
                "is the price of another model",
            ),
            (
                "repaired_at_utc",
                before.last().is_none_or(|last| last.at() <= self.at()),
                "is before the repair before it",
            ),
        ];
        match told.into_iter().find(|(_, holds, _)| !holds) {
            Some((field, _, problem)) => Err(wrong(field, problem)),
            None => Ok(()),
        }
    }
}

fn wrong(field: &str, problem: &str) -> Fault {
    let remedy = "restore the file that the program wrote; until then no model is called";
    Fault::field(field, format!("{problem}; {remedy}"))
}

/// The repairs of a run in their order; refuses a gap, a strange file and a strange word.
pub fn repairs_of(folder: &RunFolder, plan: &RunPlan) -> Result<Vec<Repair>, FileError> {
    let place = folder.file(run::REPAIRS);
    if !place.is_dir() {
        return Ok(Vec::new());
    }
    let mut names: Vec<String> = entries_in(&place)?.into_iter().map(|own| own.0).collect();
    names.sort_unstable();
    let mut repairs = Vec::new();
    for (number, name) in (1..).zip(names) {
        let path = Repair::path(number);
        if path != format!("{}/{name}", run::REPAIRS) {
            let text = format!(
                "is not the next repair, {path}; move it out of the folder, or restore the ones \
                 before it; until then no model is called"
            );
            return Err(Fault::new(text).in_file(&place.join(name)));
        }
        let repair = folder.parse(&path, |bytes| {
            let repair: Repair = json::read(bytes)?;
            repair.check(number, plan, &repairs)?;
            Ok(repair)
        })?;
        repairs.push(repair);
    }
    Ok(repairs)
}

/// The name under which a planned model is asked after these repairs.
pub fn name_now<'a>(planned: &'a PlannedSlot, repairs: &'a [Repair]) -> &'a str {
    name_at(planned, repairs, Timestamp::MAX)
}

/// The name under which a planned model was to be asked at an instant.
pub fn name_at<'a>(planned: &'a PlannedSlot, repairs: &'a [Repair], at: Timestamp) -> &'a str {
    let own = repairs
        .iter()
        .filter(|own| own.model_id == planned.slot.model_id);
    let before = own.clone().rfind(|own| own.at() <= at);
    match before {
        Some(repair) => &repair.to,
        None => own
            .clone()
            .next()
            .map_or(planned.api_model_name.as_str(), |first| &first.from),
    }
}

impl RunPlan {
    /// The plan with the names and prices that these repairs give.
    #[must_use]
    pub fn repaired(&self, repairs: &[Repair]) -> Self {
        let mut plan = self.clone();
        for repair in repairs {
            let own = |planned: &&mut PlannedSlot| planned.slot.model_id == repair.model_id;
            for planned in plan.slots.iter_mut().filter(own) {
                planned.api_model_name.clone_from(&repair.to);
            }
            plan.prices.extend(repair.price.clone());
            for card in &repair.price_cards {
                if !plan.price_cards.contains(card) {
                    plan.price_cards.push(card.clone());
                }
            }
        }
        plan
    }
}

/// Why a model may not get another name after these attempts; none when it may.
///
/// A model that may have generated something keeps its name: another one could be chosen by what the
/// first one said.
pub fn refusal_to_rename(attempts: &[AttemptStatus]) -> Option<&'static str> {
    if attempts.is_empty() {
        return Some("it was not asked under its present name");
    }
    (counted(attempts) > 0).then_some("an attempt under its present name may have been answered")
}

#[cfg(test)]
mod tests;
