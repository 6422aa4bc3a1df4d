//! `hash-round`: freeze a round, or check that it holds.

use capitalbench_archive::round::freeze::{self, Frozen};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_operations::opening::freezing::{changes, freeze_round};
use serde_json::json;

use crate::cli::HashRound;
use crate::commands::notices::{print_recorded, recorded_json};
use crate::config::operator;
use crate::console::{ERROR, GOOD, document, is_json, line, paint};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &HashRound) -> Result<Exit, Error> {
    if arguments.check {
        return check(&RoundFolder::open(&arguments.round.path)?);
    }
    let done = freeze_round(&operator(arguments.now.instant)?, &arguments.round.path)?;
    let (state, count) = match done.frozen {
        Frozen::Written(count) => ("frozen", count),
        Frozen::Unchanged(count) => ("unchanged", count),
    };
    let round = done.folder.name();
    if is_json() {
        document(&json!({
            "round_id": round,
            "state": state,
            "files": count,
            "log": recorded_json(&done.recorded),
        }));
    } else {
        line(format!("{round}: {} ({count} files)", paint(GOOD, state)));
        print_recorded(&done.recorded);
    }
    Ok(Exit::Success)
}

fn check(folder: &RoundFolder) -> Result<Exit, Error> {
    let problems = changes(folder)?;
    let holds = problems.is_empty();
    if is_json() {
        let problems: Vec<_> = problems
            .iter()
            .map(|problem| json!({"file": problem.file(), "problem": problem.text()}))
            .collect();
        let state = if holds { "holds" } else { "does-not-hold" };
        document(&json!({"round_id": folder.name(), "state": state, "problems": problems}));
        return Ok(Exit::of(holds));
    }
    for problem in &problems {
        let (file, text) = (problem.file(), problem.text());
        line(format!("{}  {file} {text}", paint(ERROR, "error")));
    }
    if holds {
        let count = freeze::stored_digests(folder)?.map_or(0, |stored| stored.len());
        line(format!("{}: {count} files hold", folder.name()));
    }
    Ok(Exit::of(holds))
}
