//! The one place where resolved rounds become what the public sees across rounds.

use std::path::Path;

use capitalbench_archive::public_record::publication;
use jiff::Timestamp;

use crate::error::CommandError;

/// What the boards hold after a rebuild.
pub(crate) struct Boards {
    /// Rounds with a result.
    pub(crate) resolved: usize,
}

/// Makes the boards of a folder again from its rounds; a round that cannot be published is an error.
pub(crate) fn rebuild(rounds: &Path, now: Timestamp) -> Result<Boards, CommandError> {
    let publication = publication(rounds, now, &|| ())
        .map_err(|error| CommandError::new(format!("the boards were not made: {error}")))?;
    let resolved = publication.rounds.iter();
    let resolved = resolved.filter(|round| round.resolved().is_some()).count();
    Ok(Boards { resolved })
}
