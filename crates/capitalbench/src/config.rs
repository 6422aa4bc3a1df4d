//! The only reader of the environment.
//!
//! Variables of the process come first, then `.env.local` of the working folder, then its `.env`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capitalbench_adapters::secret::Wiped;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::{self, ReadProblem};
use capitalbench_archive::format::utf8;
use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_operations::league::configured;
use capitalbench_operations::league::folder::{LEAGUE_FILE, LeagueFolder};
use capitalbench_operations::operator::Operator;
use capitalbench_operations::operator::configuration::Configuration;
use jiff::Timestamp;

use crate::commands::notices::Console;
use crate::error::Error;

/// Files of the working folder; the first that names a variable decides.
const FILES: [&str; 2] = [".env.local", ".env"];

/// The width that whoever started the program asks for, where there is no terminal to measure.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
pub(crate) fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok()
}

/// Variables of the files, wiped when dropped; those of the process are asked for by name.
pub(crate) struct Environment {
    from_files: BTreeMap<String, Wiped<String>>,
}

impl Environment {
    /// Reads the files of the working folder, where they are there.
    pub(crate) fn load() -> Result<Self, Error> {
        let mut from_files = BTreeMap::new();
        for file in FILES {
            let path = Path::new(file);
            // A file that cannot be read is an error, or its keys would be missing without a word.
            // Some tools keep a folder of this name; it is skipped.
            let bytes = match file_ops::read(path) {
                Err(error) if error.problem == ReadProblem::Missing => continue,
                Err(error) if error.problem == ReadProblem::NotAFile && path.is_dir() => continue,
                read => Wiped::new(read.map_err(FileError::from)?),
            };
            let text = utf8(&bytes).map_err(|fault| fault.in_file(path))?;
            for (name, value) in parse(text) {
                from_files.entry(name).or_insert(value);
            }
        }
        Ok(Self { from_files })
    }

    /// For whoever reads rounds that others made: a file `.env` may have come along with them, so it
    /// says no address and no folder, only the reader's keys and plans.
    fn of_reader(mut self) -> Self {
        let is_own = |name: &str| name.ends_with("_API_KEY") || name.ends_with("_PLAN");
        self.from_files.retain(|name, _| is_own(name));
        self
    }

    /// A variable that is set and not blank.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the environment"
    )]
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let given = std::env::var(name).ok();
        let value = given.or_else(|| self.from_files.get(name).map(|value| value.to_string()))?;
        let value = Wiped::new(value);
        (!value.trim().is_empty()).then(|| value.trim().to_owned())
    }

    /// The secret of this machine for caches of a folder of rounds; none where it has no place, or
    /// where that place is in the folder itself and may have come along with it.
    pub(crate) fn cache_key(rounds: &Path) -> Option<CacheKey> {
        let file = state_home()?.join("capitalbench").join("cache.key");
        let whole = std::fs::canonicalize(rounds).ok()?;
        let home = file
            .ancestors()
            .find_map(|path| std::fs::canonicalize(path).ok())?;
        if home.starts_with(&whole) {
            return None;
        }
        let mut fresh = [0; 32];
        getrandom::fill(&mut fresh).ok()?;
        CacheKey::load_or_create(&file, fresh)
    }

    /// Where this program keeps what can be fetched again.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that reads the environment"
    )]
    pub(crate) fn cache_home() -> Result<PathBuf, Error> {
        let given = |name: &str| {
            let path = PathBuf::from(std::env::var_os(name)?);
            path.is_absolute().then_some(path)
        };
        let home = given("XDG_CACHE_HOME").or_else(|| Some(given("HOME")?.join(".cache")));
        let home = home.ok_or_else(|| {
            let text =
                "neither XDG_CACHE_HOME nor HOME names a folder for what the program fetches";
            Error::new(text).hint("set HOME, or work on a folder that `store pull` makes")
        })?;
        Ok(home.join("capitalbench"))
    }

    /// The configuration of operations.
    pub(crate) fn into_configuration(self) -> Configuration {
        Configuration::new(move |name| self.get(name))
    }
}

/// Where programs of this user keep their state. Only the process says so: a file `.env` may have
/// come with the folder.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the environment"
)]
fn state_home() -> Option<PathBuf> {
    let given = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    given("XDG_STATE_HOME").or_else(|| Some(given("HOME")?.join(".local/state")))
}

/// The league whose file lies in the working folder.
pub(crate) fn working_league() -> Result<Option<LeagueFolder>, Error> {
    let here = Path::new("");
    if !here.join(LEAGUE_FILE).exists() {
        return Ok(None);
    }
    LeagueFolder::open(here).map(Some)
}

/// Who works: this machine's configuration, by the clock or from a given instant. In the folder of a
/// league its file settles what no variable does.
pub(crate) fn operator(given: Option<Timestamp>) -> Result<Operator, Error> {
    operator_in(Environment::load()?, given)
}

/// The same for whoever reads rounds that others made.
pub(crate) fn reader(given: Option<Timestamp>) -> Result<Operator, Error> {
    operator_in(Environment::load()?.of_reader(), given)
}

fn operator_in(environment: Environment, given: Option<Timestamp>) -> Result<Operator, Error> {
    let environment = environment.into_configuration();
    let configuration = match working_league()? {
        Some(league) => configured(&league, environment),
        None => environment,
    };
    Ok(Operator::new(
        configuration,
        given,
        Box::<Console>::default(),
    ))
}

/// Goes into the folder of a league, so that its files, its `.env` and its commands mean what they mean
/// to whoever types there; the league.
pub(crate) fn enter_league(folder: &Path) -> Result<LeagueFolder, Error> {
    std::env::set_current_dir(folder)
        .map_err(|error| Error::new(format!("{}: {error}", folder.display())))?;
    LeagueFolder::open(Path::new("."))
}

/// Who works for a league: its settings stand beside the environment.
pub(crate) fn league_operator(
    league: &LeagueFolder,
    given: Option<Timestamp>,
) -> Result<Operator, Error> {
    let environment = Environment::load()?.into_configuration();
    let configuration = configured(league, environment);
    Ok(Operator::new(
        configuration,
        given,
        Box::<Console>::default(),
    ))
}

/// Lines `NAME=value`; quotes around the value are taken off, other lines are left alone.
fn parse(text: &str) -> Vec<(String, Wiped<String>)> {
    let pair = |line: &str| {
        let line = line.trim();
        let (name, value) = line
            .strip_prefix("export ")
            .unwrap_or(line)
            .split_once('=')?;
        let value = value.trim();
        let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        let is_comment = line.starts_with('#');
        (!is_comment).then(|| (name.trim().to_owned(), Wiped::new(value.to_owned())))
    };
    text.lines().filter_map(pair).collect()
}

pub(crate) mod league_defaults;

#[cfg(test)]
mod tests;
