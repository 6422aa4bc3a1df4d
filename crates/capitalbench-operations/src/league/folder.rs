//! [`LeagueFolder`]: a league file and the folder it lies in.

use std::path::{Path, PathBuf};

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::format::league;
use capitalbench_archive::format::league::{FIRST_SESSION, cadence_text};
use capitalbench_archive::format::round::options;
use capitalbench_core::league::settings::{Cadence, League, TrackSchedule, UniverseChoice};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::market::universes::shipped;

use crate::error::Error;
use crate::operator::files::read;

/// Every path of a league file is relative to this folder.
#[derive(Debug, Clone)]
pub struct LeagueFolder {
    pub folder: PathBuf,
    pub league: League,
}

/// The file that makes a folder a league.
pub const LEAGUE_FILE: &str = "league.yaml";

impl LeagueFolder {
    /// Reads the league file of a folder. A league without a name is called like the folder.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(LEAGUE_FILE);
        let own = name_of(folder);
        let league = read(&file, |bytes| league::parse(bytes, &own));
        let league = league.map_err(|error| Self::refusal(folder, error))?;
        let mut found = Self {
            folder: folder.to_owned(),
            league,
        };
        // A universe that cannot be read stops every step that needs it, and says why.
        if let Ok(universe) = found.universe() {
            found.league.market = universe.market();
        }
        Ok(found)
    }

    fn refusal(folder: &Path, error: FileError) -> Error {
        if !error.is_missing() {
            return error.into();
        }
        let text = format!("{} has no {LEAGUE_FILE}", folder.display());
        Error::new(text).hint(
            "name the folder of a league with --league DIR, or make one with `capitalbench league \
             new DIR`",
        )
    }

    /// The folder of the rounds.
    pub fn rounds(&self) -> PathBuf {
        self.folder.join(self.league.rounds())
    }

    /// The options of its universe.
    pub fn universe(&self) -> Result<Universe, Error> {
        match &self.league.universe {
            UniverseChoice::File(file) => Ok(read(&self.file(file), options::parse)?),
            UniverseChoice::Shipped(version) => {
                let text = shipped(version).unwrap_or_default();
                options::parse(text.as_bytes())
                    .map_err(|fault| Error::new(format!("universe {version}: {fault}")))
            }
        }
    }

    /// What the league is, in half a sentence: `weekly on monday; portfolio of the universe v2.1`.
    pub fn summary(&self) -> String {
        let league = &self.league;
        let track = |one: &TrackSchedule| match one.cadence {
            Cadence::Weekly(_) => format!("weekly on {}", cadence_text(one.cadence)),
            Cadence::FirstSession => format!("{} on the {FIRST_SESSION}", one.track.as_str()),
        };
        let tracks: Vec<String> = league.tracks.iter().map(track).collect();
        let (UniverseChoice::Shipped(universe) | UniverseChoice::File(universe)) = &league.universe;
        format!(
            "{}; {} of the universe {universe}",
            tracks.join(" and "),
            league.format.as_str().replace('_', " ")
        )
    }

    /// A file that the league file names.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(Path::new(name))
    }
}

/// The name of a folder, also of one like `.`.
fn name_of(folder: &Path) -> String {
    let whole = std::fs::canonicalize(folder);
    let whole = whole.unwrap_or_else(|_| folder.to_owned());
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    if name.is_empty() {
        "league".to_owned()
    } else {
        name.into_owned()
    }
}

#[cfg(test)]
mod tests;
