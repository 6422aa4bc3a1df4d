//! The one place where resolved rounds become the board files that the public sees across rounds.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::disk::state_folder;
use capitalbench_archive::format::figures::results::cumulative;
use capitalbench_archive::public::public_record::publication;
use capitalbench_archive::results::scoring::score_run;
use capitalbench_core::publication::Publication;
use capitalbench_core::publication::boards::index::index;
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::RunId;
use capitalbench_export::report;
use jiff::Timestamp;

use crate::error::Error;
use crate::operator::files::open_inputs;
use crate::proof::promise::require_orders;

pub type BoardFiles = Vec<(String, Vec<u8>)>;

/// What the boards hold after a rebuild.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boards {
    /// Rounds with a result.
    pub resolved: usize,
}

/// A file that says that the boards must be rebuilt, so that the next process does it when one died
/// between a result and the boards.
pub struct BoardsDirty {
    file: PathBuf,
}

impl BoardsDirty {
    pub fn of(rounds: &Path) -> Self {
        let file = rounds.join(layout::STATE).join("boards_owed");
        Self { file }
    }

    pub fn is_set(&self) -> bool {
        self.file.exists()
    }

    pub fn set(&self) -> Result<(), Error> {
        if let Some(folder) = self.file.parent() {
            state_folder::create(folder)?;
        }
        Ok(file_ops::replace(&self.file, b"")?)
    }

    pub fn clear(&self) -> Result<(), Error> {
        if self.is_set() {
            file_ops::remove(&self.file)?;
        }
        Ok(())
    }
}

/// Where the boards of a folder of rounds go: the named folder, or the one beside the rounds.
pub fn folder(rounds: &Path, named: Option<&Path>) -> PathBuf {
    named.map_or_else(|| rounds.join("../boards"), Path::to_path_buf)
}

/// Makes the boards of a folder again from its rounds, into `latest/` and `cumulative/` by track.
pub fn rebuild(rounds: &Path, output: &Path, now: Timestamp) -> Result<Boards, Error> {
    let publication = publication(rounds, now, &|| ())
        .map_err(|error| Error::new(format!("the boards were not made: {error}")))?;
    require_orders(rounds, &publication)?;
    let mut files = Vec::new();
    for track in [Track::Weekly, Track::Monthly] {
        let word = track.as_str();
        let latest = latest(&publication, rounds, &[track])?.unwrap_or_default();
        let latest = latest.into_iter();
        files.extend(latest.map(|(name, bytes)| (format!("latest/{word}/{name}"), bytes)));
        let all = across_rounds(&publication, track).into_iter();
        files.extend(all.map(|(name, bytes)| (format!("cumulative/{word}/{name}"), bytes)));
    }
    let files: Vec<_> = files
        .into_iter()
        .map(|(name, bytes)| (output.join(name), bytes))
        .collect();
    file_ops::replace_all(&files)?;
    let resolved = publication.rounds.iter();
    let resolved = resolved.filter(|round| round.resolved().is_some()).count();
    Ok(Boards { resolved })
}

/// The result of the latest resolved round of some tracks, where there is one.
pub fn latest(
    publication: &Publication,
    rounds: &Path,
    tracks: &[Track],
) -> Result<Option<BoardFiles>, Error> {
    let boards = publication.boards.iter();
    let latest = boards
        .filter(|(track, _)| tracks.contains(track))
        .filter_map(|(_, boards)| publication.round(boards.latest.as_ref()?));
    let latest = latest.max_by(|a, b| a.key.cmp(&b.key));
    let Some((round, resolved)) = latest.and_then(|round| Some((round, round.resolved()?))) else {
        return Ok(None);
    };
    let leaderboard = leaderboard(&rounds.join(round.id().as_str()), &resolved.run_id)?;
    let report = report::latest_round(publication, round, resolved);
    Ok(Some(vec![
        ("latest_round_leaderboard.csv".to_owned(), leaderboard),
        ("latest_round_report.md".to_owned(), report.into_bytes()),
    ]))
}

/// The leaderboard of a run, computed: whatever lies in its file is never published as it is.
fn leaderboard(round: &Path, run_id: &RunId) -> Result<Vec<u8>, Error> {
    let inputs = open_inputs(round)?;
    let run = inputs.folder.run(run_id)?;
    let scored = score_run(&inputs, &run, run.record()?.run.rules)?;
    let table = scored
        .tables
        .iter()
        .find(|(path, _)| *path == run::LEADERBOARD);
    let table = table.ok_or_else(|| {
        Error::new(format!(
            "{}: run {run_id} is not ranked",
            inputs.folder.name()
        ))
        .hint("only official runs have a leaderboard; choose another one with `accept-run`")
    })?;
    Ok(table.1.render().into_bytes())
}

/// The boards across the rounds of a track.
pub fn across_rounds(publication: &Publication, track: Track) -> BoardFiles {
    let Some(boards) = publication.boards.get(&track) else {
        return Vec::new();
    };
    let index = index(&publication.rounds, track);
    let warnings: Vec<String> = index
        .iter()
        .flat_map(|row| {
            let id = row.round_id;
            row.warnings.iter().map(move |text| format!("{id}: {text}"))
        })
        .collect();
    let files = [
        (
            "official_leaderboard.csv",
            cumulative::official(&boards.cumulative).render(),
        ),
        (
            "stability_leaderboard.csv",
            cumulative::consistency(&boards.consistency).render(),
        ),
        (
            "round_index.csv",
            cumulative::round_index(&index, &publication.rounds).render(),
        ),
        (
            "cumulative_report.md",
            report::cumulative(publication, &[track], &warnings),
        ),
    ];
    let owned = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    owned.into()
}
