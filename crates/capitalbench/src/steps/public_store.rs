//! The public database: named by the environment, brought up to date after what changed the record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_archive::log::LogFolder;
use capitalbench_archive::public::public_files::public_files;
use capitalbench_archive::public::public_record::publication;
use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::RoundId;
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::log_files::bundles;
use capitalbench_database::round_files::Files;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, SyncError, Synced, sync};
use jiff::Timestamp;
use rayon::prelude::*;

use crate::commands::Outcome;
use crate::config::Environment;
use crate::console::{DIM, ERROR, WARNING, paint, plural, progress, remark};
use crate::error::CommandError;
use crate::steps::promise::require_orders;
use crate::steps::rest::Rest;
use crate::steps::wait;

/// Names the database with user and password.
pub(crate) const DATABASE_URL: &str = "DATABASE_URL";
/// The address of a Supabase project.
pub(crate) const SUPABASE_URL: &str = "SUPABASE_URL";
/// The key that may write there.
const SERVICE_KEY: &str = "SUPABASE_SERVICE_ROLE_KEY";
/// The key that everybody may have.
const PUBLIC_KEY: &str = "SUPABASE_ANON_KEY";
/// Why nothing is synced.
pub(crate) const NOT_CONFIGURED: &str =
    "neither SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY nor DATABASE_URL is set";

/// Requests over HTTP are smaller: a server in between may give each of them a few seconds only.
const HTTP_REQUEST_BYTES: usize = 1 << 20;

/// A way to the database.
#[derive(Debug)]
pub(crate) enum Target {
    /// By its own protocol.
    Direct(DatabaseUrl),
    /// Through `PostgREST`, with a storage for files.
    Rest(Box<Rest>),
}

impl Target {
    /// What the environment names; none where it names nothing.
    pub(crate) fn configured() -> Result<Option<Self>, CommandError> {
        let environment = Environment::load()?;
        let both = [SUPABASE_URL, SERVICE_KEY].map(|name| environment.get(name));
        if both.iter().all(Option::is_some) {
            let rest = Rest(environment.supabase(SUPABASE_URL, SERVICE_KEY)?);
            return Ok(Some(Self::Rest(Box::new(rest))));
        }
        let url = environment.database_url(DATABASE_URL)?;
        Ok(url.map(Self::Direct))
    }

    /// The address for work that needs the owner of the tables.
    pub(crate) fn owner() -> Result<DatabaseUrl, CommandError> {
        database()?.ok_or_else(|| {
            let hint = "export DATABASE_URL=postgresql://user:password@host/database";
            CommandError::new(format!("{DATABASE_URL} is not set")).hint(hint)
        })
    }

    /// The project as everybody may read it.
    pub(crate) fn public() -> Result<Rest, CommandError> {
        let environment = Environment::load()?;
        Ok(Rest(environment.supabase(SUPABASE_URL, PUBLIC_KEY)?))
    }

    async fn sync(&self, delta: &Delta<'_>, scope: &Scope) -> Result<Synced, SyncError> {
        let bar = progress(delta.names().count(), "syncing");
        let tick = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let synced = match self {
            Self::Direct(url) => {
                let direct = Direct::connect(url).await?;
                sync(&direct, delta, scope, REQUEST_BYTES, &tick).await
            }
            Self::Rest(rest) => sync(rest.as_ref(), delta, scope, HTTP_REQUEST_BYTES, &tick).await,
        };
        bar.finish_and_clear();
        synced
    }

    /// Brings the database up to date with a publication of a folder of rounds.
    pub(crate) fn bring(
        &self,
        rounds: &Path,
        publication: &Publication,
        scope: &Scope,
    ) -> Result<Synced, CommandError> {
        let files = |round: &PublicRound| {
            let files = public_files(rounds, round, publication.as_of);
            let files = files.map_err(|error| error.to_string())?.into_iter();
            Ok(files.map(|file| (file.path, file.bytes)).collect())
        };
        let unsynced = |error: &dyn std::fmt::Display| {
            CommandError::new(format!("nothing was synced: {error}"))
        };
        let mut delta = Delta::of(publication).map_err(|error| unsynced(&error))?;
        let resolved = |id: &RoundId| {
            let round = publication.round(id);
            round.is_some_and(|round| round.resolved().is_some())
        };
        let log = published_log(rounds, publication, scope)?;
        for files in bundles(log, resolved).map_err(|error| unsynced(&error))? {
            delta.add_log(files);
        }
        let synced = wait(self.sync(&delta.with_files(&files), scope))?;
        synced.map_err(|error| match error {
            SyncError::Gateway(error) => told(&error),
            SyncError::Part(error) => CommandError::new(format!("the sync ended early: {error}"))
                .hint("correct it and sync again; what was sent before is whole and stays"),
        })
    }
}

/// The signed log as the site of the folder has it, with what it tells of the rounds that are synced.
fn published_log(
    folder: &Path,
    publication: &Publication,
    scope: &Scope,
) -> Result<Files, CommandError> {
    let log = LogFolder::of_rounds(folder);
    if log.verifier()?.is_none() {
        return Ok(Files::new());
    }
    let wanted = publication.rounds.par_iter().filter(|round| match scope {
        Scope::Round(id) => round.id() == id,
        Scope::Rounds | Scope::Whole => true,
    });
    let paths = wanted.map(|round| -> Result<(&str, BTreeSet<String>), CommandError> {
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

/// The address of the database itself, where one is named.
pub(crate) fn database() -> Result<Option<DatabaseUrl>, CommandError> {
    Environment::load()?.database_url(DATABASE_URL)
}

/// What a database said, as a command says it.
pub(crate) fn told(error: &GatewayError) -> CommandError {
    let hint = error.remedy();
    CommandError::new(error.to_string()).hint(hint)
}

/// What a sync did, in words.
pub(crate) fn in_words(synced: &Synced) -> String {
    let counts = synced.counts;
    let rows = |count: u64, what: &str| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        format!("{} {what}", plural(count, "row"))
    };
    let requests = plural(synced.requests, "request");
    let requests = match synced.uploads {
        0 => requests,
        uploads => format!("{requests}, {} of files", plural(uploads, "upload")),
    };
    if counts.written + counts.removed == 0 {
        return format!("the database is up to date ({requests})");
    }
    let (written, removed) = (
        rows(counts.written, "written"),
        rows(counts.removed, "removed"),
    );
    format!("synced: {written}, {removed} ({requests})")
}

/// After a round changed: brings it to the database, where there is one. The work itself is done and
/// stays done; only the outcome tells that the database is behind.
pub(crate) fn follow_round(round: &Path, now: Timestamp) -> Outcome {
    let id = std::fs::canonicalize(round).unwrap_or_else(|_| round.to_path_buf());
    let named = id
        .file_name()
        .and_then(|name| name.to_str())
        .map(RoundId::parse);
    let (Some(Ok(id)), Some(rounds)) = (named, id.parent()) else {
        let text = format!("not synced: {} is no name of a round", id.display());
        remark(paint(WARNING, text));
        return Outcome::Holds;
    };
    follow(|target| {
        let found = load(rounds, now)?;
        if found.round(&id).is_none() {
            remark(paint(DIM, format!("not synced: {id} is not public")));
            return Ok(());
        }
        send(target, (rounds, &found), &Scope::Round(id.clone()))
    })
}

/// After several rounds or the boards changed.
pub(crate) fn follow_folder(rounds: &Path, now: Timestamp) -> Outcome {
    follow(|target| send(target, (rounds, &load(rounds, now)?), &Scope::Whole))
}

/// After a publication was written; one of an instant that was asked for is not what is public now.
pub(crate) fn follow_publication(
    (rounds, publication): (&Path, &Publication),
    asked_for: Option<Timestamp>,
    scope: &Scope,
) -> Outcome {
    follow(|target| {
        if asked_for.is_some() {
            remark(paint(
                DIM,
                "not synced: --as-of shows another instant; use sync-web",
            ));
            return Ok(());
        }
        send(target, (rounds, publication), scope)
    })
}

fn follow(work: impl FnOnce(&Target) -> Result<(), CommandError>) -> Outcome {
    let done = match Target::configured() {
        Ok(Some(target)) => work(&target),
        Ok(None) => {
            remark(paint(DIM, format!("not synced: {NOT_CONFIGURED}")));
            Ok(())
        }
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => Outcome::Holds,
        Err(error) => {
            remark(paint(
                ERROR,
                "the work above is done, but the database was not synced",
            ));
            error.report();
            Outcome::DoesNotHold
        }
    }
}

fn load(rounds: &Path, now: Timestamp) -> Result<Publication, CommandError> {
    let found = publication(rounds, now, &|| ());
    let found = found.map_err(|error| CommandError::new(error.to_string()))?;
    require_orders(rounds, &found)?;
    Ok(found)
}

fn send(
    target: &Target,
    (rounds, publication): (&Path, &Publication),
    scope: &Scope,
) -> Result<(), CommandError> {
    if publication.synthetic {
        // A demo beside a configured database must not replace the record.
        remark(paint(
            DIM,
            "not synced: the market is invented; use sync-web",
        ));
        return Ok(());
    }
    let synced = target.bring(rounds, publication, scope)?;
    remark(paint(DIM, in_words(&synced)));
    Ok(())
}
