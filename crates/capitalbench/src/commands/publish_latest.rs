//! `publish-latest`: the result of the latest resolved round.

use capitalbench_archive::layout::{self, run};
use capitalbench_archive::round_folder::RoundFolder;
use capitalbench_core::publication::{PublicRound, Publication, ResolvedRound};
use capitalbench_export::report;

use super::Outcome;
use super::published::{load, write};
use crate::cli::{PublishLatest, TrackName};
use crate::console::remark;
use crate::error::CommandError;

pub(crate) fn run(arguments: &PublishLatest) -> Result<Outcome, CommandError> {
    let publication = load(&arguments.rounds)?;
    let Some((round, resolved)) = latest(&publication, arguments.track) else {
        remark("no round is resolved yet; nothing was written");
        return Ok(Outcome::DoesNotHold);
    };
    let folder = RoundFolder::open(&arguments.rounds.folder.join(round.id().as_str()))?;
    let path = format!("{}/{}/{}", layout::RUNS, resolved.run_id, run::LEADERBOARD);
    let leaderboard = folder.read(&path)?;
    let report = report::latest_round(&publication, round, resolved);
    let files = [
        ("latest_round_leaderboard.csv".to_owned(), leaderboard),
        ("latest_round_report.md".to_owned(), report.into_bytes()),
    ];
    write(&arguments.output, files, arguments.printed.json)
}

fn latest(
    publication: &Publication,
    track: Option<TrackName>,
) -> Option<(&PublicRound, &ResolvedRound)> {
    let tracks = TrackName::tracks(track);
    let boards = publication.boards.iter();
    let latest = boards
        .filter(|(track, _)| tracks.contains(track))
        .filter_map(|(_, boards)| publication.round(boards.latest.as_ref()?));
    let round = latest.max_by(|a, b| a.key.cmp(&b.key))?;
    Some((round, round.resolved()?))
}
