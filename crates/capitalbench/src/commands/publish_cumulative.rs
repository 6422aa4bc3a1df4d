//! `publish-cumulative`: the boards across rounds as files.

use capitalbench_archive::format::results::cumulative;
use capitalbench_core::manifest::Track;
use capitalbench_core::publication::Publication;
use capitalbench_export::report;

use super::Outcome;
use super::published::{load, rounds_of, write};
use crate::cli::{PublishCumulative, TrackName};
use crate::error::CommandError;

pub(crate) fn run(arguments: &PublishCumulative) -> Result<Outcome, CommandError> {
    let publication = load(&arguments.rounds)?;
    let mut files = Vec::new();
    for track in TrackName::tracks(arguments.track) {
        let folder = match arguments.track {
            Some(_) => String::new(),
            None => format!("{}/", track.as_str()),
        };
        for (name, text) in of_track(&publication, track) {
            files.push((format!("{folder}{name}"), text.into_bytes()));
        }
    }
    write(&arguments.output, files, arguments.printed.json)
}

fn of_track(publication: &Publication, track: Track) -> Vec<(&'static str, String)> {
    let Some(boards) = publication.boards.get(&track) else {
        return Vec::new();
    };
    let shown = [(boards, rounds_of(publication, track))];
    let index = cumulative::index(publication, &shown);
    let warnings: Vec<String> = index
        .iter()
        .flat_map(|row| {
            row.warnings
                .iter()
                .map(|warning| format!("{}: {warning}", row.round.id()))
        })
        .collect();
    vec![
        (
            "official_leaderboard.csv",
            cumulative::official(&boards.cumulative).render(),
        ),
        (
            "stability_leaderboard.csv",
            cumulative::consistency(&boards.consistency).render(),
        ),
        ("round_index.csv", cumulative::round_index(&index).render()),
        (
            "cumulative_report.md",
            report::cumulative(publication, &[track], &warnings),
        ),
    ]
}
