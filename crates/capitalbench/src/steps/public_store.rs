//! The public database: named by the environment, brought up to date after what changed the record.

use std::path::Path;

use capitalbench_archive::public_record::publication;
use capitalbench_core::ids::RoundId;
use capitalbench_core::publication::Publication;
use capitalbench_database::delta::Delta;
use capitalbench_database::direct::{DatabaseUrl, Direct};
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::sync::{REQUEST_BYTES, Scope, Synced, sync};
use jiff::Timestamp;

use crate::commands::Outcome;
use crate::config::Environment;
use crate::console::{DIM, ERROR, paint, plural, progress, remark};
use crate::error::CommandError;
use crate::steps::promise::require_orders;
use crate::steps::wait;

/// Names the database with user and password.
pub(crate) const DATABASE_URL: &str = "DATABASE_URL";

/// A way to the database.
#[derive(Debug)]
pub(crate) enum Target {
    /// By its own protocol.
    Direct(DatabaseUrl),
}

impl Target {
    /// What the environment names; none where it names nothing.
    pub(crate) fn configured() -> Result<Option<Self>, CommandError> {
        let url = Environment::load()?.database_url(DATABASE_URL)?;
        Ok(url.map(Self::Direct))
    }

    /// The address for work that needs the owner of the tables.
    pub(crate) fn owner() -> Result<DatabaseUrl, CommandError> {
        let url = Environment::load()?.database_url(DATABASE_URL)?;
        url.ok_or_else(|| {
            let hint = "export DATABASE_URL=postgresql://user:password@host/database";
            CommandError::new(format!("{DATABASE_URL} is not set")).hint(hint)
        })
    }

    async fn sync(&self, delta: &Delta, scope: &Scope) -> Result<Synced, GatewayError> {
        let bar = progress(delta.parts.len(), "syncing");
        let tick = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        let way = (scope, REQUEST_BYTES);
        let synced = match self {
            Self::Direct(url) => sync(&Direct::connect(url).await?, delta, way, &tick).await,
        };
        bar.finish_and_clear();
        synced
    }

    /// Brings the database up to date.
    pub(crate) fn bring(
        &self,
        publication: &Publication,
        scope: &Scope,
    ) -> Result<Synced, CommandError> {
        let delta = Delta::of(publication);
        let delta =
            delta.map_err(|error| CommandError::new(format!("nothing was synced: {error}")))?;
        wait(self.sync(&delta, scope))?.map_err(|error| told(&error))
    }
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
        return Outcome::Holds;
    };
    follow(|target| {
        let found = load(rounds, now)?;
        if found.round(&id).is_none() {
            remark(paint(DIM, format!("not synced: {id} is not public")));
            return Ok(());
        }
        send(target, &found, &Scope::Round(id.clone()))
    })
}

/// After several rounds or the boards changed.
pub(crate) fn follow_folder(rounds: &Path, now: Timestamp) -> Outcome {
    follow(|target| send(target, &load(rounds, now)?, &Scope::Whole))
}

/// After a publication was written; one of an instant that was asked for is not what is public now.
pub(crate) fn follow_publication(
    publication: &Publication,
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
        send(target, publication, scope)
    })
}

fn follow(work: impl FnOnce(&Target) -> Result<(), CommandError>) -> Outcome {
    let done = match Target::configured() {
        Ok(Some(target)) => work(&target),
        Ok(None) => {
            remark(paint(DIM, format!("not synced: {DATABASE_URL} is not set")));
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

fn send(target: &Target, publication: &Publication, scope: &Scope) -> Result<(), CommandError> {
    if publication.synthetic {
        // A demo beside a configured database must not replace the record.
        remark(paint(
            DIM,
            "not synced: the market is invented; use sync-web",
        ));
        return Ok(());
    }
    let synced = target.bring(publication, scope)?;
    remark(paint(DIM, in_words(&synced)));
    Ok(())
}
