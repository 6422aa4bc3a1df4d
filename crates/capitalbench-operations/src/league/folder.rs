//! [`LeagueFolder`]: a league file and the folder it lies in.

use std::path::{Path, PathBuf};

use capitalbench_core::league::settings::League;

/// Every path of a league file is relative to this folder.
#[derive(Debug, Clone)]
pub struct LeagueFolder {
    pub folder: PathBuf,
    pub league: League,
}

/// The file that makes a folder a league.
pub const LEAGUE_FILE: &str = "league.yaml";

impl LeagueFolder {
    /// The folder of the rounds.
    pub fn rounds(&self) -> PathBuf {
        self.folder.join(self.league.rounds())
    }

    /// A file that the league file names.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(Path::new(name))
    }
}
