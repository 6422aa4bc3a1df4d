//! `publish-cumulative`: the boards across rounds as files.

use capitalbench_database::sync::Scope;

use super::Exit;
use super::published::{load, write};
use crate::cli::{PublishCumulative, TrackName};
use crate::error::CommandError;
use crate::steps::boards::across_rounds;
use crate::steps::promise::require_orders;
use crate::steps::public_store::follow_publication;

pub(crate) fn run(arguments: &PublishCumulative) -> Result<Exit, CommandError> {
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
    let written = write(&arguments.output, files, arguments.printed.json)?;
    let synced = follow_publication(
        (&arguments.rounds.folder, &publication),
        arguments.rounds.as_of,
        &Scope::Whole,
    );
    Ok(written.and(synced))
}
