//! What a run will ask: models, kind, replicates, name.

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_archive::round::model_input::assembled;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_archive::run::ledger::{PlannedSlot, RunPlan};
use capitalbench_archive::run::run_controls::PROVIDER;
use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::run::{Calls, RunKind, RunRules};
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::decision::submission::MODE;
use capitalbench_core::round::manifest::{Manifest, Stream};
use capitalbench_core::round::methodology::Enforcement;
use capitalbench_core::values::ids::{Digest, ModelId, RunId};
use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;

use crate::cli::RunRound;
use crate::clock::Clock;
use crate::commands::providers::is_offline;
use crate::commands::run_id;
use crate::error::CommandError;
use crate::price_card::{PriceBook, Shipped, Wanted};

/// Calls per model of a stability run.
const REPLICATES: u32 = 5;

/// A plan and what it was made from.
pub(super) struct Prepared {
    pub(super) plan: RunPlan,
    pub(super) models: Vec<ModelSettings>,
    /// The frozen text, before the lines that name a model.
    pub(super) input: String,
}

/// Plans a new run, or takes the plan of the one that is resumed.
pub(super) fn prepare(
    arguments: &RunRound,
    inputs: &RoundInputs,
    clock: Clock,
    stored: Option<&RunPlan>,
) -> Result<Prepared, CommandError> {
    let bytes = file_ops::read(&arguments.models).map_err(FileError::from)?;
    let models =
        models::parse_settings(&bytes).map_err(|fault| fault.in_file(&arguments.models))?;
    let input = input(inputs)?;
    let models_sha256 = Digest::of(&bytes).to_hex();
    let plan = match stored {
        Some(plan) => resumed(arguments, plan, &models_sha256)?,
        None => new_plan(arguments, inputs, &models, clock.now())
            .and_then(|plan| priced(arguments, plan, &input))?,
    };
    let plan = RunPlan {
        models_sha256,
        input_sha256: Digest::of(input.as_bytes()).to_hex(),
        ..plan
    };
    if stored.is_some_and(|stored| stored.input_sha256 != plan.input_sha256) {
        return Err(CommandError::new(
            "the model input is not the one the run began with",
        ));
    }
    if stored.is_none() {
        refuse_late(&plan, &inputs.manifest, clock.now())?;
    }
    let allowed = arguments.permission.allow_real_api_calls || arguments.course.consent.dry_run;
    if plan.calls == Calls::Real && !allowed {
        let text = "this run would ask real providers, which is not allowed";
        let hint = "allow it with --allow-real-api-calls, or rehearse with --mock";
        return Err(CommandError::new(text).hint(hint));
    }
    Ok(Prepared {
        plan,
        models,
        input,
    })
}

fn input(inputs: &RoundInputs) -> Result<String, CommandError> {
    let folder = &inputs.folder;
    match folder.read_optional(layout::MODEL_INPUT)? {
        None => Ok(assembled(inputs)?),
        Some(bytes) => String::from_utf8(bytes)
            .map_err(|_| CommandError::new(format!("{} is not text", layout::MODEL_INPUT))),
    }
}

fn resumed(
    arguments: &RunRound,
    plan: &RunPlan,
    models_sha256: &str,
) -> Result<RunPlan, CommandError> {
    if plan.models_sha256 != models_sha256 {
        let text = format!("--models: {} began with another file", plan.run_id);
        return Err(CommandError::new(text).hint("resume with the very same configuration"));
    }
    let other_kind = arguments
        .run_type
        .is_some_and(|kind| kind != plan.rules.kind);
    let other_count = arguments
        .replicates
        .is_some_and(|count| count != plan.rules.replicates);
    let other_calls = arguments.permission.mock && plan.calls == Calls::Real;
    if other_kind || other_count || other_calls {
        let text = format!("{} began with another type, count or --mock", plan.run_id);
        return Err(CommandError::new(text));
    }
    Ok(plan.clone())
}

fn new_plan(
    arguments: &RunRound,
    inputs: &RoundInputs,
    models: &[ModelSettings],
    now: Timestamp,
) -> Result<RunPlan, CommandError> {
    let manifest = &inputs.manifest;
    let rules = rules(arguments)?;
    let asked = participants(models, manifest, rules.kind, now);
    let offline = |model: &&ModelSettings| is_offline(&model.contestant.provider);
    let rehearsed = arguments.permission.mock || asked.iter().all(offline);
    let calls = match (rehearsed, manifest.stream, rules.kind) {
        (false, Stream::Synthetic, _) => {
            let text = "the market of this round is invented; no real provider is asked about it";
            return Err(CommandError::new(text).hint("add --mock"));
        }
        (false, ..) => Calls::Real,
        (true, Stream::Synthetic, RunKind::Official) => Calls::Synthetic,
        (true, ..) => Calls::Mock,
    };
    if rules.kind == RunKind::Mock && calls == Calls::Real {
        let text = "--run-type mock asks nobody";
        return Err(CommandError::new(text).hint("add --mock"));
    }
    require_roster(manifest, rules.kind, calls, &asked)?;
    if let Some(model) = asked.iter().find(|m| m.contestant.provider == PROVIDER) {
        let id = &model.contestant.model_id;
        let text = format!("{id}: the provider {PROVIDER} is kept for control entrants");
        return Err(CommandError::new(text));
    }
    let mut slots = Vec::new();
    for model in &asked {
        for replicate in 1..=rules.replicates {
            let contestant = &model.contestant;
            slots.push(PlannedSlot {
                slot: Slot {
                    model_id: contestant.model_id.clone(),
                    replicate,
                },
                provider: contestant.provider.clone(),
                api_model_name: contestant.api_model_name.clone(),
            });
        }
    }
    Ok(RunPlan {
        run_id: match run_id(arguments.run_id.as_deref())? {
            Some(id) => id,
            None => default_id(rules.kind, now)?,
        },
        round_id: manifest.round_id.clone(),
        rules,
        calls,
        created_at: Stamp::parse(&now.to_string())
            .ok_or_else(|| CommandError::new("the clock shows no instant"))?,
        models_file: arguments.models.display().to_string(),
        models_sha256: String::new(),
        pricing_file: None,
        price_cards: Vec::new(),
        prices: Vec::new(),
        controls: recorded_with_controls(arguments, manifest, rules.kind),
        seed: arguments.permission.rehearsal.seed,
        max_retries: arguments.limits.retries,
        input_sha256: String::new(),
        skipped_models: (models.len() - asked.len()) as u64,
        slots,
    })
}

/// A plan with what every model is billed.
fn priced(arguments: &RunRound, plan: RunPlan, input: &str) -> Result<RunPlan, CommandError> {
    let real = plan.calls == Calls::Real || arguments.course.consent.dry_run;
    let shipped = if real {
        Shipped::Asked
    } else {
        Shipped::LeftOut
    };
    let book = PriceBook::open(
        arguments.card.pricing.as_deref(),
        shipped,
        plan.created_at.at(),
    )?;
    let wanted: Vec<Wanted<'_>> = plan
        .slots
        .iter()
        .map(|planned| Wanted {
            provider: &planned.provider,
            api_model_name: &planned.api_model_name,
            input_tokens: estimate(input, &planned.provider),
        })
        .collect();
    let (prices, price_cards) = book.prices(&wanted);
    Ok(RunPlan {
        pricing_file: book.file(),
        price_cards,
        prices,
        ..plan
    })
}

/// Controls stand beside official runs and rehearsals of rounds under our own labels.
fn recorded_with_controls(arguments: &RunRound, manifest: &Manifest, kind: RunKind) -> bool {
    let ours = manifest.methodology.enforcement() == Enforcement::Refuse;
    ours && matches!(kind, RunKind::Official | RunKind::Mock) && !arguments.course.no_controls
}

fn rules(arguments: &RunRound) -> Result<RunRules, CommandError> {
    let default = if arguments.permission.mock {
        RunKind::Mock
    } else {
        RunKind::Official
    };
    let kind = arguments.run_type.unwrap_or(default);
    let (least, most, default) = match kind {
        RunKind::Consistency => (2, 100, REPLICATES),
        _ => (1, 1, 1),
    };
    let replicates = arguments.replicates.unwrap_or(default);
    if !(least..=most).contains(&replicates) {
        let word = kind.as_str();
        let text = format!("--replicates {replicates}: a {word} run has {least} to {most}");
        return Err(CommandError::new(text));
    }
    Ok(RunRules { kind, replicates })
}

fn participants<'a>(
    models: &'a [ModelSettings],
    manifest: &Manifest,
    kind: RunKind,
    now: Timestamp,
) -> Vec<&'a ModelSettings> {
    let deadline = manifest.decision_deadline.as_ref().map_or(now, Stamp::at);
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

/// Somebody must be asked; an official run with real calls asks exactly the frozen roster.
fn require_roster(
    manifest: &Manifest,
    kind: RunKind,
    calls: Calls,
    asked: &[&ModelSettings],
) -> Result<(), CommandError> {
    if asked.is_empty() {
        return Err(CommandError::new(
            "no configured model takes part in this round",
        ));
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
        return Err(CommandError::new(text).hint("an official run asks every expected model"));
    }
    Ok(())
}

fn default_id(kind: RunKind, now: Timestamp) -> Result<RunId, CommandError> {
    let text = format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), kind.as_str());
    RunId::parse(&text).map_err(|error| CommandError::new(error.to_string()))
}

/// After the deadline no run for the record begins; one that is open may still be closed.
pub(super) fn refuse_late(
    plan: &RunPlan,
    manifest: &Manifest,
    now: Timestamp,
) -> Result<(), CommandError> {
    let deadline = manifest.decision_deadline.as_ref();
    let late = deadline.is_some_and(|deadline| now >= deadline.at());
    if plan.rules.kind == RunKind::Official && late {
        let text = "the decision deadline has passed; no official run can begin";
        return Err(
            CommandError::new(text).hint("ask after the fact with --run-type retrospective")
        );
    }
    Ok(())
}
