//! `worker`: takes due jobs out of the database and resolves their rounds, as a service.

use capitalbench_operations::resolving::worker::{WorkerRequest, work};

use crate::cli;
use crate::commands::notices::price_choice;
use crate::config::operator;
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
        boards: arguments.boards_dir.clone(),
    };
    let succeeded = work(&operator, &request)?;
    Ok(Exit::of(succeeded || !arguments.once))
}
