//! Asks models about a round whose end everybody knows, and compares them with its record.
//!
//! The frozen text is sent unchanged from a temporary copy. What comes of it is a
//! [`Replay`], which no acceptance, board, site or database takes.

use std::path::PathBuf;

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::run::replay::{AfterTheFact, Asked, Replay};
use capitalbench_archive::format::stored::FormatVersion;
use capitalbench_archive::public::scratch_round::ScratchRound;
use capitalbench_archive::results::after_the_fact::Resolved;
use capitalbench_archive::round::freeze;
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::run::replay_folder;
use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::{Calls, RunKind};
use capitalbench_core::values::ids::{Digest, ModelId};
use capitalbench_core::values::time::WrittenInstant;

use crate::asking::events::Silence;
use crate::asking::run::{
    AskRequest, MissingKeys, Permission, Prepared, ReadyRun, RunReport, Start, prepare_run,
};
use crate::error::Error;
use crate::operator::Operator;
use crate::proof::record::PROGRAM;

pub mod source;

use source::Source;

/// Retries of a slot, as of a round.
const RETRIES: u32 = 2;
const CONCURRENT: usize = 8;

/// What a reader wants asked again.
#[derive(Debug)]
pub struct ReplayRequest {
    /// Folders, bundles or addresses of rounds.
    pub sources: Vec<String>,
    pub models: ModelChoice,
    pub pricing: Option<PathBuf>,
    pub permission: Permission,
    pub seed: u64,
    /// Start no call that might make all of them cost more.
    pub max_cost_usd: Option<f64>,
    /// The folder of replays.
    pub output: PathBuf,
}

/// Which models are asked.
#[derive(Debug)]
pub enum ModelChoice {
    /// Those of a models file; where some are named, only these.
    File { file: PathBuf, only: Vec<String> },
    /// Models as they are typed: `provider/name`, or any name for the mock.
    Named(Vec<String>),
}

/// Rounds that may be asked now.
pub struct ReadyReplays {
    rounds: Vec<ReadyRound>,
    cap: Option<Cost>,
    output: PathBuf,
}

struct ReadyRound {
    source: Source,
    resolved: Resolved,
    copy: ScratchRound,
    request: AskRequest,
    ready: Box<ReadyRun>,
}

/// A replay, and where it lies.
#[derive(Debug)]
pub struct Replayed {
    pub replay: Replay,
    pub folder: PathBuf,
}

/// Opens and verifies every round and plans its calls; nothing is asked.
pub fn prepare(operator: &Operator, request: &ReplayRequest) -> Result<ReadyReplays, Error> {
    let mut rounds = Vec::with_capacity(request.sources.len());
    for text in &request.sources {
        rounds.push(ready_round(operator, request, text)?);
    }
    let cap = match request.max_cost_usd {
        None => None,
        Some(usd) => {
            let wrong = || Error::new(format!("--max-cost-usd {usd}: must be a sum of money"));
            Some(Cost::from_usd(usd).ok_or_else(wrong)?)
        }
    };
    Ok(ReadyReplays {
        rounds,
        cap,
        output: request.output.clone(),
    })
}

fn ready_round(
    operator: &Operator,
    request: &ReplayRequest,
    text: &str,
) -> Result<ReadyRound, Error> {
    let source = source::open(operator, text)?;
    let resolved = Resolved::load(source.folder.clone())?.ok_or_else(|| {
        let text = format!("{} has no result yet", source.folder.name());
        Error::new(text).hint("a round is asked again only after its end; take a resolved one")
    })?;
    require_frozen_text(&source.folder)?;
    let copy = ScratchRound::copy_of(&source.folder)?;
    let ask = AskRequest {
        round: copy.round(),
        models: models_file(&copy, &request.models, request.permission)?,
        pricing: request.pricing.clone(),
        home: None,
        run_id: None,
        start: Start::New,
        kind: Some(RunKind::Retrospective),
        replicates: None,
        permission: request.permission,
        missing_keys: MissingKeys::Refuse,
        seed: request.seed,
        max_retries: RETRIES,
        max_cost_usd: None,
        concurrent: CONCURRENT,
        pause: None,
        controls: false,
        renames: Vec::new(),
        only: only(&request.models)?,
        dry_run: false,
    };
    let Prepared::Ready(ready) = prepare_run(operator, &ask)? else {
        return Err(Error::new(format!("{text}: the copy has a run already")));
    };
    Ok(ReadyRound {
        source,
        resolved,
        copy,
        request: ask,
        ready,
    })
}

/// The text that is sent must be the one that was frozen. Rounds of before keep no copy of it; theirs
/// is assembled from inputs that `verify` compared with their digests.
fn require_frozen_text(folder: &RoundFolder) -> Result<(), Error> {
    let frozen = freeze::stored_digests(folder)?.unwrap_or_default();
    let Some(expected) = frozen.get(layout::MODEL_INPUT) else {
        return Ok(());
    };
    if Digest::of(&folder.read(layout::MODEL_INPUT)?) == *expected {
        return Ok(());
    }
    let text = format!(
        "{}: {} is not the frozen text",
        folder.name(),
        layout::MODEL_INPUT
    );
    Err(Error::new(text).hint("take the round from another place"))
}

fn only(models: &ModelChoice) -> Result<Vec<ModelId>, Error> {
    match models {
        ModelChoice::Named(_) => Ok(Vec::new()),
        ModelChoice::File { only, .. } => {
            let ids = only.iter().map(|id| {
                ModelId::parse(id).map_err(|error| Error::new(format!("--model {id}: {error}")))
            });
            ids.collect()
        }
    }
}

/// The given models file, or one of the models that were typed.
fn models_file(
    copy: &ScratchRound,
    models: &ModelChoice,
    permission: Permission,
) -> Result<PathBuf, Error> {
    let names = match models {
        ModelChoice::File { file, .. } => return Ok(file.clone()),
        ModelChoice::Named(names) => names,
    };
    let mut all = Vec::with_capacity(names.len());
    for name in names {
        let (provider, model) = match (permission, name.split_once('/')) {
            (Permission::Mock, _) => ("mock", name.as_str()),
            (_, Some((provider, model))) if !provider.is_empty() && !model.is_empty() => {
                (provider, model)
            }
            _ => {
                let text = format!("--model {name}: names no provider");
                return Err(Error::new(text).hint(
                    "write it as provider/name, such as openai/gpt-5.5, or give --models FILE",
                ));
            }
        };
        all.push(serde_json::json!({
            "model_id": name, "provider": provider, "api_model_name": model,
        }));
    }
    // JSON is YAML, and no name in it can end a field.
    let text = serde_json::json!({ "models": all }).to_string();
    Ok(copy.write_beside("models.yaml", &text)?)
}

impl ReadyReplays {
    /// Every round with its models, and the most that asking it can cost with every retry; none where a
    /// price is unknown.
    pub fn bounds(&self) -> Vec<(String, usize, Option<Cost>)> {
        let bound = |round: &ReadyRound| {
            let (worst, is_whole) = round.ready.worst_case();
            let most = is_whole.then(|| worst.times(RETRIES + 1));
            (round.source.folder.name(), round.ready.seats.len(), most)
        };
        self.rounds.iter().map(bound).collect()
    }

    /// Whether any provider would be called.
    pub fn calls_providers(&self) -> bool {
        self.rounds
            .iter()
            .any(|round| round.ready.plan.calls == Calls::Real)
    }

    /// Asks the models round after round, and stores each replay as soon as it is there.
    pub fn ask(self, operator: &Operator) -> Result<Vec<Replayed>, Error> {
        let mut left = self.cap;
        let mut all = Vec::with_capacity(self.rounds.len());
        for round in self.rounds {
            let ReadyRound {
                source,
                resolved,
                copy,
                request,
                ready,
            } = round;
            let ready = match left.filter(|_| ready.plan.calls == Calls::Real) {
                Some(cap) => ready.capped(cap)?,
                None => *ready,
            };
            let asked_at = operator.now();
            let report = ready.ask(operator, &request, Box::new(Silence))?;
            let own = RoundFolder::open(&copy.round())?;
            let run = own.run(&report.plan.run_id)?;
            let copied = RoundInputs::load(own, &Universes::default())?;
            if report.finished.is_none() {
                return Err(unfinished(&source, &report));
            }
            left = left.map(|cap| cap.minus(report.bill.recorded));
            let models = asked(&resolved, &copied, &run, &report)?;
            let beside = resolved.beside();
            let record = beside.ok_or_else(|| Error::new("the round has no result"))?;
            let frozen = source.folder.read(layout::HASHES)?;
            let input = Digest::parse(&report.plan.input_sha256);
            let replay = Replay {
                replay: FormatVersion,
                after_the_fact: AfterTheFact,
                round_id: copied.manifest.round_id.clone(),
                source: source.name.clone(),
                verdict: source.verdict.to_owned(),
                freeze_sha256: Digest::of(&frozen),
                input_sha256: input.ok_or_else(|| Error::new("the input has no digest"))?,
                asked_at_utc: WrittenInstant::of(asked_at),
                program: PROGRAM.to_owned(),
                mock: report.plan.calls != Calls::Real,
                cost_usd: report.bill.total().map(Cost::usd),
                models,
                record,
            };
            let folder = replay_folder::store(&self.output, &replay, &run)?;
            all.push(Replayed { replay, folder });
        }
        Ok(all)
    }
}

/// Every model with its figures, or why it has none.
fn asked(
    resolved: &Resolved,
    copy: &RoundInputs,
    run: &capitalbench_archive::run::run_folder::RunFolder,
    report: &RunReport,
) -> Result<Vec<Asked>, Error> {
    let any = report.finished.is_some_and(|finished| finished.valid > 0);
    let mut placed = if any {
        resolved.place(copy, run)?
    } else {
        Vec::new()
    };
    let model = |(end, _): &(crate::asking::slot_end::SlotEnd, _)| {
        let planned = &end.planned;
        let id = &planned.slot.model_id;
        let own = placed.iter().position(|(own, _)| own.model_id == *id);
        let figures = own.map(|place| placed.swap_remove(place).1);
        let error = end.attempts.last().and_then(AttemptStatus::error);
        let reason = figures
            .is_none()
            .then(|| error.unwrap_or_else(|| end.state().to_owned()));
        Asked {
            model_id: id.clone(),
            provider: planned.provider.clone(),
            api_model_name: planned.api_model_name.clone(),
            figures,
            reason,
        }
    };
    Ok(report.slots.iter().map(model).collect())
}

fn unfinished(source: &Source, report: &RunReport) -> Error {
    let mut open = report.slots.iter().filter(|(end, _)| end.is_open());
    let first = open
        .next()
        .map(|(end, _)| format!("{} is {}", end.planned.slot.model_id, end.state()));
    let text = format!(
        "{}: not every model could be asked ({}); this round was not stored",
        source.folder.name(),
        first.unwrap_or_default()
    );
    Error::new(text).hint("ask again with a higher --max-cost-usd, other models or later")
}
