//! Where the website takes its record from: a folder of rounds, or a database or an address with the
//! rights of the public.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use capitalbench_archive::log::{LOG_LIST, LogFolder, SIGNED, log_list, places_file, signed_list};
use capitalbench_archive::public::public_files::{
    FileMark, Listing, fingerprint, listing, public_files,
};
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::Digest;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::read::{ReadError, Source, StoredPublication, read};
use capitalbench_operations::operator::wait;
use capitalbench_operations::proof::promise::require_orders;
use capitalbench_operations::syncing::public_prefix::PublicAddress;
use capitalbench_operations::syncing::rest::Rest;
use capitalbench_operations::syncing::store::whole::require_in_store;
use capitalbench_operations::syncing::target::Target;
use capitalbench_site::Files;

use super::published::{self, say_synthetic};
use crate::cli::{RecordSource, Rounds};
use crate::config::Environment;
use crate::error::Error;

/// A place where the record lies.
pub(super) enum Origin {
    Folder(Rounds),
    Supabase(Rest),
    Database(DatabaseUrl),
    Public(PublicAddress),
}

/// What the site is made of.
pub(super) struct Loaded {
    pub(super) publication: Arc<Publication>,
    files: FilesIn,
}

/// Where the files of rounds are.
enum FilesIn {
    /// Still in their folders.
    Folder(PathBuf),
    /// Read with the record.
    Record(Box<StoredPublication>),
}

/// A public file of a round.
pub(super) struct OwnFile {
    /// Its path in the round.
    pub(super) path: String,
    pub(super) digest: Digest,
    pub(super) bytes: Bytes,
    /// Which file it is, where it lies in a folder.
    pub(super) mark: Option<FileMark>,
}

impl Loaded {
    /// The public files of a round, in order of path.
    pub(in crate::commands) fn own_files(
        &self,
        round: &PublicRound,
    ) -> Result<Vec<OwnFile>, Error> {
        match &self.files {
            FilesIn::Folder(folder) => {
                let found = public_files(folder, round, self.publication.as_of)?.into_iter();
                let own = found.map(|file| OwnFile {
                    path: file.path,
                    digest: file.digest,
                    bytes: file.bytes.into(),
                    mark: Some(file.mark),
                });
                Ok(own.collect())
            }
            FilesIn::Record(record) => {
                let own = record.files.get(round.id()).into_iter();
                let own = own.flat_map(|(_, files)| files.iter());
                let own = own.map(|(path, bytes)| OwnFile {
                    path: path.clone(),
                    digest: Digest::of(bytes),
                    bytes: bytes.clone().into(),
                    mark: None,
                });
                Ok(own.collect())
            }
        }
    }

    /// The same as paths and bytes.
    pub(in crate::commands) fn files_of(&self, round: &PublicRound) -> Result<Files, Error> {
        let own = self.own_files(round)?.into_iter();
        Ok(own.map(|file| (file.path, file.bytes)).collect())
    }

    /// What the public files of a round are, where that can be told without reading them.
    pub(in crate::commands) fn listing(
        &self,
        round: &PublicRound,
    ) -> Result<Option<Listing>, Error> {
        let found = self
            .folder()
            .map(|folder| listing(folder, round, self.publication.as_of));
        Ok(found.transpose()?)
    }

    /// The folder of rounds, where there is one.
    pub(in crate::commands) fn folder(&self) -> Option<&Path> {
        match &self.files {
            FilesIn::Folder(folder) => Some(folder),
            FilesIn::Record(_) => None,
        }
    }

    /// The signed log, where it may be shown; asks whether the site has a file of a round.
    pub(in crate::commands) fn log(
        &self,
        shows: impl Fn(&str, &str) -> bool,
    ) -> Result<Files, Error> {
        let publication = &self.publication;
        let rounds = publication.rounds.iter().map(|round| round.id().as_str());
        let mut files = match &self.files {
            FilesIn::Record(record) => log_of(record, rounds),
            FilesIn::Folder(folder) => {
                let log = LogFolder::of_rounds(folder);
                let files = log.published(publication.as_of, rounds, shows)?;
                let bytes = |(path, bytes): (String, Vec<u8>)| (path, bytes.into());
                files.into_iter().map(bytes).collect()
            }
        };
        if !files.is_empty() {
            let list = log_list(files.keys());
            files.insert(LOG_LIST.to_owned(), list.into());
        }
        Ok(files)
    }
}

/// The log that came with a record: a round that is withheld is not listed among the signed ones.
fn log_of<'a>(record: &StoredPublication, rounds: impl Iterator<Item = &'a str>) -> Files {
    let files = record.log_files();
    let mut files: Files = files
        .map(|(path, bytes)| (path.clone(), bytes.clone().into()))
        .collect();
    if !files.is_empty() {
        let signed: Vec<&str> = rounds
            .filter(|round| files.contains_key(&places_file(round)))
            .collect();
        files.insert(SIGNED.to_owned(), signed_list(&signed).into());
    }
    files
}

impl Origin {
    /// The place that was asked for.
    pub(in crate::commands) fn open(source: &RecordSource, rounds: &Rounds) -> Result<Self, Error> {
        let configuration = Environment::load()?.into_configuration();
        Ok(match source {
            RecordSource::Folder => Self::Folder(rounds.clone()),
            RecordSource::Supabase => Self::Supabase(Target::public(&configuration)?),
            RecordSource::Database => Self::Database(configuration.required_database()?),
            RecordSource::Public(address) => {
                let home = Environment::cache_home()?;
                Self::Public(PublicAddress::open(&configuration, address, &home)?)
            }
        })
    }

    /// How often to look whether it changed.
    pub(in crate::commands) fn look_every(&self) -> Duration {
        match self {
            Self::Folder(_) => Duration::from_secs(2),
            Self::Supabase(_) | Self::Database(_) | Self::Public(_) => Duration::from_secs(10),
        }
    }

    /// Whether what is public changes by the clock alone.
    pub(in crate::commands) fn follows_the_clock(&self) -> bool {
        matches!(self, Self::Folder(rounds) if rounds.as_of.is_none())
    }

    /// A mark that changes when the record does.
    pub(in crate::commands) fn mark(&self) -> Result<String, Error> {
        match self {
            Self::Folder(rounds) => Ok(fingerprint(&rounds.folder)?.to_hex()),
            Self::Supabase(rest) => wait(mark(rest))?,
            Self::Database(url) => wait(async {
                let public = public(url).await.map_err(|error| unread(&error))?;
                mark(&public).await
            })?,
            Self::Public(address) => Ok(Digest::of(&address.list()?).to_hex()),
        }
    }

    /// Reads the record; files that were read before and did not change are not asked for again.
    pub(in crate::commands) fn load(&self, before: Option<&Loaded>) -> Result<Loaded, Error> {
        let is_first = before.is_none();
        let before = before.and_then(|loaded| match &loaded.files {
            FilesIn::Folder(_) => None,
            FilesIn::Record(record) => Some(&**record),
        });
        let record = match self {
            Self::Folder(rounds) => {
                let publication = if is_first {
                    published::load(rounds)?
                } else {
                    published::load_again(rounds)?
                };
                require_orders(&rounds.folder, &publication)?;
                require_in_store(&rounds.folder)?;
                return Ok(Loaded {
                    publication: Arc::new(publication),
                    files: FilesIn::Folder(rounds.folder.clone()),
                });
            }
            Self::Supabase(rest) => wait(read(rest, before))?.map_err(|error| unread(&error))?,
            Self::Database(url) => wait(async { read(&public(url).await?, before).await })?
                .map_err(|error| unread(&error))?,
            Self::Public(address) => address.read(before)?,
        };
        say_synthetic(is_first && record.publication.synthetic);
        Ok(Loaded {
            publication: Arc::new(record.publication.clone()),
            files: FilesIn::Record(Box::new(record)),
        })
    }
}

async fn public(url: &DatabaseUrl) -> Result<Direct, ReadError> {
    Ok(Direct::connect_as_public(url).await?)
}

async fn mark<S: Source>(source: &S) -> Result<String, Error> {
    let header = source.header().await.map_err(Error::from)?;
    let header = header.ok_or_else(|| unread(&ReadError::Empty))?;
    Ok(header.parts_sha256)
}

fn unread(error: &ReadError) -> Error {
    Error::new(error.to_string()).hint(error.remedy())
}
