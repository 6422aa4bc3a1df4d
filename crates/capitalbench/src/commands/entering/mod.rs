//! `enter …`: the verbs by which outsiders take part.

use crate::cli::{Enter, EnterVerb};
use crate::error::{Error, Exit};

mod ask;
mod entrant;
mod league;
mod test;

pub(crate) fn run(arguments: &Enter) -> Result<Exit, Error> {
    match &arguments.verb {
        EnterVerb::Keys(arguments) => entrant::keys(arguments),
        EnterVerb::Register(arguments) => entrant::register(arguments),
        EnterVerb::Seal(arguments) => entrant::seal(arguments),
        EnterVerb::Open(arguments) => entrant::open(arguments),
        EnterVerb::Collect(arguments) => league::collect(arguments),
        EnterVerb::Check(arguments) => league::check(arguments),
        EnterVerb::Ask(arguments) => ask::run(arguments),
        EnterVerb::Test(arguments) => test::run(arguments),
    }
}
