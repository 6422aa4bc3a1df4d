//! `worker`: takes due jobs out of the database or a store and resolves their rounds, as a service.

use capitalbench_operations::resolving::store_worker::work_in_store;
use capitalbench_operations::resolving::worker::{WorkerRequest, work, work_with_store};

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
    let has_jobs = operator.configuration.database()?.is_some();
    let succeeded = match &arguments.store.url {
        None => work(&operator, &request)?,
        Some(store) => {
            let home = Environment::cache_home()?;
            if has_jobs {
                work_with_store(&operator, &request, store, &home)?
            } else {
                work_in_store(&operator, &request, store, &home)?
            }
        }
    };
    Ok(Exit::of(succeeded || !arguments.once))
}
