//! [`Delivery`]: how registrations, entries and openings reach a league.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_adapters::http::HttpLimits;
use capitalbench_adapters::site::fetch_small;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::entering::delivered::LARGEST;
use capitalbench_archive::entering::terms::round_terms;
use capitalbench_archive::log::LogFolder;
use capitalbench_archive::log::entrants::EntrantLog;
use capitalbench_archive::round::round_folder::list_rounds;
use capitalbench_archive::verify::walk;
use capitalbench_core::entering::admission::RoundTerms;
use capitalbench_core::entering::registration::Registration;
use jiff::Timestamp;

use super::sealing::file_name;
use crate::error::Error;
use crate::operator::{Operator, wait};

/// Most files of one folder; a league of this size needs another way.
const MOST_FILES: usize = 10_000;
/// Endings of the files that are read; a pull request may bring others.
const ENDINGS: [&str; 2] = [".sealed", ".opening"];
const REGISTRATION: &str = ".registration";
/// An address that is slow or down keeps nobody waiting.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Where a league finds what entrants bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Files, or folders of files, of those whom the operator admits.
    pub registrations: Vec<PathBuf>,
    /// A folder to which entrants deliver, also by pull request.
    pub entries: Option<PathBuf>,
}

/// A file that was found, before anything of it is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its path or address.
    pub from: String,
    pub bytes: Vec<u8>,
}

impl Delivery {
    /// The registrations that the operator admits, in the order of their paths.
    pub(super) fn registrations(&self) -> Result<Vec<Found>, Error> {
        let mut found = Vec::new();
        for path in &self.registrations {
            if path.is_dir() {
                found.extend(files_in(path, &[REGISTRATION])?);
            } else if path.exists() || path.extension().is_some() {
                // A folder that is not there yet admits nobody; a file that is missing is a mistake.
                found.push(file(path)?);
            }
        }
        Ok(found)
    }

    /// What lies in the folder of entries.
    pub(super) fn entries(&self) -> Result<Vec<Found>, Error> {
        let folder = self.entries.as_deref().filter(|folder| folder.is_dir());
        folder.map_or(Ok(Vec::new()), |folder| files_in(folder, &ENDINGS))
    }
}

fn files_in(folder: &Path, endings: &[&str]) -> Result<Vec<Found>, Error> {
    let mut names = walk(folder)?;
    names.retain(|name| endings.iter().any(|ending| name.ends_with(ending)));
    if names.len() > MOST_FILES {
        let text = format!("{} has more than {MOST_FILES} files", folder.display());
        return Err(Error::new(text).hint("move the files of rounds that are over elsewhere"));
    }
    names.iter().map(|name| file(&folder.join(name))).collect()
}

fn file(path: &Path) -> Result<Found, Error> {
    Ok(Found {
        from: path.display().to_string(),
        bytes: file_ops::read(path).map_err(FileError::from)?,
    })
}

/// What was fetched, and what could not be.
pub(super) type Fetched = (Vec<Found>, Vec<(String, String)>);

/// Fetches what registered addresses have for the rounds that are open to it now.
pub(super) fn fetched(
    operator: &Operator,
    log: &LogFolder,
    told: &EntrantLog,
    at: Timestamp,
) -> Result<Fetched, Error> {
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    for folder in list_rounds(log.rounds())? {
        let terms = round_terms(&folder)?;
        open.extend(terms.filter(|terms| at < terms.times.closes));
    }
    let limits = HttpLimits {
        connect_timeout: TIME_LIMIT,
        total_timeout: TIME_LIMIT,
        body_bytes: LARGEST,
        reach: operator.configuration.reach(),
    };
    for own in told.register.entrants() {
        let Some(address) = &own.registration.address else {
            continue;
        };
        for name in open
            .iter()
            .flat_map(|terms| wanted(told, &own.registration, terms, at))
        {
            let from = format!("{address}/{name}");
            match wait(fetch_small(limits, address, &name))? {
                Ok(Some(bytes)) => found.push(Found { from, bytes }),
                Ok(None) => {}
                Err(why) => failed.push((from, why)),
            }
        }
    }
    Ok((found, failed))
}

/// The files of an entrant that a round still takes.
fn wanted(told: &EntrantLog, own: &Registration, terms: &RoundTerms, at: Timestamp) -> Vec<String> {
    let one = |key: &capitalbench_core::entering::names::EntrantKey| {
        let slot = told.register.slot(&terms.round, key);
        let ending = match slot {
            None if at < terms.times.deadline => "sealed",
            Some(slot) if slot.opened.is_none() && at >= terms.times.opens => "opening",
            _ => return None,
        };
        Some(file_name(terms.round.as_str(), key.name(), ending))
    };
    own.keys.iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests;
