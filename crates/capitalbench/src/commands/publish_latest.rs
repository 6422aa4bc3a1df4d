//! `publish-latest`: the result of the latest resolved round.

use capitalbench_database::sync::Scope;

use super::Exit;
use super::published::{load, write};
use crate::cli::{PublishLatest, TrackName};
use crate::console::remark;
use crate::error::CommandError;
use crate::steps::boards;
use crate::steps::promise::require_orders;
use crate::steps::public_store::follow_publication;

pub(crate) fn run(arguments: &PublishLatest) -> Result<Exit, CommandError> {
    let publication = load(&arguments.rounds)?;
    require_orders(&arguments.rounds.folder, &publication)?;
    let tracks = TrackName::tracks(arguments.track);
    let files = boards::latest(&publication, &arguments.rounds.folder, &tracks)?;
    let Some(files) = files else {
        remark("no round is resolved yet; nothing was written");
        return Ok(Exit::DoesNotHold);
    };
    let written = write(&arguments.output, files, arguments.printed.json)?;
    let synced = follow_publication(
        (&arguments.rounds.folder, &publication),
        arguments.rounds.as_of,
        &Scope::Rounds,
    );
    Ok(written.and(synced))
}
