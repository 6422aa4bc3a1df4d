//! `sync-web`: bring the public database up to date.

use std::path::{Path, PathBuf};

use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_core::values::ids::RoundId;
use capitalbench_database::sync::Scope;
use serde_json::json;

use super::published::{load, unknown};
use super::{Exit, run_id};
use crate::cli::{Rounds, RoundsDir, SyncWeb};
use crate::console::{document, line};
use crate::error::CommandError;
use crate::steps::promise::require_orders;
use crate::steps::public_store::{NOT_CONFIGURED, Target, in_words};

pub(crate) fn run(arguments: &SyncWeb) -> Result<Exit, CommandError> {
    let Some(target) = Target::configured()? else {
        let reason = NOT_CONFIGURED;
        if arguments.output.json {
            document(&json!({"synced": false, "reason": reason}));
        } else {
            line(format!("syncing was skipped: {reason}"));
        }
        return Ok(Exit::Success);
    };
    let rounds = match &arguments.round {
        Some(round) => beside(arguments, round)?,
        None => arguments.rounds.clone(),
    };
    let publication = load(&rounds)?;
    require_orders(&rounds.folder, &publication)?;
    let scope = match &arguments.round {
        Some(round) => one_round(arguments, round, &publication)?,
        None if arguments.include_cumulative => Scope::Whole,
        None => Scope::Rounds,
    };
    let synced = target.bring(&rounds.folder, &publication, &scope)?;
    if arguments.output.json {
        document(&json!({
            "synced": true,
            "as_of": publication.as_of.to_string(),
            "requests": synced.requests,
            "uploads": synced.uploads,
            "rows_written": synced.counts.written,
            "rows_removed": synced.counts.removed,
            "parts_changed": synced.counts.parts_changed,
        }));
    } else {
        line(in_words(&synced));
    }
    Ok(Exit::Success)
}

/// The folder that a round lies in.
fn beside(arguments: &SyncWeb, round: &Path) -> Result<Rounds, CommandError> {
    let folder = whole(round)?.parent().map(Path::to_path_buf);
    Ok(Rounds {
        dir: RoundsDir {
            folder: folder.unwrap_or_default(),
        },
        ..arguments.rounds.clone()
    })
}

fn whole(round: &Path) -> Result<PathBuf, CommandError> {
    std::fs::canonicalize(round)
        .map_err(|error| CommandError::new(format!("{}: {error}", round.display())))
}

fn one_round(
    arguments: &SyncWeb,
    round: &Path,
    publication: &Publication,
) -> Result<Scope, CommandError> {
    let path = whole(round)?;
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let id = RoundId::parse(name).map_err(|error| CommandError::new(error.to_string()))?;
    let Some(found) = publication.round(&id) else {
        let known: Vec<&str> = publication.rounds.iter().map(|r| r.id().as_str()).collect();
        return Err(unknown("public round", id.as_str(), &known));
    };
    if let Some(wanted) = run_id(arguments.run_id.as_deref())? {
        let record = match &found.state {
            RoundState::Draft => None,
            RoundState::Open(open) => Some(&open.run_id),
            RoundState::Resolved(resolved) => Some(&resolved.run_id),
        };
        if record != Some(&wanted) {
            let error = CommandError::new(format!("{wanted} is not the record of {id}"));
            return Err(match record {
                Some(record) => error.hint(format!("its record is {record}")),
                None => error.hint("it has none yet; make one with `capitalbench accept-run`"),
            });
        }
    }
    Ok(Scope::Round(id))
}
