//! The defaults that a league file gives to flags; a flag that is typed wins.

use capitalbench_core::league::settings::{League, LeagueCalls, UniverseChoice};
use capitalbench_core::round::manifest::Track;
use clap::builder::ArgPredicate;
use clap::{Arg, Command};

/// Gives every verb the defaults of the league whose folder the program works in.
pub(crate) fn with_defaults(program: Command, league: &League) -> Command {
    // The verbs of the league itself read its file.
    let is_other = |verb: &Command| !["league", "demo"].contains(&verb.get_name());
    program.mut_subcommands(|verb| {
        if is_other(&verb) {
            of_verb(verb, league)
        } else {
            verb
        }
    })
}

fn of_verb(verb: Command, league: &League) -> Command {
    let name = verb.get_name().to_owned();
    let verb = verb.mut_subcommands(|below| of_verb(below, league));
    verb.mut_args(|flag| of_flag(&name, flag, league))
}

/// The flag of a verb with its default.
fn of_flag(verb: &str, flag: Arg, league: &League) -> Arg {
    let prices = &league.prices;
    let (source, second) = sources(league);
    let is_rehearsed = league.calls == LeagueCalls::Rehearsed;
    let histories = prices.histories.as_deref();
    let Some(name) = flag.get_long() else {
        return flag;
    };
    match (verb, name) {
        (_, "rounds-dir") => flag.default_value(league.rounds()),
        (_, "models") => set(flag.required(false), Some(&league.models)),
        (_, "pricing") => set(flag, league.pricing.as_deref()),
        (_, "track") => set(flag, only_track(league).map(Track::as_str)),
        (_, "horizon") => set(flag, only_track(league).map(Track::horizon)),
        (_, "submission-format") => set(flag, Some(league.format.as_str())),
        (_, "proof") => set(flag, Some(league.proof.as_str())),
        (_, "universe") => match &league.universe {
            UniverseChoice::File(file) => unless(flag, "universe_version", file),
            UniverseChoice::Shipped(_) => flag,
        },
        (_, "universe-version") => match &league.universe {
            UniverseChoice::Shipped(version) => unless(flag, "universe", version),
            UniverseChoice::File(_) => flag,
        },
        // The rounds of a rehearsal are invented, whatever is typed.
        (_, "synthetic") if is_rehearsed => flag.default_value("true"),
        (_, "price-source") if is_rehearsed => set(flag, Some(source)),
        (_, "price-source") => unless(flag, "synthetic", source),
        (_, "second-price-source") => match second {
            Some(second) => unless(flag, "synthetic", second),
            None => flag,
        },
        // The same name says there where the record is read.
        ("serve" | "build-site", "source") => flag,
        (_, "source") => set(flag, Some(source)),
        (_, "cross-check") => set(flag, second),
        (_, "tolerance-bps") => set(flag, Some(&prices.tolerance_bps.to_string())),
        (_, "histories" | "cross-check-histories") => set(flag, histories),
        ("build-site", "output") => set(flag, league.publication.site.as_deref()),
        (_, "site-name") => set(flag, Some(&league.name)),
        (_, "accent") => set(flag, league.accent.map(|own| own.to_string()).as_deref()),
        (_, "logo") => set(flag, league.logo.as_deref()),
        (_, "base-url") => set(flag, league.address.as_deref()),
        (_, "licence") => {
            let licence = league.publication.licence.as_ref();
            set(flag, licence.map(ToString::to_string).as_deref())
        }
        (_, "no-controls") if !league.controls => flag.default_value("true"),
        _ => flag,
    }
}

/// Where prices come from, and what they are compared with: an invented market has no vendor, unless
/// its closes lie on the disk.
fn sources(league: &League) -> (&str, Option<&str>) {
    let prices = &league.prices;
    match league.calls {
        LeagueCalls::Rehearsed if prices.source != "csv" => ("invented", None),
        LeagueCalls::Rehearsed => (&prices.source, None),
        LeagueCalls::Real => (&prices.source, prices.second.as_deref()),
    }
}

fn only_track(league: &League) -> Option<Track> {
    match league.tracks.as_slice() {
        [only] => Some(only.track),
        _ => None,
    }
}

fn set(flag: Arg, value: Option<&str>) -> Arg {
    match value {
        Some(value) => flag.default_value(value.to_owned()),
        None => flag,
    }
}

/// A default that gives way where another flag, which says more, is typed.
fn unless(flag: Arg, other: &'static str, value: &str) -> Arg {
    let flag = flag.default_value_if(other, ArgPredicate::IsPresent, None);
    flag.default_value(value.to_owned())
}
