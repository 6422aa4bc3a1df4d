//! `hash-round`: freeze a round, or check that it holds.

use capitalbench_archive::disk::layout;
use capitalbench_archive::disk::shell::shell_word;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::freeze::{self, Frozen};
use capitalbench_archive::round::round_folder::RoundFolder;
use serde_json::json;

use super::Exit;
use crate::cli::HashRound;
use crate::clock::{Clock, now_or};
use crate::console::{ERROR, GOOD, document, line, paint};
use crate::error::CommandError;
use crate::steps::anchor::follow_step;
use crate::steps::given_instant::note_given_instant;
use crate::steps::promise::require_key;
use crate::steps::record::{record, record_freeze};

pub(crate) fn run(arguments: &HashRound) -> Result<Exit, CommandError> {
    let folder = RoundFolder::open(&arguments.round.path)?;
    if arguments.check {
        return check(&folder, arguments.output.json);
    }
    let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
    require_key(&folder, &manifest)?;
    note_given_instant(&folder, "hash-round", arguments.now.instant)?;
    let frozen = freeze::freeze(&folder)?;
    let (state, count) = match frozen {
        Frozen::Written(count) => ("frozen", count),
        Frozen::Unchanged(count) => ("unchanged", count),
    };
    let clock = Clock::starting_at(arguments.now.instant);
    let now = now_or(arguments.now.instant);
    let recorded = match frozen {
        Frozen::Written(_) => record_freeze(&folder, now)?,
        Frozen::Unchanged(_) => record(&folder, now)?,
    };
    if arguments.output.json {
        document(&json!({
            "round_id": folder.name(),
            "state": state,
            "files": count,
            "log": recorded.to_json(),
        }));
    } else {
        line(format!(
            "{}: {} ({count} files)",
            folder.name(),
            paint(GOOD, state)
        ));
        recorded.print();
    }
    follow_step(&folder, &manifest, clock)?;
    Ok(Exit::Success)
}

fn check(folder: &RoundFolder, json: bool) -> Result<Exit, CommandError> {
    let Some(problems) = freeze::changes(folder)? else {
        let text = format!("{} is not frozen", folder.name());
        let next = format!(
            "capitalbench hash-round --round {}",
            shell_word(folder.path())
        );
        return Err(CommandError::new(text).hint(format!("freeze it with `{next}`")));
    };
    if json {
        let problems: Vec<_> = problems
            .iter()
            .map(|problem| json!({"file": problem.file(), "problem": problem.text()}))
            .collect();
        let state = if problems.is_empty() {
            "holds"
        } else {
            "does-not-hold"
        };
        document(&json!({"round_id": folder.name(), "state": state, "problems": problems}));
        return Ok(Exit::of(problems.is_empty()));
    }
    for problem in &problems {
        line(format!(
            "{}  {} {}",
            paint(ERROR, "error"),
            problem.file(),
            problem.text()
        ));
    }
    if problems.is_empty() {
        let count = freeze::stored_digests(folder)?.map_or(0, |stored| stored.len());
        line(format!("{}: {count} files hold", folder.name()));
    }
    Ok(Exit::of(problems.is_empty()))
}
