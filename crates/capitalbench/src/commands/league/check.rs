//! `league check`.

use crate::cli::LeagueCheck;
use crate::error::{Error, Exit};

pub(crate) fn run(_arguments: &LeagueCheck) -> Result<Exit, Error> {
    Err(Error::new("league check is not built yet"))
}
