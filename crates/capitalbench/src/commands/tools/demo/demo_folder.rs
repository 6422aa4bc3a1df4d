//! What the demo needs on disk before its first round: prices, models and research, all invented.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::round::options;
use capitalbench_core::market::calendar::Market;
use capitalbench_core::market::synthetic::{Bar, SyntheticMarket};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::market::universes;

use super::calendar::{DemoLeague, FIRST, PlannedRound, TODAY};
use crate::error::Error;

/// The file that says that a folder is a demo and may be replaced.
const MARK: &str = "SYNTHETIC.md";
const MARK_TEXT: &str = "# Synthetic\n\nEverything in this folder was made by `capitalbench demo`: prices, research and answers are\ninvented. The next demo replaces the folder.\n";

/// Mock models; the last two show what trouble looks like in the ledger.
const MODELS: [(&str, &str); 5] = [
    ("mock-amber", ""),
    ("mock-birch", ""),
    ("mock-cedar", ""),
    ("mock-dune", "  metadata: {mock: {faults: [rate_limit]}}\n"),
    ("mock-ember", "  metadata: {mock: {faults: [truncated]}}\n"),
];

/// Number of models.
pub(super) const MODEL_COUNT: usize = MODELS.len();

/// The folder of one league of a demo.
pub(super) struct DemoFolder {
    pub(super) folder: PathBuf,
    pub(super) market: Market,
}

/// Empties the folder of an earlier demo, or makes a new one; any other folder is left alone.
pub(super) fn empty(folder: &Path) -> Result<(), Error> {
    if folder.exists() {
        if !folder.join(MARK).is_file() {
            let text = format!("{} is there and is no demo", folder.display());
            return Err(Error::new(text).hint("name another folder with --output"));
        }
        std::fs::remove_dir_all(folder)
            .map_err(|error| Error::new(format!("{}: {error}", folder.display())))?;
    }
    file_ops::create_folder(folder).map_err(FileError::from)?;
    file_ops::replace(&folder.join(MARK), MARK_TEXT.as_bytes()).map_err(FileError::from)?;
    Ok(())
}

impl DemoFolder {
    /// Prices and models of a league, below the folder of the demo.
    pub(super) fn new(demo: &Path, league: &DemoLeague, seed: u64) -> Result<Self, Error> {
        let universe = universe(league.universe)?;
        let demo = Self {
            folder: match league.folder {
                "." => demo.to_owned(),
                below => demo.join(below),
            },
            market: universe.market(),
        };
        for part in ["rounds", "histories", "research"] {
            file_ops::create_folder(&demo.folder.join(part)).map_err(FileError::from)?;
        }
        let mut models = "models:\n".to_owned();
        for (id, further) in MODELS {
            let _ = write!(
                models,
                "- model_id: {id}\n  provider: mock\n  api_model_name: {id}\n{further}"
            );
        }
        demo.write("models.yaml", &models)?;
        let invented = SyntheticMarket::new(seed, demo.market, FIRST, TODAY);
        for (symbol, bars) in invented.histories(&universe) {
            let known = bars.iter().filter(|bar| bar.date < TODAY);
            demo.write(&format!("histories/{symbol}.csv"), &history(known))?;
        }
        Ok(demo)
    }

    /// A path inside, as text for an argument.
    pub(super) fn path(&self, relative: &str) -> String {
        self.folder.join(relative).display().to_string()
    }

    fn write(&self, relative: &str, text: &str) -> Result<(), Error> {
        let file = self.folder.join(relative);
        file_ops::replace(&file, text.as_bytes()).map_err(FileError::from)?;
        Ok(())
    }

    /// The three research files of a round.
    pub(super) fn write_research(&self, round: &PlannedRound) -> Result<(), Error> {
        let day = round.known;
        let facts = format!(
            "# Facts\n\nInvented for a demonstration. The invented central bank held its rate at \
             3.00 % as of {day}.\n"
        );
        let briefing = format!(
            "# Briefing\n\nThis market is invented.\n\n- The policy rate stood at 3.00 % on {day}.\n\
             - The last session before the decision was {day}.\n"
        );
        let audit = "# Audit\n\nEvery figure of the briefing was found in the facts.\n";
        self.write("research/facts.md", &facts)?;
        self.write("research/briefing.md", &briefing)?;
        self.write("research/audit.md", audit)
    }
}

fn universe(version: &str) -> Result<Universe, Error> {
    let text = universes::shipped(version)
        .ok_or_else(|| Error::new(format!("the universe {version} is not shipped")))?;
    options::parse(text.as_bytes()).map_err(|fault| Error::new(fault.to_string()))
}

fn history<'a>(bars: impl Iterator<Item = &'a Bar>) -> String {
    let mut text = "date,close,adj_close,volume,dividend,split\n".to_owned();
    for bar in bars {
        let _ = writeln!(
            text,
            "{},{},{:.8},{},{},1",
            bar.date, bar.close, bar.adjusted, bar.volume, bar.dividend
        );
    }
    text
}
