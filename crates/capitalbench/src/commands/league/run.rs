//! `league run`.

use crate::cli::LeagueRun;
use crate::error::{Error, Exit};

pub(crate) fn run(_arguments: &LeagueRun) -> Result<Exit, Error> {
    Err(Error::new("league run is not built yet"))
}
