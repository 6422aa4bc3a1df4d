//! What may change when a run is resumed: keys, addresses within the frozen hosts, and by a signed
//! repair the name of a model that its provider does not offer.

use capitalbench_archive::format::round::models::ModelSettings;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{
    AttemptRecord, Ledger, PlannedSlot, Repair, RunPlan, refusal_to_rename,
};
use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::round::manifest::host_of;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::plan::frozen_settings;
use super::price_card::PriceBook;
use super::providers::base_url;
use super::run::AskRequest;
use crate::error::Error;

/// What a refused change ends with.
const ALLOWED: &str = "a resumed run may change api_key_env and base_url only; put back what the run \
                       began with, or begin another run";

/// Another name on the wire for a model of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    pub model_id: ModelId,
    /// The provider's own name for the model.
    pub to: String,
    /// Why, for readers of the record.
    pub reason: String,
}

/// A models file that was read for a resumed run.
#[derive(Clone, Copy)]
pub(super) struct ResumedModels<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) models: &'a [ModelSettings],
    pub(super) digest: &'a str,
}

impl ResumedModels<'_> {
    /// Refuses a models file that would ask otherwise than the run began.
    pub(super) fn require_same(
        &self,
        inputs: &RoundInputs,
        renames: &[Rename],
    ) -> Result<(), Error> {
        let plan = self.ledger.plan();
        if plan.models_sha256 == self.digest {
            return Ok(());
        }
        // Plans of older versions, and rehearsals, hold only the digest of the file.
        if plan.slots.iter().any(|planned| planned.settings.is_none()) {
            let text = format!("--models: {} began with another file", plan.run_id);
            return Err(Error::new(text).hint("resume with the very same configuration"));
        }
        for planned in &plan.slots {
            let model = find(self.models, &planned.slot.model_id)?;
            self.require_same_model(planned, model, renames)?;
            self.require_host(planned, model, inputs)?;
        }
        Ok(())
    }

    fn require_same_model(
        &self,
        planned: &PlannedSlot,
        model: &ModelSettings,
        renames: &[Rename],
    ) -> Result<(), Error> {
        let id = &planned.slot.model_id;
        let name = &model.contestant.api_model_name;
        let repairs = self.ledger.repairs().iter();
        let repairs = repairs.filter(|repair| repair.model_id == *id);
        let known = |name: &String| {
            *name == planned.api_model_name
                || repairs.clone().any(|repair| repair.from == *name)
                || renames
                    .iter()
                    .any(|rename| rename.model_id == *id && rename.to == *name)
        };
        if !known(name) {
            let text = format!(
                "{id}: api_model_name: was {} when the run began and is now {name}",
                planned.api_model_name
            );
            let hint = format!(
                "another name needs a repair: --resume --rename-model {id}={name} --reason TEXT"
            );
            return Err(Error::new(text).hint(hint));
        }
        let (then, now) = (frozen(planned), frozen_now(model));
        let fields = then
            .as_object()
            .into_iter()
            .chain(now.as_object())
            .flatten();
        for (field, _) in fields {
            let (then, now) = (&then[field], &now[field]);
            if then != now {
                let text = format!("{id}: {field}: was {then} when the run began and is now {now}");
                return Err(Error::new(text).hint(ALLOWED));
            }
        }
        Ok(())
    }

    /// The address may change only within the hosts that the manifest froze, or those that the run
    /// asked before where it froze none.
    fn require_host(
        &self,
        planned: &PlannedSlot,
        model: &ModelSettings,
        inputs: &RoundInputs,
    ) -> Result<(), Error> {
        if self.ledger.plan().calls != Calls::Real {
            return Ok(());
        }
        let mut hosts = inputs.manifest.origins.provider_hosts.clone();
        if hosts.is_empty() {
            let attempts = self.ledger.attempts(&planned.slot)?;
            let asked = attempts.iter();
            let asked = asked.filter_map(|attempt| host_of(attempt.begun.base_url.as_deref()?));
            hosts = asked.collect();
        }
        let host = base_url(model).and_then(host_of).unwrap_or_default();
        if hosts.is_empty() || hosts.contains(&host) {
            return Ok(());
        }
        let id = &planned.slot.model_id;
        let text = format!(
            "{id}: base_url: leads to {host}; this run may ask {}",
            hosts.join(", ")
        );
        Err(Error::new(text).hint("correct base_url in the models file"))
    }
}

/// What the plan froze about a model, by the names of the models file.
fn frozen(planned: &PlannedSlot) -> Value {
    let mut fields = json!(planned.settings);
    fields["provider"] = json!(planned.provider);
    fields["display_name"] = json!(planned.display_name);
    fields["continues"] = json!(planned.continues.as_ref().map(ModelId::as_str));
    fields
}

/// The same from the models file of now.
fn frozen_now(model: &ModelSettings) -> Value {
    frozen(&frozen_settings(model, 1))
}

fn find<'a>(models: &'a [ModelSettings], id: &ModelId) -> Result<&'a ModelSettings, Error> {
    let found = models.iter().find(|model| model.contestant.model_id == *id);
    found.ok_or_else(|| {
        Error::new(format!(
            "{id}: the run asks it, and the models file lacks it"
        ))
        .hint("put its entry back into the models file")
    })
}

/// The repairs that the operator wants, checked and with their prices; nothing is written.
pub(super) fn repairs(
    request: &AskRequest,
    ledger: &Ledger,
    input: &str,
    now: Timestamp,
) -> Result<Vec<Repair>, Error> {
    let mut repairs = Vec::new();
    if request.renames.is_empty() {
        return Ok(repairs);
    }
    let book = PriceBook::open(request.pricing.as_deref(), Some(now))?;
    let book = book.named_from(request.home.as_deref());
    for rename in &request.renames {
        let id = &rename.model_id;
        let plan = ledger.plan().repaired(&repairs);
        let planned = require_renamable(rename, ledger, &plan)?;
        let (prices, price_cards) = book.prices([(&planned.provider, &rename.to)], input);
        repairs.push(Repair {
            number: (ledger.repairs().len() + repairs.len() + 1) as u64,
            model_id: id.clone(),
            from: planned.api_model_name.clone(),
            to: rename.to.clone(),
            reason: rename.reason.clone(),
            repaired_at_utc: WrittenInstant::of(now),
            price: prices.into_iter().next(),
            price_cards,
        });
    }
    Ok(repairs)
}

/// The planned slot of a model that may get another name.
fn require_renamable(
    rename: &Rename,
    ledger: &Ledger,
    plan: &RunPlan,
) -> Result<PlannedSlot, Error> {
    let id = &rename.model_id;
    let slots = plan.slots.iter();
    let slots: Vec<&PlannedSlot> = slots.filter(|own| own.slot.model_id == *id).collect();
    let Some(first) = slots.first() else {
        let names = plan.model_ids().join(", ");
        let text = format!("--rename-model {id}: {} has no such model", plan.run_id);
        return Err(Error::new(text).hint(format!("its models are {names}")));
    };
    if first.api_model_name == rename.to {
        let text = format!("--rename-model {id}: its name is {} already", rename.to);
        return Err(Error::new(text).hint("resume without --rename-model"));
    }
    let mut attempts: Vec<AttemptStatus> = Vec::new();
    for planned in &slots {
        let records = ledger.attempts(&planned.slot)?;
        attempts.extend(records.iter().map(AttemptRecord::status));
    }
    if let Some(problem) = refusal_to_rename(&attempts) {
        let text = format!("--rename-model {id}: {problem}");
        let hint = "only a model whose every call was turned away can get another name";
        return Err(Error::new(text).hint(hint));
    }
    Ok((*first).clone())
}
