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
use capitalbench_core::decision::entering::admission::RoundTerms;
use capitalbench_core::decision::entering::registration::Registration;
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

/// What was found, and what could not be read or fetched, with the reason.
pub(super) type Looked = (Vec<Found>, Vec<(String, String)>);

impl Delivery {
    /// The registrations that the operator admits, in the order of their paths.
    pub(super) fn registrations(&self) -> Result<Looked, Error> {
        let mut looked = Looked::default();
        for path in &self.registrations {
            if path.is_dir() {
                look_in(path, &[REGISTRATION], &mut looked)?;
            } else if path.exists() || path.extension().is_some() {
                // A folder that is not there yet admits nobody; a file that is missing is a mistake.
                look_at(path, &mut looked);
            }
        }
        Ok(looked)
    }

    /// What lies in the folder of entries.
    pub(super) fn entries(&self) -> Result<Looked, Error> {
        let mut looked = Looked::default();
        if let Some(folder) = self.entries.as_deref().filter(|folder| folder.is_dir()) {
            look_in(folder, &ENDINGS, &mut looked)?;
        }
        Ok(looked)
    }
}

fn look_in(folder: &Path, endings: &[&str], looked: &mut Looked) -> Result<(), Error> {
    let mut names = walk(folder)?;
    names.retain(|name| endings.iter().any(|ending| name.ends_with(ending)));
    if names.len() > MOST_FILES {
        let text = format!("{} has more than {MOST_FILES} files", folder.display());
        return Err(Error::new(text).hint("move the files of rounds that are over elsewhere"));
    }
    for name in names {
        look_at(&folder.join(name), looked);
    }
    Ok(())
}

/// Reads a file that anybody may have put there: a link, or a file that is too large, keeps nobody
/// else's from being read.
fn look_at(path: &Path, (found, failed): &mut Looked) {
    let from = path.display().to_string();
    let length = std::fs::symlink_metadata(path).map_or(0, |about| about.len());
    if length > LARGEST as u64 {
        return failed.push((from, format!("it has more than {LARGEST} bytes")));
    }
    match file_ops::read(path) {
        Ok(bytes) => found.push(Found { from, bytes }),
        Err(error) => failed.push((from, FileError::from(error).problem())),
    }
}

/// Fetches what registered addresses have for the rounds that are open to it now.
pub(super) fn fetched(
    operator: &Operator,
    log: &LogFolder,
    told: &EntrantLog,
    at: Timestamp,
) -> Result<Looked, Error> {
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
    let mut asked = Vec::new();
    for own in told.register.entrants() {
        let address = own.registration.address.as_ref();
        if let Some(address) = address {
            for terms in &open {
                let names = wanted(told, &own.registration, terms, at).into_iter();
                asked.extend(names.map(|name| (address.clone(), name)));
            }
        }
    }
    // All at once, so that one that is slow keeps nobody waiting.
    let answers = wait(async move {
        let ask = |(address, name): (String, String)| {
            let from = format!("{address}/{name}");
            let asking = async move { fetch_small(limits, &address, &name).await };
            (from, tokio::spawn(asking))
        };
        let asked: Vec<_> = asked.into_iter().map(ask).collect();
        let mut answers = Vec::with_capacity(asked.len());
        for (from, asking) in asked {
            answers.push((from, asking.await));
        }
        answers
    })?;
    for (from, answer) in answers {
        match answer.map_err(|error| error.to_string()).flatten() {
            Ok(Some(bytes)) => found.push(Found { from, bytes }),
            Ok(None) => {}
            Err(why) => failed.push((from, why)),
        }
    }
    Ok((found, failed))
}

/// The files of an entrant that a round still takes.
fn wanted(told: &EntrantLog, own: &Registration, terms: &RoundTerms, at: Timestamp) -> Vec<String> {
    let one = |key: &capitalbench_core::decision::entering::names::EntrantKey| {
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
