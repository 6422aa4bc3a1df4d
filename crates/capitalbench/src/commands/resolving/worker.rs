//! `worker`: takes due jobs out of the database or a store and resolves their rounds, as a service.

use capitalbench_operations::resolving::store_worker::work_in_store;
use capitalbench_operations::resolving::worker::{WorkerRequest, work};

use crate::cli;
use crate::commands::notices::price_choice;
use crate::config::{Environment, operator};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &cli::Worker) -> Result<Exit, Error> {
    let operator = operator(None)?;
    let request = WorkerRequest {
        rounds: arguments.rounds.folder.clone(),
        prices: price_choice(&arguments.source, &arguments.cross_check)?,
        name: arguments.name.clone(),
        lease: arguments.lease,
        poll: arguments.poll,
        concurrency: arguments.concurrency,
        once: arguments.once,
        max: None,
        boards: arguments.boards_dir.clone(),
    };
    let succeeded = match &arguments.store.url {
        Some(store) => work_in_store(&operator, &request, store, &Environment::cache_home()?)?,
        None => work(&operator, &request)?,
    };
    Ok(Exit::of(succeeded || !arguments.once))
}
