//! A new league: a folder that works at once, as a rehearsal that costs nothing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::league::render;
use capitalbench_core::league::settings::League;
use capitalbench_core::market::published_prices::PublishedPrices;

use super::folder::{LEAGUE_FILE, LeagueFolder};
use crate::asking::providers::PROVIDERS;
use crate::error::Error;

const MODELS: &str = include_str!("new/models.yaml");
const README: &str = include_str!("new/README.md");
const WORKFLOW: &str = include_str!("new/workflow.yml");
const VERIFY: &str = include_str!("new/verify.yml");
const GITIGNORE: &str = include_str!("new/gitignore");
/// What a folder may hold that becomes a league: a repository begins with it.
const MAY_BE_THERE: &str = ".git";

/// What was written.
#[derive(Debug)]
pub struct NewLeague {
    pub league: LeagueFolder,
    /// Paths from the folder of the league.
    pub files: Vec<&'static str>,
}

/// Writes a league into a folder that is not there or empty.
pub fn new_league(folder: &Path) -> Result<NewLeague, Error> {
    refuse_used(folder)?;
    let name = name_of_new(folder)?;
    let usual = League::named(&name);
    let league = League {
        publish: PublishedPrices::usual_for(&usual.prices.source),
        ..usual
    };
    // The league file comes last: a folder that has it has everything.
    let files = [
        ("models.yaml", MODELS.to_owned()),
        (".env.example", variables()),
        (".gitignore", GITIGNORE.to_owned()),
        ("README.md", README.replacen("NAME", &name, 1)),
        (".github/workflows/league.yml", workflow()),
        (
            ".github/workflows/verify.yml",
            VERIFY.replace("VERSION", env!("CARGO_PKG_VERSION")),
        ),
        (LEAGUE_FILE, render(&league)),
    ];
    let texts = files.iter();
    let texts: Vec<(PathBuf, &str)> = texts
        .map(|(file, text)| (folder.join(file), text.as_str()))
        .collect();
    file_ops::replace_all(&texts)?;
    Ok(NewLeague {
        league: LeagueFolder::open(folder)?,
        files: files.iter().map(|(file, _)| *file).collect(),
    })
}

fn refuse_used(folder: &Path) -> Result<(), Error> {
    let failed = |error: std::io::Error| Error::new(format!("{}: {error}", folder.display()));
    let used = |what: &str| {
        let text = format!("{} {what}", folder.display());
        Error::new(text).hint("name a folder that is new or empty; nothing was written")
    };
    if folder.join(LEAGUE_FILE).exists() {
        return Err(used("is a league already"));
    }
    if !folder.exists() {
        return Ok(());
    }
    if !folder.is_dir() {
        return Err(used("is not a folder"));
    }
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if name != MAY_BE_THERE {
            return Err(used(&format!("is not empty: it holds {}", name.display())));
        }
    }
    Ok(())
}

/// The last part of the path; `.` means the folder that it stands for.
fn name_of_new(folder: &Path) -> Result<String, Error> {
    let whole = if folder.exists() {
        std::fs::canonicalize(folder).ok()
    } else {
        None
    };
    let path = whole.as_deref().unwrap_or(folder);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_line = !name.trim().is_empty() && !name.chars().any(char::is_control);
    if !is_line || name.chars().count() > 60 || name.contains('\u{fffd}') {
        let text = format!("{} has no name for a league", folder.display());
        return Err(Error::new(text).hint("name a folder of at most 60 characters, on one line"));
    }
    Ok(name.trim().to_owned())
}

/// Every variable that a league may need, without values.
fn variables() -> String {
    let mut text = "\
# Copy this file to .env and write your keys behind the equals signs; .env is never committed.
# A league that rehearses needs none of them.

# Prices
TIINGO_API_KEY=
# ALPHAVANTAGE_API_KEY=

# Models; the ones of models.yaml first
"
    .to_owned();
    let used = used_keys();
    for key in &used {
        let _ = writeln!(text, "{key}=");
    }
    let others = PROVIDERS.iter().filter_map(|(_, key, _)| *key);
    for key in others.filter(|key| !used.contains(key)) {
        let _ = writeln!(text, "# {key}=");
    }
    text.push_str(
        "
# The database, with publication.database: true
# DATABASE_URL=postgresql://user:password@host/database

# The webhook, with messages.webhook: LEAGUE_WEBHOOK
# LEAGUE_WEBHOOK=https://

# The private key of the log, where it does not lie in rounds/.capitalbench/keys/log.key
# CAPITALBENCH_LOG_KEY=
",
    );
    text
}

/// The variables of the services whose entries in the models file are switched on.
fn used_keys() -> Vec<&'static str> {
    let keys = PROVIDERS.iter().filter_map(|(name, key, _)| {
        let entry = format!("\n  provider: {name}\n");
        MODELS.contains(&entry).then_some((*key)?)
    });
    keys.collect()
}

fn workflow() -> String {
    let mut secrets = String::new();
    for key in ["TIINGO_API_KEY"].into_iter().chain(used_keys()) {
        let _ = writeln!(secrets, "          {key}: ${{{{ secrets.{key} }}}}");
    }
    WORKFLOW.replacen("SECRETS", &secrets, 1)
}

#[cfg(test)]
mod tests;
