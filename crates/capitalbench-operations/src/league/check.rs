//! Tries everything that a league needs before it is needed: each line says what to do.

use std::path::Path;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::{file_ops, space};
use capitalbench_archive::log::{LogFolder, LogKey};
use capitalbench_core::league::settings::BriefingSource;
use capitalbench_core::round::manifest::Proof;

use super::folder::{LEAGUE_FILE, LeagueFolder};
use crate::error::Error;
use crate::operator::Operator;

mod models;
mod outside;
mod prices;

/// Less room than this will not do for the rounds of a year and their site.
const LEAST_BYTES: u64 = 1 << 30;
const GIB: u64 = 1 << 30;

/// How a thing stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    Ready,
    /// It was not tried, because the league does not use it.
    NotUsed,
    /// The league works, and something about it may trouble others.
    Warning,
    /// The league cannot do all of its work until it is repaired.
    Repair,
}

impl Standing {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ok",
            Self::NotUsed => "not used",
            Self::Warning => "warning",
            Self::Repair => "repair",
        }
    }
}

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub what: &'static str,
    pub standing: Standing,
    pub text: String,
    /// What to do, where there is something.
    pub next: Option<String>,
}

impl Checked {
    fn ready(what: &'static str, text: impl Into<String>) -> Self {
        Self {
            what,
            standing: Standing::Ready,
            text: text.into(),
            next: None,
        }
    }

    fn not_used(what: &'static str, text: impl Into<String>) -> Self {
        Self {
            standing: Standing::NotUsed,
            ..Self::ready(what, text)
        }
    }

    fn repair(what: &'static str, text: impl Into<String>, next: impl Into<String>) -> Self {
        Self {
            standing: Standing::Repair,
            next: Some(next.into()),
            ..Self::ready(what, text)
        }
    }

    /// An error of an operation; its hint says what to do.
    fn of_error(what: &'static str, error: Error, usual: &str) -> Self {
        let next = error.hint.unwrap_or_else(|| usual.to_owned());
        Self::repair(what, error.message, next)
    }
}

/// Tries everything, in the order in which a round needs it.
pub fn check_league(operator: &Operator, league: &LeagueFolder) -> Vec<Checked> {
    let mut found = vec![Checked::ready("league", league.summary())];
    let asked = models::check(operator, league, &mut found);
    prices::check(operator, league, &mut found);
    found.push(briefing(league));
    found.push(signing(operator, league));
    found.push(outside::clocks(operator, league));
    found.extend(outside::witnesses(operator));
    found.push(outside::database(operator, league));
    found.push(outside::messages(operator, league));
    found.push(disk(&league.folder));
    found.push(asked.clock(league.league.calls));
    found
}

fn briefing(league: &LeagueFolder) -> Checked {
    const WHAT: &str = "briefing";
    let files = match &league.league.briefing {
        BriefingSource::Mechanical => {
            return Checked::ready(WHAT, "computed from prices and public sources");
        }
        BriefingSource::Command(command) => {
            let text = format!("`{command}` runs when a round is opened");
            return Checked::ready(WHAT, text);
        }
        BriefingSource::Files {
            facts,
            audit,
            briefing,
        } => [facts, audit, briefing],
    };
    for file in files {
        if let Err(error) = file_ops::read(&league.file(file)).map_err(FileError::from) {
            let next = "write it before the round is opened, or set `briefing: mechanical`";
            return Checked::repair(WHAT, error.to_string(), next);
        }
    }
    Checked::ready(WHAT, "all three files are there")
}

/// The key that signs the rounds.
fn signing(operator: &Operator, league: &LeagueFolder) -> Checked {
    const WHAT: &str = "log";
    if league.league.proof == Proof::None {
        return Checked::not_used(WHAT, "proof: none, so nothing is signed");
    }
    let rounds = league.rounds();
    let log = LogFolder::of_rounds(&rounds);
    let file = operator.configuration.log_key(&log);
    let made = || -> Result<_, Error> { Ok((log.verifier()?, LogKey::load(&file)?)) };
    match made() {
        Err(error) => Checked::of_error(WHAT, error, "repair the file of the key"),
        Ok((None, _)) => Checked::ready(WHAT, "the first pass makes the key that signs"),
        Ok((Some(public), None)) => {
            let text = format!("the key of {} is not here", public.name());
            let next = format!(
                "bring it to {}, or set CAPITALBENCH_LOG_KEY to where it lies",
                file.display()
            );
            Checked::repair(WHAT, text, next)
        }
        Ok((Some(public), Some(own))) if own.verifier() == public => {
            Checked::ready(WHAT, format!("signed by {}", public.name()))
        }
        Ok((Some(public), Some(_))) => {
            let text = format!("{} is not the key of {}", file.display(), public.name());
            Checked::repair(WHAT, text, "bring the key that the log was begun with")
        }
    }
}

fn disk(folder: &Path) -> Checked {
    const WHAT: &str = "disk";
    match space::free_bytes(folder) {
        None => Checked::not_used(WHAT, "the system does not say how much room there is"),
        Some(free) if free < LEAST_BYTES => {
            let text = format!("{} MiB are free", free >> 20);
            Checked::repair(WHAT, text, "make room for at least 1 GiB")
        }
        Some(free) => Checked::ready(WHAT, format!("{} GiB are free", free / GIB)),
    }
}

/// The file of a league, for messages.
const FILE: &str = LEAGUE_FILE;
