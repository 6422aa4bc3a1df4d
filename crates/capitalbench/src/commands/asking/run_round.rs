//! `run-round`: ask the models of a frozen round, or finish asking them.

use capitalbench_core::values::ids::ModelId;
use capitalbench_operations::asking::events::{JsonLines, Listener, Silence};
use capitalbench_operations::asking::repair::Rename;
use capitalbench_operations::asking::run::{
    AskRequest, MissingKeys, Permission, Prepared, ReadyRun, Start, prepare_run,
};
use capitalbench_operations::operator::clock::Clock;

use crate::cli::{self, RunRound};
use crate::commands::run_id;
use crate::config::operator;
use crate::console::{event_line, is_quiet, line, shows_progress};
use crate::error::{Error, Exit};

mod bars;
mod open_slots;
mod report;
mod served_names;

use bars::Bars;

pub(crate) fn run(arguments: &RunRound) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let request = request(arguments)?;
    let ready = match prepare_run(&operator, &request)? {
        Prepared::Finished {
            run_id,
            valid,
            wanted,
            is_valid,
        } => {
            line(format!(
                "{run_id} is finished, {valid} of {wanted} valid; no model is asked again"
            ));
            return Ok(Exit::of(is_valid));
        }
        Prepared::Ready(ready) => ready,
    };
    report::bound(arguments, &ready);
    served_names::announce(&ready);
    if request.dry_run {
        return Ok(Exit::Success);
    }
    report::confirm(arguments, &ready.plan)?;
    let listener = listener(&ready, operator.clock);
    let done = ready.ask(&operator, &request, listener)?;
    report::result(arguments, &done);
    Ok(Exit::of(done.is_valid()))
}

fn request(arguments: &RunRound) -> Result<AskRequest, Error> {
    let permission = &arguments.permission;
    Ok(AskRequest {
        round: arguments.round.path.clone(),
        models: arguments.models.clone(),
        pricing: arguments.card.pricing.clone(),
        home: None,
        run_id: run_id(arguments.run_id.as_deref())?,
        start: if arguments.course.resume {
            Start::Resume
        } else {
            Start::New
        },
        kind: arguments.run_type,
        replicates: arguments.replicates,
        permission: match (permission.mock, permission.allow_real_api_calls) {
            (true, _) => Permission::Mock,
            (false, true) => Permission::RealCalls,
            (false, false) => Permission::Offline,
        },
        seed: permission.seed,
        missing_keys: MissingKeys::Refuse,
        max_retries: arguments.retries,
        max_cost_usd: arguments.cost_usd,
        concurrent: usize::from(arguments.concurrent),
        pause: arguments.pause,
        controls: !arguments.course.no_controls,
        renames: renames(&arguments.course.rename)?,
        only: Vec::new(),
        dry_run: arguments.course.consent.dry_run,
    })
}

fn renames(typed: &cli::Rename) -> Result<Vec<Rename>, Error> {
    let reason = typed.reason.clone().unwrap_or_default();
    let rename = |(id, name): &(String, String)| {
        let model_id = ModelId::parse(id);
        let model_id =
            model_id.map_err(|error| Error::new(format!("--rename-model {id}: {error}")))?;
        Ok(Rename {
            model_id,
            to: name.clone(),
            reason: reason.clone(),
        })
    };
    typed.renames.iter().map(rename).collect()
}

/// Bars on a terminal, lines where something reads, nothing when asked to be quiet.
fn listener(ready: &ReadyRun, clock: Clock) -> Box<dyn Listener> {
    if is_quiet() {
        Box::new(Silence)
    } else if shows_progress() {
        Box::new(Bars::new(&ready.seats, clock, ready.deadline))
    } else {
        Box::new(JsonLines { print: event_line })
    }
}
