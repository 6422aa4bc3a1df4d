//! `leaderboard`: a comparison set or a round on the terminal.

use capitalbench_core::boards::comparison_set::{ComparisonSet, SetStatus};
use capitalbench_core::manifest::Track;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_export::publication_v1;
use serde_json::{Value, json};

use super::Outcome;
use super::published::{load, unknown};
use crate::cli::{Leaderboard, TrackName};
use crate::console::{DIM, document, line, paint, plural};
use crate::error::CommandError;

mod interval_bar;
mod round_table;
pub(crate) mod set_table;

pub(crate) fn run(arguments: &Leaderboard) -> Result<Outcome, CommandError> {
    let publication = load(&arguments.rounds)?;
    if let Some(name) = &arguments.round {
        return one_round(&publication, name, arguments.output.json);
    }
    let tracks = TrackName::tracks(arguments.track);
    let sets = match &arguments.set {
        Some(name) => vec![named(&publication, name)?],
        None => tracks
            .iter()
            .filter_map(|track| featured(&publication, *track))
            .collect(),
    };
    let statistics = |set: &ComparisonSet| publication.statistics.sets.get(&set.definition.set_id);
    if arguments.output.json {
        let sets = sets.iter();
        let sets =
            sets.map(|set| publication_v1::comparison_set(&publication, set, statistics(set)));
        let sets: Vec<Value> = sets.collect();
        document(&json!({"as_of": publication.as_of.to_string(), "comparison_sets": sets}));
        return Ok(Outcome::Holds);
    }
    for (place, set) in sets.iter().enumerate() {
        if place > 0 {
            line("");
        }
        set_table::print(&publication, set, statistics(set));
        if arguments.set.is_some() {
            set_table::print_rounds(set);
        }
    }
    if arguments.set.is_none() {
        open_rounds(&publication, &tracks);
    }
    Ok(Outcome::of(sets.iter().any(|set| !set.rows.is_empty())))
}

fn named<'a>(publication: &'a Publication, name: &str) -> Result<&'a ComparisonSet, CommandError> {
    let sets = &publication.comparison_sets;
    let found = sets.iter().find(|set| set.definition.set_id == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = sets
            .iter()
            .map(|set| set.definition.set_id.as_str())
            .collect();
        unknown("comparison set", name, &known)
    })
}

/// The current set of a track; else the one with most rounds, then the latest start.
fn featured(publication: &Publication, track: Track) -> Option<&ComparisonSet> {
    let sets = publication.comparison_sets.iter();
    let of_track = sets.filter(|set| set.definition.track == track);
    of_track.max_by_key(|set| (set.status == SetStatus::Current, set.included.len()))
}

fn one_round(publication: &Publication, name: &str, json: bool) -> Result<Outcome, CommandError> {
    let found = publication
        .rounds
        .iter()
        .find(|round| round.id().as_str() == name);
    let round = found.ok_or_else(|| {
        let known: Vec<&str> = publication.rounds.iter().map(|r| r.id().as_str()).collect();
        unknown("public round", name, &known)
    })?;
    if json {
        let as_of = publication.as_of.to_string();
        document(&json!({"as_of": as_of, "round": publication_v1::round(round)}));
    } else {
        round_table::print(publication, round);
    }
    Ok(Outcome::Holds)
}

/// How many rounds are open, and which result comes next.
fn open_rounds(publication: &Publication, tracks: &[Track]) {
    let shown = |round: &&PublicRound| round.track.is_some_and(|track| tracks.contains(&track));
    let of_state = |state: &'static str| {
        let rounds = publication.rounds.iter().filter(shown);
        rounds.filter(move |round| round.state.as_str() == state)
    };
    let mut parts = vec![format!(
        "{} open",
        plural(of_state("pending").count(), "round")
    )];
    let exits = of_state("pending").filter_map(|round| round.manifest.window);
    if let Some(day) = exits.map(|window| window.exit).min() {
        parts.push(format!("next result after the close of {day}"));
    }
    let late = of_state("overdue").count();
    if late > 0 {
        parts.push(format!("{late} overdue"));
    }
    parts.push(format!("as of {}", publication.as_of));
    line(format!("\n{}", paint(DIM, parts.join(" · "))));
}
