//! `league.yaml`: everything that an operator settles once.

use capitalbench_core::encoding::yaml::fields::{FieldPlace, fields_of};
use capitalbench_core::encoding::yaml::from_yaml;
use capitalbench_core::league::settings::League;
use capitalbench_core::values::similar::closest;

use self::stored::Stored;
use crate::disk::error::Fault;
use crate::format::utf8;

mod clocks;
mod entrants;
mod messages;
mod naming;
mod prices;
mod publishing;
mod render;
mod stored;
mod witnesses;
mod words;

pub use render::render;
pub use words::{FIRST_SESSION, cadence_text};

/// Every field by its whole name.
pub const FIELDS: [&str; 65] = [
    "name",
    "address",
    "accent",
    "logo",
    "prefix",
    "allow_real_api_calls",
    "tracks",
    "tracks.weekly",
    "tracks.monthly",
    "opens_before_deadline",
    "deadline_before_open",
    "universe",
    "format",
    "models",
    "pricing",
    "controls",
    "controls.name",
    "controls.hold",
    "controls.symbol",
    "briefing",
    "briefing.facts",
    "briefing.audit",
    "briefing.briefing",
    "briefing.command",
    "failure_policy",
    "failure_policy.accept_from",
    "failure_policy.at_least",
    "lanes",
    "lanes.twins",
    "lanes.every",
    "lanes.base",
    "lanes.twin",
    "budget",
    "budget.per_round",
    "budget.per_month",
    "prices",
    "prices.source",
    "prices.plan",
    "prices.histories",
    "prices.second",
    "prices.tolerance_bps",
    "prices.largest_daily_move",
    "proof",
    "clocks",
    "clocks.authorities",
    "clocks.calendars",
    "clocks.roots",
    "witnesses",
    "witnesses.quorum",
    "witnesses.of",
    "witnesses.of.key",
    "witnesses.of.address",
    "entrants",
    "entrants.registrations",
    "entrants.entries",
    "publication",
    "publication.site",
    "publication.database",
    "publication.interim",
    "publication.licence",
    "publish",
    "publish.prices",
    "messages",
    "messages.webhook",
    "messages.command",
];

/// What stands below it are ids of options.
const HELD: &str = "controls.hold.";

/// Reads the file; a league without a name is called like its folder.
pub fn parse(bytes: &[u8], folder: &str) -> Result<League, Fault> {
    let text = utf8(bytes)?;
    let places = fields_of(text);
    refuse_unknown(&places)?;
    let stored = from_yaml::<Stored>(text).map_err(Fault::from);
    stored
        .and_then(|stored| stored.league(folder))
        .and_then(|league| with_colour(league, &places))
        .map_err(|fault| located(fault, &places))
}

/// A colour without quotes is a comment, so its field would be empty without a word.
fn with_colour(league: League, places: &[FieldPlace]) -> Result<League, Fault> {
    let is_written = places.iter().any(|place| place.path == "accent");
    if is_written && league.accent.is_none() {
        return Err(naming::no_colour());
    }
    Ok(league)
}

/// Refuses the first field that is not known, with the name that was probably meant.
fn refuse_unknown(places: &[FieldPlace]) -> Result<(), Fault> {
    let is_unknown = |place: &&FieldPlace| {
        let path = without_places(&place.path);
        !FIELDS.contains(&path.as_str()) && !path.starts_with(HELD)
    };
    let Some(place) = places.iter().find(is_unknown) else {
        return Ok(());
    };
    let (around, name) = match place.path.rsplit_once('.') {
        Some((around, name)) => (Some(around), name),
        None => (None, place.path.as_str()),
    };
    let plain = around.map(without_places);
    let beside = FIELDS.iter().filter_map(|field| match plain.as_deref() {
        None => (!field.contains('.')).then_some(*field),
        Some(around) => field.strip_prefix(around)?.strip_prefix('.'),
    });
    let beside: Vec<&str> = beside.collect();
    let next = match closest(name, beside.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if beside.is_empty() => "it takes one value and no fields".to_owned(),
        None => format!("the known ones here are {}", beside.join(", ")),
    };
    let fault = match around {
        Some(around) => Fault::field(around, format!("unknown field `{name}`; {next}")),
        None => Fault::new(format!("unknown field `{name}`; {next}")),
    };
    Err(fault.on_line(place.line))
}

/// A path without the places in lists: `controls.0.name` is a field `controls.name`.
fn without_places(path: &str) -> String {
    let names = path
        .split('.')
        .filter(|name| name.parse::<usize>().is_err());
    names.collect::<Vec<_>>().join(".")
}

/// Adds to a fault what it does not say: the line of its field, or the field on its line.
fn located(fault: Fault, places: &[FieldPlace]) -> Fault {
    let line = fault.field.as_ref().and_then(|field| {
        let mut own = places.iter().filter(|place| is_around(&place.path, field));
        own.next_back().map(|place| place.line)
    });
    let field = fault.line.and_then(|line| {
        let mut on_line = places.iter().filter(|place| place.line == line);
        on_line.next_back().map(|place| place.path.clone())
    });
    Fault {
        line: fault.line.or(line),
        field: fault.field.or(field),
        problem: fault.problem,
    }
}

/// Whether a path is that of a field or of something around it.
fn is_around(path: &str, field: &str) -> bool {
    let rest = field.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests;
