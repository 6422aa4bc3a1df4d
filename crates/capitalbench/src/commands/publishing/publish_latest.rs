//! `publish-latest`: the result of the latest resolved round.

use capitalbench_database::sync::Scope;
use capitalbench_operations::proof::promise::require_orders;
use capitalbench_operations::publishing::boards;

use super::published::{load, write};
use crate::cli::{PublishLatest, TrackName};
use crate::commands::notices::follow_publication;
use crate::console::remark;
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &PublishLatest) -> Result<Exit, Error> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let tracks = TrackName::tracks(arguments.track);
    let files = boards::latest(&publication, &arguments.rounds.folder, &tracks)?;
    let Some(files) = files else {
        remark("no round is resolved yet; nothing was written");
        return Ok(Exit::DoesNotHold);
    };
    let written = write(&arguments.output, files)?;
    let synced = follow_publication(&arguments.rounds, &publication, &Scope::Rounds)?;
    Ok(written.and(synced))
}
