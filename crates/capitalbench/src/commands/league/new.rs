//! `league new`.

use capitalbench_archive::disk::shell::shell_word;
use capitalbench_operations::league::new::{NewLeague, new_league};
use serde_json::json;

use crate::cli::LeagueNew;
use crate::console::{BOLD, line, next_step, paint, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &LeagueNew) -> Result<Exit, Error> {
    let made = new_league(&arguments.folder)?;
    let folder = shell_word(&arguments.folder);
    let next = if folder == "." {
        "capitalbench league run".to_owned()
    } else {
        format!("cd {folder} && capitalbench league run")
    };
    show(
        || {
            json!({
                "name": made.league.league.name,
                "folder": arguments.folder.display().to_string(),
                "files": made.files,
                "next": next,
            })
        },
        || print(&made, &next),
    );
    Ok(Exit::Success)
}

fn print(made: &NewLeague, next: &str) {
    let league = &made.league.league;
    line(format!(
        "{}: {}",
        paint(BOLD, &league.name),
        made.league.summary()
    ));
    line(format!("wrote {}", made.files.join(", ")));
    line(
        "It rehearses: mock models answer, the market is invented, nothing is paid. For real rounds write",
    );
    line(
        "your keys into .env, set allow_real_api_calls: true in league.yaml, then `league check`.",
    );
    next_step(next);
}
