//! `publish-cumulative`: the boards across rounds as files.

use capitalbench_database::sync::Scope;
use capitalbench_operations::proof::promise::require_orders;
use capitalbench_operations::publishing::boards::across_rounds;

use super::published::{load, write};
use crate::cli::{PublishCumulative, TrackName};
use crate::commands::notices::follow_publication;
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &PublishCumulative) -> Result<Exit, Error> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let mut files = Vec::new();
    for track in TrackName::tracks(arguments.track) {
        let folder = match arguments.track {
            Some(_) => String::new(),
            None => format!("{}/", track.as_str()),
        };
        for (name, bytes) in across_rounds(&publication, track) {
            files.push((format!("{folder}{name}"), bytes));
        }
    }
    let written = write(&arguments.output, files)?;
    let synced = follow_publication(&arguments.rounds, &publication, &Scope::Whole)?;
    Ok(written.and(synced))
}
