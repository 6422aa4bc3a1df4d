//! [`Target`]: a database that the configuration names, and how a publication gets there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::public::public_files::public_files;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::RoundId;
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::gateway::Gateway as _;
use capitalbench_database::log_files::bundles;
use capitalbench_database::round_files::Files;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, SyncError, Synced, sync};
use rayon::prelude::*;

use super::rest::Rest;
use crate::error::Error;
use crate::operator::configuration::Configuration;
use crate::operator::{Notice, Operator, wait};

/// The address of a Supabase project.
const SUPABASE_URL: &str = "SUPABASE_URL";
/// The key that may write there.
const SERVICE_KEY: &str = "SUPABASE_SERVICE_ROLE_KEY";
/// The key that everybody may have.
const PUBLIC_KEY: &str = "SUPABASE_ANON_KEY";
/// Why nothing is synced.
pub const NOT_CONFIGURED: &str =
    "neither SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY nor DATABASE_URL is set";

/// Requests over HTTP are smaller: a server in between may give each of them a few seconds only.
const HTTP_REQUEST_BYTES: usize = 1 << 20;

/// A way to the database.
#[derive(Debug)]
pub enum Target {
    /// By its own protocol.
    Direct(DatabaseUrl),
    /// Through `PostgREST`, with a storage for files.
    Rest(Box<Rest>),
}

impl Target {
    /// None where the configuration names no database.
    pub fn configured(configuration: &Configuration) -> Result<Option<Self>, Error> {
        let both = [SUPABASE_URL, SERVICE_KEY].map(|name| configuration.get(name));
        if both.iter().all(Option::is_some) {
            let rest = Rest(configuration.supabase(SUPABASE_URL, SERVICE_KEY)?);
            return Ok(Some(Self::Rest(Box::new(rest))));
        }
        Ok(configuration.database()?.map(Self::Direct))
    }

    /// The project as everybody may read it.
    pub fn public(configuration: &Configuration) -> Result<Rest, Error> {
        Ok(Rest(configuration.supabase(SUPABASE_URL, PUBLIC_KEY)?))
    }

    /// The version of its schema; none where it was never migrated.
    pub async fn schema_version(&self) -> Result<Option<i32>, Error> {
        let state = match self {
            Self::Direct(url) => Direct::connect(url).await?.state().await?,
            Self::Rest(rest) => rest.state().await?,
        };
        Ok(state.schema_version)
    }

    async fn sync(
        &self,
        operator: &Operator,
        delta: &Delta<'_>,
        scope: &Scope,
    ) -> Result<Synced, SyncError> {
        let tick = |done: usize, of: usize| {
            operator.say(&Notice::Progress {
                what: "syncing",
                done,
                of,
            });
        };
        tick(0, delta.names().count());
        let synced = match self {
            Self::Direct(url) => match Direct::connect(url).await {
                Ok(direct) => sync(&direct, delta, scope, REQUEST_BYTES, &tick).await,
                Err(error) => Err(error.into()),
            },
            Self::Rest(rest) => sync(rest.as_ref(), delta, scope, HTTP_REQUEST_BYTES, &tick).await,
        };
        operator.say(&Notice::ProgressEnded);
        synced
    }

    /// Brings the database up to date with a publication of a folder of rounds.
    pub fn bring(
        &self,
        operator: &Operator,
        rounds: &Path,
        publication: &Publication,
        scope: &Scope,
    ) -> Result<Synced, Error> {
        let synced = with_delta(rounds, publication, scope, |delta| {
            wait(self.sync(operator, delta, scope))
        })
        .map_err(|error| Error {
            message: format!("nothing was synced: {error}"),
            ..error
        })??;
        synced.map_err(|error| match error {
            SyncError::Gateway(error) => error.into(),
            SyncError::Part(error) => Error::new(format!("the sync ended early: {error}"))
                .hint("correct it and sync again; what was sent before is whole and stays"),
        })
    }
}

/// Makes the parts of a publication of a folder of rounds, with their public files and the log.
pub(super) fn with_delta<T>(
    rounds: &Path,
    publication: &Publication,
    scope: &Scope,
    work: impl FnOnce(&Delta<'_>) -> T,
) -> Result<T, Error> {
    let files = |round: &PublicRound| {
        let files = public_files(rounds, round, publication.as_of);
        let files = files.map_err(|error| error.to_string())?.into_iter();
        Ok(files.map(|file| (file.path, file.bytes)).collect())
    };
    let failed = |error: &dyn std::fmt::Display| Error::new(error.to_string());
    let mut delta = Delta::of(publication).map_err(|error| failed(&error))?;
    let resolved = |id: &RoundId| {
        let round = publication.round(id);
        round.is_some_and(|round| round.resolved().is_some())
    };
    let log = published_log(rounds, publication, scope)?;
    for files in bundles(log, resolved).map_err(|error| failed(&error))? {
        delta.add_log(files);
    }
    Ok(work(&delta.with_files(&files)))
}

/// The signed log as the site of the folder has it, with what it tells of the rounds that are synced.
fn published_log(folder: &Path, publication: &Publication, scope: &Scope) -> Result<Files, Error> {
    let log = LogFolder::of_rounds(folder);
    if log.verifier()?.is_none() {
        return Ok(Files::new());
    }
    let wanted = publication.rounds.par_iter().filter(|round| match scope {
        Scope::Round(id) => round.id() == id,
        Scope::Rounds | Scope::Whole => true,
    });
    let paths = wanted.map(|round| -> Result<(&str, BTreeSet<String>), Error> {
        let files = public_files(folder, round, publication.as_of)?.into_iter();
        Ok((round.id().as_str(), files.map(|file| file.path).collect()))
    });
    let public: BTreeMap<&str, BTreeSet<String>> = paths.collect::<Result<_, _>>()?;
    let rounds = publication.rounds.iter().map(|round| round.id().as_str());
    let rounds = rounds.filter(|round| public.contains_key(round));
    let shows =
        |round: &str, path: &str| public.get(round).is_some_and(|paths| paths.contains(path));
    Ok(log.published(publication.as_of, rounds, shows)?)
}
