//! [`Clocks`]: the outside clocks, and the witnesses beside them, that an operator names.

use std::path::Path;

use capitalbench_adapters::outside_clock::ClockUrl;
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::log::clock_name;

use super::anchor::Kind;
use super::witnesses::Witnesses;
use crate::error::Error;
use crate::operator::configuration::Configuration;

/// Whom to ask, where no flag says so.
pub(crate) const AUTHORITIES: &str = "CAPITALBENCH_TSA_URLS";
pub(crate) const CALENDARS: &str = "CAPITALBENCH_OTS_URLS";
/// Files with the root certificates of authorities, a line each.
pub(crate) const ROOTS: &str = "CAPITALBENCH_TSA_ROOTS";

/// The clocks that are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clocks {
    pub authorities: Vec<ClockUrl>,
    pub calendars: Vec<ClockUrl>,
    /// Certificates that vouch for authorities; kept with the log once a stamp holds by them.
    pub roots: Vec<RootFile>,
    /// Who cosigns what the clocks stamp.
    pub witnesses: Witnesses,
}

/// A file of root certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootFile {
    /// Its name in the log, without an ending.
    pub name: String,
    pub pem: Vec<u8>,
}

impl RootFile {
    pub fn read(file: &Path) -> Result<Self, FileError> {
        let pem = file_ops::read(file)?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        Ok(Self { name, pem })
    }
}

/// Files of roots, a line each.
fn roots(list: &str) -> Result<Vec<RootFile>, Error> {
    let files = list.lines().map(str::trim).filter(|file| !file.is_empty());
    let read = |file: &str| {
        RootFile::read(Path::new(file)).map_err(|error| Error::new(format!("{ROOTS}: {error}")))
    };
    files.map(read).collect()
}

impl Clocks {
    pub fn configured(configuration: &Configuration) -> Result<Self, Error> {
        Ok(Self {
            authorities: configuration.clock_urls(AUTHORITIES)?,
            calendars: configuration.clock_urls(CALENDARS)?,
            roots: roots(&configuration.get(ROOTS).unwrap_or_default())?,
            witnesses: Witnesses::configured(configuration)?,
        })
    }

    /// Whether no clock is named; there may be witnesses.
    pub fn has_no_clock(&self) -> bool {
        self.authorities.is_empty() && self.calendars.is_empty()
    }

    /// Whether nobody is named who could be asked.
    pub fn is_empty(&self) -> bool {
        self.has_no_clock() && self.witnesses.is_empty()
    }

    /// The witnesses alone.
    #[must_use]
    pub fn without_clocks(self) -> Self {
        Self {
            witnesses: self.witnesses,
            ..Self::default()
        }
    }

    /// Every clock with the name of its files; two may not have the same.
    pub(super) fn named(&self) -> Result<Vec<(Kind, ClockUrl, String)>, Error> {
        let authorities = self.authorities.iter().map(|url| (Kind::Authority, url));
        let calendars = self.calendars.iter().map(|url| (Kind::Calendar, url));
        let mut named: Vec<(Kind, ClockUrl, String)> = Vec::new();
        for (kind, url) in authorities.chain(calendars) {
            let (host, port) = url.machine();
            let name = clock_name(host, port);
            if let Some(other) = named.iter().find(|own| own.0 == kind && own.2 == name) {
                let text = format!("{url} and {} are the same machine", other.1);
                return Err(Error::new(text).hint("ask clocks of different operators"));
            }
            named.push((kind, url.clone(), name));
        }
        Ok(named)
    }
}
