//! [`Configuration`]: the variables that an operator sets, and what they mean.

use std::path::{Path, PathBuf};

use capitalbench_adapters::http::{HttpClient, HttpLimits, Reach};
use capitalbench_adapters::outside_clock::ClockUrl;
use capitalbench_adapters::secret::ApiKey;
use capitalbench_adapters::supabase::Supabase;
use capitalbench_archive::disk::layout;
use capitalbench_archive::log::LogFolder;
use capitalbench_database::direct::DatabaseUrl;
use jiff::SignedDuration;

use crate::error::Error;

/// Names the private key of the log where it does not lie among the rounds.
pub const LOG_KEY: &str = "CAPITALBENCH_LOG_KEY";
/// Names the database with user and password.
pub const DATABASE_URL: &str = "DATABASE_URL";
/// Lets every source and provider stand at an address of this machine or of a private network.
const ALLOW_PRIVATE: &str = "CAPITALBENCH_ALLOW_PRIVATE_ADDRESSES";
const STATE_DIR: &str = "CAPITALBENCH_STATE_DIR";
/// How old a stamp may be to count as fresh.
const MAX_AGE: &str = "CAPITALBENCH_ANCHOR_MAX_AGE_HOURS";
const MAX_AGE_HOURS: i64 = 24;

/// Looks a variable up by its name.
type Lookup = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The program looks the variables up; an operation that needs one reads it here, so that a wrong
/// value stops only the operations that use it. Errors name the variable and never its value.
pub struct Configuration(Lookup);

impl Configuration {
    pub fn new(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Box::new(lookup))
    }

    /// A configuration in which nothing is set.
    pub fn empty() -> Self {
        Self::new(|_| None)
    }

    /// A variable that is set and not blank.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name)
    }

    /// Where the private key of a log lies.
    pub fn log_key(&self, log: &LogFolder) -> PathBuf {
        let given = self.get(LOG_KEY).map(PathBuf::from);
        given.unwrap_or_else(|| log.rounds().join(layout::LOG_KEY))
    }

    /// Beside the rounds, where every process that works on them finds it, unless told otherwise.
    pub fn state_folder(&self, rounds: &Path) -> PathBuf {
        let given = self.get(STATE_DIR).map(PathBuf::from);
        given.unwrap_or_else(|| rounds.join(layout::STATE))
    }

    /// How old a stamp may be to count as fresh.
    pub fn stamp_max_age(&self) -> Result<SignedDuration, Error> {
        let Some(text) = self.get(MAX_AGE) else {
            return Ok(SignedDuration::from_hours(MAX_AGE_HOURS));
        };
        let hours = text.parse().ok().filter(|hours| (1..=8760).contains(hours));
        let wrong = || Error::new(format!("{MAX_AGE}={text}: must be 1 to 8760 hours"));
        Ok(SignedDuration::from_hours(hours.ok_or_else(wrong)?))
    }

    /// The outside clocks that a variable lists.
    pub fn clock_urls(&self, name: &str) -> Result<Vec<ClockUrl>, Error> {
        let text = self.get(name).unwrap_or_default();
        let urls = text.split([' ', ',', '\n']).filter(|url| !url.is_empty());
        urls.map(|url| {
            let parsed = url.parse::<ClockUrl>();
            parsed.map_err(|error| Error::new(format!("{name}: {error}")))
        })
        .collect()
    }

    /// The address of the database, where one is named.
    pub fn database(&self) -> Result<Option<DatabaseUrl>, Error> {
        let Some(text) = self.get(DATABASE_URL) else {
            return Ok(None);
        };
        let url = DatabaseUrl::new(text).ok_or_else(|| {
            Error::new(format!(
                "{DATABASE_URL} is not the address of a PostgreSQL database"
            ))
            .hint("it looks like postgresql://user:password@host/database")
        })?;
        Ok(Some(url))
    }

    /// The address for work that needs the owner of the tables.
    pub fn required_database(&self) -> Result<DatabaseUrl, Error> {
        self.database()?.ok_or_else(|| {
            let hint = "export DATABASE_URL=postgresql://user:password@host/database";
            Error::new(format!("{DATABASE_URL} is not set")).hint(hint)
        })
    }

    /// Which addresses may be asked: private ones only where the operator says so.
    pub fn reach(&self) -> Reach {
        match self.get(ALLOW_PRIVATE).as_deref() {
            None | Some("0" | "false" | "no") => Reach::Public,
            Some(_) => Reach::Local,
        }
    }

    /// A client that asks within this reach.
    pub fn http(&self, reach: Reach) -> Result<HttpClient, Error> {
        let limits = HttpLimits {
            reach,
            ..HttpLimits::default()
        };
        HttpClient::new(limits).map_err(|error| Error::new(error.to_string()))
    }

    /// A Supabase project with the rights of a key.
    pub fn supabase(&self, url: &str, key: &str) -> Result<Supabase, Error> {
        let base = self.get(url).ok_or_else(|| {
            let hint = format!("export {url}=https://PROJECT.supabase.co or write it into .env");
            Error::new(format!("{url} is not set")).hint(hint)
        })?;
        Supabase::new(self.http(self.reach())?, &base, self.key(key)?)
            .map_err(|error| Error::new(format!("{url}: {error}")))
    }

    pub fn key(&self, name: &str) -> Result<ApiKey, Error> {
        let missing = || {
            Error::new(format!("{name} is not set"))
                .hint(format!("export {name}=… or write it into .env"))
        };
        let text = self.get(name).ok_or_else(missing)?;
        ApiKey::new(text).ok_or_else(|| {
            Error::new(format!(
                "{name} is not a key: it holds a space or a control character"
            ))
        })
    }
}
