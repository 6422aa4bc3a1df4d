//! The only reader of the environment.
//!
//! Variables of the process come first, then `.env.local` of the working folder, then its `.env`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::secret::{ApiKey, Wiped};
use capitalbench_adapters::supabase::Supabase;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops::{self, ReadProblem};
use capitalbench_archive::format::utf8;
use capitalbench_archive::public::cache_key::CacheKey;
use capitalbench_database::direct::DatabaseUrl;

use crate::error::CommandError;

/// Lets every source and provider stand at an address of this machine or of a private network.
const ALLOW_PRIVATE: &str = "CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES";
/// Files of the working folder; the first that names a variable decides.
const FILES: [&str; 2] = [".env.local", ".env"];

/// Variables of the files, wiped when dropped; those of the process are asked for by name.
pub(crate) struct Environment {
    from_files: BTreeMap<String, Wiped<String>>,
}

impl Environment {
    /// Reads the files of the working folder, where they are there.
    pub(crate) fn load() -> Result<Self, CommandError> {
        let mut from_files = BTreeMap::new();
        for file in FILES {
            let path = Path::new(file);
            // What is there and cannot be read is no missing file: its keys would be missed.
            // Some tools keep a folder of this name, which is no file of keys.
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

    /// The secret of this machine for caches of a folder of rounds; none where there is no place for
    /// it, or where that place is in the folder itself and came along with it.
    pub(crate) fn cache_key(&self, rounds: &Path) -> Option<CacheKey> {
        let file = self.state_home()?.join("capitalbench").join("cache.key");
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

    /// Where programs of this user keep their state. Only the process says so: a file `.env` may have
    /// come with the folder.
    #[expect(
        clippy::disallowed_methods,
        clippy::unused_self,
        reason = "this is the one place that reads the environment"
    )]
    fn state_home(&self) -> Option<PathBuf> {
        let given = |name: &str| {
            let path = PathBuf::from(std::env::var_os(name)?);
            path.is_absolute().then_some(path)
        };
        given("XDG_STATE_HOME").or_else(|| Some(given("HOME")?.join(".local/state")))
    }

    /// The address of a database, where one is named; an unusable one is told without its value.
    pub(crate) fn database_url(&self, name: &str) -> Result<Option<DatabaseUrl>, CommandError> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        let url = DatabaseUrl::new(text).ok_or_else(|| {
            CommandError::new(format!(
                "{name} is not the address of a PostgreSQL database"
            ))
            .hint("it looks like postgresql://user:password@host/database")
        })?;
        Ok(Some(url))
    }

    /// What the client may ask: private addresses only where the operator says so.
    pub(crate) fn reach(&self) -> Reach {
        match self.get(ALLOW_PRIVATE).as_deref() {
            None | Some("0" | "false" | "no") => Reach::Public,
            Some(_) => Reach::Local,
        }
    }

    /// The client for services that are no provider of prices or models.
    pub(crate) fn http(&self) -> Result<HttpClient, CommandError> {
        let limits = HttpLimits {
            reach: self.reach(),
            ..HttpLimits::default()
        };
        HttpClient::new(limits).map_err(|error| CommandError::new(error.to_string()))
    }

    /// A Supabase project with the rights of a key.
    pub(crate) fn supabase(&self, url: &str, key: &str) -> Result<Supabase, CommandError> {
        let base = self.get(url).ok_or_else(|| {
            let hint = format!("export {url}=https://PROJECT.supabase.co or write it into .env");
            CommandError::new(format!("{url} is not set")).hint(hint)
        })?;
        Supabase::new(self.http()?, &base, self.key(key)?)
            .map_err(|error| CommandError::new(format!("{url}: {error}")))
    }

    /// A key; a missing or unusable one names its variable and never its value.
    pub(crate) fn key(&self, name: &str) -> Result<ApiKey, CommandError> {
        let missing = || {
            CommandError::new(format!("{name} is not set"))
                .hint(format!("export {name}=… or write it into .env"))
        };
        let text = self.get(name).ok_or_else(missing)?;
        ApiKey::new(text).ok_or_else(|| {
            CommandError::new(format!(
                "{name} is not a key: it holds a space or a control character"
            ))
        })
    }
}

/// Lines `NAME=value`; quotes around the value are taken off, other lines are left alone.
fn parse(text: &str) -> Vec<(String, Wiped<String>)> {
    let lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with('#'));
    let pairs =
        lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    pairs
        .map(|(name, value)| {
            let value = value.trim();
            let inner = ['"', '\'']
                .into_iter()
                .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
            let value = inner.unwrap_or(value).to_owned();
            (name.trim().to_owned(), Wiped::new(value))
        })
        .collect()
}

#[cfg(test)]
mod tests;
