//! `league …`: the verbs that run a league.

use crate::cli::{League, LeagueVerb};
use crate::error::{Error, Exit};

mod check;
mod new;
mod plan;
mod rehearse;
mod run;

pub(crate) fn run(arguments: &League) -> Result<Exit, Error> {
    match &arguments.verb {
        LeagueVerb::New(arguments) => new::run(arguments),
        LeagueVerb::Check(arguments) => check::run(arguments),
        LeagueVerb::Plan(arguments) => plan::run(arguments),
        LeagueVerb::Run(arguments) => run::run(arguments),
        LeagueVerb::Rehearse(arguments) => rehearse::run(arguments),
    }
}
