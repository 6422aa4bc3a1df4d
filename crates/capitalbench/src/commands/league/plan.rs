//! `league plan`.

use crate::cli::LeaguePlan;
use crate::error::{Error, Exit};

pub(crate) fn run(_arguments: &LeaguePlan) -> Result<Exit, Error> {
    Err(Error::new("league plan is not built yet"))
}
