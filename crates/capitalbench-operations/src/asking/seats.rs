//! Slots of a plan → everything needed to ask them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use capitalbench_adapters::provider::Provider;
use capitalbench_archive::format::round::models::ModelSettings;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{Ledger, PlannedSlot};
use capitalbench_core::asking::cost::{Cost, TokenPrice};
use capitalbench_core::asking::prompt::call_suffix;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::values::ids::ModelId;

use super::plan::Prepared;
use super::providers::{ProviderSettings, base_url, key_variable, open_provider, served_models};
use super::run::MissingKeys;
use crate::error::Error;
use crate::operator::Operator;

/// What to do about a model without a price.
pub const UNPRICED: &str =
    "write it into configs/pricing.yaml, 0 for a model of your own, or give --pricing FILE";

/// A slot with everything needed to ask it.
pub struct Seat {
    pub planned: PlannedSlot,
    pub provider: Arc<dyn Provider>,
    pub input: String,
    pub max_output_tokens: u64,
    pub time_limit: Duration,
    pub price: Option<TokenPrice>,
    pub worst_case: Cost,
    /// Names under which the requested model may answer.
    pub served_models: Vec<String>,
    /// Where it is asked; none without a network.
    pub base_url: Option<String>,
    /// The variable that holds its key.
    pub key_variable: Option<String>,
    /// Whether that variable is not set: the model cannot be asked, and its slot stays open.
    pub lacks_key: bool,
}

/// What seats are made with.
pub(super) struct Known<'a> {
    pub(super) operator: &'a Operator,
    pub(super) inputs: &'a RoundInputs,
    pub(super) ledger: Option<&'a Ledger>,
    pub(super) missing_keys: MissingKeys,
}

/// One seat per slot; the slots of a model share their provider.
pub(super) fn seats(known: &Known<'_>, prepared: &Prepared) -> Result<Vec<Seat>, Error> {
    let plan = &prepared.plan;
    let mut opened: BTreeMap<&ModelId, Arc<dyn Provider>> = BTreeMap::new();
    let mut seats = Vec::new();
    for planned in &plan.slots {
        let id = &planned.slot.model_id;
        let settings = &settings_of(planned, prepared)?;
        let lacks_key = known.missing_keys == MissingKeys::LeaveOpen
            && plan.calls == Calls::Real
            && key_variable(settings)
                .is_some_and(|name| known.operator.configuration.get(name).is_none());
        let provider = match opened.entry(id) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => {
                let settings = ProviderSettings {
                    model: settings,
                    inputs: known.inputs,
                    plan,
                    attempts_made: attempts_made(&plan.slots, id, known.ledger)?,
                    now: known.operator.clock.now(),
                    lacks_key,
                };
                let provider = open_provider(&known.operator.configuration, &settings)?;
                Arc::clone(new.insert(Arc::from(provider)))
            }
        };
        let suffix = call_suffix(&known.inputs.manifest, id, &planned.provider);
        let input = format!("{}\n{suffix}", prepared.input);
        let price = plan.price(&planned.provider, &planned.api_model_name);
        let tokens = estimate(&input, &planned.provider);
        let worst = price.map(|price| price.worst_case(tokens, settings.max_output_tokens));
        seats.push(Seat {
            planned: planned.clone(),
            provider,
            input,
            max_output_tokens: settings.max_output_tokens,
            time_limit: settings.time_limit,
            price,
            worst_case: worst.unwrap_or(Cost::ZERO),
            served_models: served_models(settings),
            base_url: match plan.calls {
                Calls::Real => base_url(settings).map(str::to_owned),
                _ => None,
            },
            key_variable: key_variable(settings).map(str::to_owned),
            lacks_key,
        });
    }
    Ok(seats)
}

/// How the model of a slot is asked, under the name that a repair may have given it.
fn settings_of(planned: &PlannedSlot, prepared: &Prepared) -> Result<ModelSettings, Error> {
    let id = &planned.slot.model_id;
    let mut models = prepared.models.iter();
    let settings = models.find(|own| own.contestant.model_id == *id);
    let settings =
        settings.ok_or_else(|| Error::new(format!("{id} is not in the configuration")))?;
    let mut settings = settings.clone();
    let name = &mut settings.contestant.api_model_name;
    name.clone_from(&planned.api_model_name);
    Ok(settings)
}

fn attempts_made(
    slots: &[PlannedSlot],
    model_id: &ModelId,
    ledger: Option<&Ledger>,
) -> Result<usize, Error> {
    let Some(ledger) = ledger else {
        return Ok(0);
    };
    let mut count = 0;
    for planned in slots.iter().filter(|p| p.slot.model_id == *model_id) {
        count += ledger.attempts(&planned.slot)?.len();
    }
    Ok(count)
}

/// The cap as typed; it cannot be kept when a price is unknown.
pub(super) fn cap(max_cost_usd: Option<f64>, seats: &[Seat]) -> Result<Option<Cost>, Error> {
    let Some(usd) = max_cost_usd else {
        return Ok(None);
    };
    let cap = Cost::from_usd(usd)
        .ok_or_else(|| Error::new(format!("--max-cost-usd {usd}: must be a sum of money")))?;
    require_prices("--max-cost-usd", seats)?;
    Ok(Some(cap))
}

/// A limit can be kept only where every price is known.
pub(super) fn require_prices(limit: &str, seats: &[Seat]) -> Result<(), Error> {
    let Some(seat) = seats.iter().find(|seat| seat.price.is_none()) else {
        return Ok(());
    };
    let planned = &seat.planned;
    let text = format!(
        "{limit} cannot be kept: no price of {} {}",
        planned.provider, planned.api_model_name
    );
    Err(Error::new(text).hint(UNPRICED))
}
