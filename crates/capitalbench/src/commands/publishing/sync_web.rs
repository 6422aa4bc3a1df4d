//! `sync-web`: bring the public database up to date.

use std::path::Path;

use capitalbench_database::sync::Scope;
use capitalbench_operations::proof::promise::require_orders;
use capitalbench_operations::syncing::follow::scope_of_round;
use capitalbench_operations::syncing::store::whole::require_in_store;
use capitalbench_operations::syncing::target::{NOT_CONFIGURED, Target};
use serde_json::json;

use super::published::load;
use crate::cli::{Rounds, SyncWeb};
use crate::commands::notices::synced_in_words;
use crate::commands::{run_id, whole_path};
use crate::config::operator;
use crate::console::{document, is_json, line, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &SyncWeb) -> Result<Exit, Error> {
    let operator = operator(None)?;
    let Some(target) = Target::configured(&operator.configuration)? else {
        let reason = NOT_CONFIGURED;
        show(
            || json!({"synced": false, "reason": reason}),
            || line(format!("syncing was skipped: {reason}")),
        );
        return Ok(Exit::Success);
    };
    let round = arguments.round.as_deref().map(whole_path).transpose()?;
    let mut rounds: Rounds = arguments.rounds.clone();
    if let Some(round) = &round {
        rounds.dir.folder = round.parent().map(Path::to_path_buf).unwrap_or_default();
    }
    let publication = load(&rounds)?;
    require_orders(&rounds.folder, &publication)?;
    require_in_store(&rounds.folder)?;
    let scope = match &round {
        Some(round) => {
            let record = run_id(arguments.run_id.as_deref())?;
            scope_of_round(&publication, round, record.as_ref())?
        }
        None if arguments.include_cumulative => Scope::Whole,
        None => Scope::Rounds,
    };
    let synced = target.bring(&operator, &rounds.folder, &publication, &scope)?;
    if is_json() {
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
        line(synced_in_words(&synced));
    }
    Ok(Exit::Success)
}
