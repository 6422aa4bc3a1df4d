//! What a run will ask: models, kind, replicates, name.

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::round::cast::RoundCast;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs};
use capitalbench_archive::run::ledger::{Ledger, PlannedSlot, Repair, RunPlan};
use capitalbench_archive::run::run_controls::PROVIDER;
use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::call_settings::CallSettings;
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::{Digest, ModelId, RunId};
use capitalbench_core::values::time::WrittenInstant;
use jiff::Timestamp;

use super::price_card::PriceBook;
use super::providers::is_offline;
use super::question::Question;
use super::repair::{ResumedModels, repairs};
use super::run::{AskRequest, Permission};
use crate::error::Error;
use crate::opening::continued::require_continuable;
use crate::operator::clock::Clock;
use crate::operator::files::read;

/// Calls per model of a stability run.
const REPLICATES: u32 = 5;

/// A plan and what it was made from.
pub(super) struct Prepared {
    pub(super) plan: RunPlan,
    pub(super) models: Vec<ModelSettings>,
    /// New names of models, not written yet.
    pub(super) repairs: Vec<Repair>,
    /// The frozen text, before the lines that name a model.
    pub(super) input: String,
}

/// Plans a new run, or takes the plan of the one that is resumed.
pub(super) fn prepare(
    request: &AskRequest,
    question: &Question,
    clock: Clock,
    ledger: Option<&Ledger>,
) -> Result<Prepared, Error> {
    let (inputs, input) = (&question.inputs, question.text.clone());
    let (models, models_sha256) = read(&request.models, |bytes| {
        Ok((models::parse_settings(bytes)?, Digest::of(bytes).to_hex()))
    })?;
    let input_sha256 = Digest::of(input.as_bytes()).to_hex();
    let (plan, repairs) = if let Some(ledger) = ledger {
        let plan = resumed(request, ledger.plan())?;
        if plan.input_sha256 != input_sha256 {
            let text = "the model input is not the one the run began with";
            return Err(Error::new(text));
        }
        let resumed = ResumedModels {
            ledger,
            models: &models,
            digest: &models_sha256,
        };
        resumed.require_same(inputs, &request.renames)?;
        let repairs = repairs(request, ledger, &input, clock.now())?;
        (plan.repaired(&repairs), repairs)
    } else {
        let plan = new_plan(request, inputs, &models, clock.now())?;
        let plan = RunPlan {
            models_sha256,
            input_sha256,
            ..priced(request, plan, &input)?
        };
        refuse_late(&plan, &inputs.manifest, clock.now())?;
        (plan, Vec::new())
    };
    let allowed = request.permission == Permission::RealCalls || request.dry_run;
    if plan.calls == Calls::Real && !allowed {
        let text = "this run would ask real providers, which is not allowed";
        let hint = "allow it with --allow-real-api-calls, or rehearse with --mock";
        return Err(Error::new(text).hint(hint));
    }
    Ok(Prepared {
        plan,
        models,
        repairs,
        input,
    })
}

fn resumed(request: &AskRequest, plan: &RunPlan) -> Result<RunPlan, Error> {
    let other_kind = request.kind.is_some_and(|kind| kind != plan.rules.kind);
    let other_count = request
        .replicates
        .is_some_and(|count| count != plan.rules.replicates);
    let other_calls = request.permission == Permission::Mock && plan.calls == Calls::Real;
    if other_kind || other_count || other_calls {
        let text = format!("{} began with another type, count or --mock", plan.run_id);
        return Err(Error::new(text));
    }
    Ok(plan.clone())
}

fn new_plan(
    request: &AskRequest,
    inputs: &RoundInputs,
    models: &[ModelSettings],
    now: Timestamp,
) -> Result<RunPlan, Error> {
    let manifest = &inputs.manifest;
    let rules = rules(request, manifest)?;
    if rules.kind.lane().is_some() {
        require_record(&inputs.folder)?;
    }
    let mut asked = participants(models, manifest, rules.kind, now);
    keep_only(&mut asked, &request.only)?;
    let offline = |model: &&ModelSettings| is_offline(&model.contestant.provider);
    let rehearsed = request.permission == Permission::Mock || asked.iter().all(offline);
    let calls = match (rehearsed, manifest.stream, rules.kind) {
        (false, Stream::Synthetic, _) => {
            let text = "the market of this round is invented; no real provider is asked about it";
            return Err(Error::new(text).hint("add --mock"));
        }
        (false, ..) => Calls::Real,
        (true, Stream::Synthetic, RunKind::Official | RunKind::Lane(_)) => Calls::Synthetic,
        (true, ..) => Calls::Mock,
    };
    if rules.kind == RunKind::Mock && calls == Calls::Real {
        let text = "--run-type mock asks no provider";
        return Err(Error::new(text).hint("add --mock"));
    }
    require_roster(manifest, rules.kind, calls, &asked)?;
    if rules.kind == RunKind::Official && calls != Calls::Mock {
        let models = asked.iter();
        let models = models.map(|own| (&own.contestant.model_id, own.continues.as_ref()));
        require_continuable(&inputs.folder.rounds(), &RoundCast::new(manifest, models))?;
    }
    if let Some(model) = asked.iter().find(|m| m.contestant.provider == PROVIDER) {
        let id = &model.contestant.model_id;
        let text = format!("{id}: the provider {PROVIDER} is kept for control entrants");
        return Err(Error::new(text));
    }
    Ok(RunPlan {
        run_id: match &request.run_id {
            Some(id) => id.clone(),
            None => default_id(rules.kind, now)?,
        },
        round_id: manifest.round_id.clone(),
        rules,
        calls,
        created_at: WrittenInstant::of(now),
        models_file: request.named(&request.models),
        models_sha256: String::new(),
        pricing_file: None,
        price_cards: Vec::new(),
        prices: Vec::new(),
        controls: request.controls && has_controls(manifest, rules.kind),
        seed: request.seed,
        max_retries: request.max_retries,
        input_sha256: String::new(),
        skipped_models: (models.len() - asked.len()) as u64,
        slots: slots(&asked, rules, calls),
    })
}

/// One slot per model and replicate.
fn slots(asked: &[&ModelSettings], rules: RunRules, calls: Calls) -> Vec<PlannedSlot> {
    let mut slots = Vec::new();
    for model in asked {
        for replicate in 1..=rules.replicates {
            let planned = frozen_settings(model, replicate);
            // The mock asks for nothing, so a rehearsal freezes no settings.
            let settings = planned.settings.filter(|_| calls == Calls::Real);
            slots.push(PlannedSlot {
                settings,
                ..planned
            });
        }
    }
    slots
}

/// The slot of a model, with everything about its calls that a resumed run must not change.
pub(super) fn frozen_settings(model: &ModelSettings, replicate: u32) -> PlannedSlot {
    let contestant = &model.contestant;
    let settings = CallSettings {
        max_output_tokens: Some(model.max_output_tokens),
        time_limit: Some(model.time_limit.as_secs_f64()),
        ..model.settings.clone()
    };
    PlannedSlot {
        slot: Slot {
            model_id: contestant.model_id.clone(),
            replicate,
        },
        provider: contestant.provider.clone(),
        api_model_name: contestant.api_model_name.clone(),
        settings: Some(settings),
        display_name: model.display_name.clone(),
        continues: model.continues.clone(),
    }
}

/// A plan with what every model is billed.
fn priced(request: &AskRequest, plan: RunPlan, input: &str) -> Result<RunPlan, Error> {
    let real = plan.calls == Calls::Real || request.dry_run;
    let shipped_at = real.then(|| plan.created_at.at());
    let book = PriceBook::open(request.pricing.as_deref(), shipped_at)?;
    let book = book.named_from(request.home.as_deref());
    let models = plan.slots.iter().map(|s| (&s.provider, &s.api_model_name));
    let (prices, price_cards) = book.prices(models, input);
    Ok(RunPlan {
        pricing_file: book.file(),
        price_cards,
        prices,
        ..plan
    })
}

/// Controls stand beside official runs and rehearsals of rounds under our own labels.
fn has_controls(manifest: &Manifest, kind: RunKind) -> bool {
    let ours = manifest.methodology.enforcement() == Enforcement::Refuse;
    ours && matches!(kind, RunKind::Official | RunKind::Mock)
}

/// Lanes never stand in the way of the record, nor before it.
fn require_record(folder: &RoundFolder) -> Result<(), Error> {
    for id in folder.run_ids()? {
        if folder.run(&id)?.has(layout::run::ACCEPTANCE) {
            return Ok(());
        }
    }
    let text = format!(
        "{} has no record yet, and twin lanes are asked after it",
        folder.name()
    );
    Err(Error::new(text).hint("accept a run with `capitalbench accept-run` first"))
}

fn rules(request: &AskRequest, manifest: &Manifest) -> Result<RunRules, Error> {
    let default = match request.permission {
        Permission::Mock => RunKind::Mock,
        Permission::Offline | Permission::RealCalls => RunKind::Official,
    };
    let kind = request.kind.unwrap_or(default);
    let (least, most, default) = match kind {
        RunKind::Consistency => (2, 100, REPLICATES),
        RunKind::Lane(lane) => {
            let planned = manifest.lane_replicates(lane).ok_or_else(|| {
                let (id, lane) = (&manifest.round_id, lane.as_str());
                Error::new(format!("the manifest of {id} plans no lane {lane}"))
                    .hint("a round plans its lanes when it is created: `init-round --lanes`")
            })?;
            (planned, planned, planned)
        }
        _ => (1, 1, 1),
    };
    let replicates = request.replicates.unwrap_or(default);
    if !(least..=most).contains(&replicates) {
        let word = kind.as_str();
        let text = format!("--replicates {replicates}: a {word} run has {least} to {most}");
        return Err(Error::new(text));
    }
    Ok(RunRules { kind, replicates })
}

fn participants<'a>(
    models: &'a [ModelSettings],
    manifest: &Manifest,
    kind: RunKind,
    now: Timestamp,
) -> Vec<&'a ModelSettings> {
    let deadline = manifest
        .decision_deadline
        .as_ref()
        .map_or(now, WrittenInstant::at);
    let roster = manifest.roster.as_ref();
    models
        .iter()
        .filter(|model| model.mode == MODE)
        .filter(|model| {
            let part = model
                .contestant
                .takes_part(&manifest.round_id, deadline, roster, kind);
            part.is_ok()
        })
        .collect()
}

/// Keeps the models that were named; a name that is not configured is a mistake.
fn keep_only(asked: &mut Vec<&ModelSettings>, only: &[ModelId]) -> Result<(), Error> {
    let has = |id: &ModelId, model: &&ModelSettings| model.contestant.model_id == *id;
    if let Some(id) = only.iter().find(|id| !asked.iter().any(|own| has(id, own))) {
        let text = format!("no configured model that can be asked is called {id}");
        return Err(Error::new(text));
    }
    if !only.is_empty() {
        asked.retain(|own| only.iter().any(|id| has(id, own)));
    }
    Ok(())
}

/// Some model must take part; an official run with real calls asks exactly the frozen roster.
fn require_roster(
    manifest: &Manifest,
    kind: RunKind,
    calls: Calls,
    asked: &[&ModelSettings],
) -> Result<(), Error> {
    if asked.is_empty() {
        return Err(Error::new("no configured model takes part in this round"));
    }
    let Some(roster) = &manifest.roster else {
        return Ok(());
    };
    let is_asked = |id: &&ModelId| asked.iter().any(|model| model.contestant.model_id == **id);
    let missing: Vec<&str> = roster
        .model_ids
        .iter()
        .filter(|id| !is_asked(id))
        .map(ModelId::as_str)
        .collect();
    if kind == RunKind::Official && calls == Calls::Real && !missing.is_empty() {
        let text = format!("the frozen roster also expects {}", missing.join(", "));
        return Err(Error::new(text).hint("an official run asks every expected model"));
    }
    Ok(())
}

fn default_id(kind: RunKind, now: Timestamp) -> Result<RunId, Error> {
    let text = format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), kind.as_str());
    RunId::parse(&text).map_err(|error| Error::new(error.to_string()))
}

/// After the deadline no run for the record begins; one that is open may still be closed.
pub(super) fn refuse_late(
    plan: &RunPlan,
    manifest: &Manifest,
    now: Timestamp,
) -> Result<(), Error> {
    let deadline = manifest.decision_deadline.as_ref();
    let late = deadline.is_some_and(|deadline| now >= deadline.at());
    let close = manifest.lane_deadline();
    if plan.rules.kind.lane().is_some() && close.is_some_and(|close| now >= close) {
        let text = "the entry close has passed; no twin lane can begin";
        return Err(Error::new(text).hint("the round is whole without it"));
    }
    if plan.rules.kind == RunKind::Official && late {
        let text = "the decision deadline has passed; no official run can begin";
        return Err(Error::new(text).hint("ask after the fact with --run-type retrospective"));
    }
    Ok(())
}
