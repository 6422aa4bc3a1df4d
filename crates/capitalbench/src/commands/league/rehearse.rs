//! `league rehearse`.

use crate::cli::LeagueRehearse;
use crate::error::{Error, Exit};

pub(crate) fn run(_arguments: &LeagueRehearse) -> Result<Exit, Error> {
    Err(Error::new("league rehearse is not built yet"))
}
