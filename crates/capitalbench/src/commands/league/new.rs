//! `league new`.

use crate::cli::LeagueNew;
use crate::error::{Error, Exit};

pub(crate) fn run(_arguments: &LeagueNew) -> Result<Exit, Error> {
    Err(Error::new("league new is not built yet"))
}
