//! What a rehearsal came to, by what lies in its folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_archive::round::{ending, jobs};
use capitalbench_archive::verify::{self, Severity};
use capitalbench_core::round::ending::Ending;
use capitalbench_core::round::lifecycle::overdue_from;
use capitalbench_core::round::manifest::Window;
use capitalbench_core::round::resolution_job::JobStatus;
use jiff::Timestamp;

use crate::error::Error;
use crate::league::folder::LeagueFolder;

/// The rounds, the calls and what `verify` says.
#[derive(Debug)]
pub struct Summary {
    /// In the order of their names.
    pub rounds: Vec<(String, RoundEnd)>,
    /// Calls of models that were begun.
    pub calls: usize,
    /// Those of them whose outcome nobody saw.
    pub unseen: usize,
    /// Findings by code.
    pub findings: BTreeMap<&'static str, usize>,
    pub errors: usize,
    pub warnings: usize,
}

/// What became of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundEnd {
    Resolved,
    Voided(String),
    Abandoned(String),
    /// Its result is not due yet.
    Open,
    /// Its result is due and is not there.
    Overdue(String),
}

impl RoundEnd {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Voided(_) => "voided",
            Self::Abandoned(_) => "abandoned",
            Self::Open => "open",
            Self::Overdue(_) => "overdue",
        }
    }

    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Voided(reason) | Self::Abandoned(reason) | Self::Overdue(reason) => Some(reason),
            Self::Resolved | Self::Open => None,
        }
    }
}

impl Summary {
    pub fn is_sound(&self) -> bool {
        let is_overdue = |end: &RoundEnd| matches!(end, RoundEnd::Overdue(_));
        self.errors == 0
            && !self
                .findings
                .contains_key(verify::Code::AskedAgain.as_str())
            && !self.rounds.iter().any(|(_, end)| is_overdue(end))
    }
}

pub(super) fn of(league: &LeagueFolder, until: Timestamp) -> Result<Summary, Error> {
    let folder = league.rounds();
    let mut rounds = Vec::new();
    let (mut begun, mut ended) = (0, 0);
    for round in list_rounds(&folder)? {
        let files = verify::walk(round.path())?;
        let count = |ending: &str| files.iter().filter(|file| file.ends_with(ending)).count();
        begun += count(".begun.json");
        ended += count(".ended.json");
        rounds.push((round.name(), end_of(&round, until)?));
    }
    let report = verify::verify(&folder, until, &|| ())?;
    let mut findings = BTreeMap::new();
    for finding in report.rounds.iter().flat_map(|round| round.findings.iter()) {
        *findings.entry(finding.code.as_str()).or_default() += 1;
    }
    Ok(Summary {
        rounds,
        calls: begun,
        unseen: begun - ended,
        findings,
        errors: report.count(Severity::Error),
        warnings: report.count(Severity::Warning),
    })
}

fn end_of(round: &RoundFolder, until: Timestamp) -> Result<RoundEnd, Error> {
    if let Some(own) = ending::tombstone(round)? {
        return Ok(match own.ending {
            Ending::Voided => RoundEnd::Voided(own.reason),
            Ending::Abandoned => RoundEnd::Abandoned(own.reason),
        });
    }
    let job = jobs::load(round)?;
    if let Some(job) = &job
        && job.status == JobStatus::Succeeded
    {
        return Ok(RoundEnd::Resolved);
    }
    let window = round.parse(layout::MANIFEST, manifest::parse)?.window;
    let exit = window.and_then(Window::exit_close);
    if exit.is_none_or(|exit| overdue_from(exit) > until) {
        return Ok(RoundEnd::Open);
    }
    let why = job.map(|job| job.last_error).filter(|why| !why.is_empty());
    Ok(RoundEnd::Overdue(why.unwrap_or_else(|| {
        "it was never accepted, and nothing ended it".to_owned()
    })))
}

/// Files of picks, prices and results that differ between two rehearsals.
pub fn differences(one: &Path, other: &Path) -> Result<Vec<String>, Error> {
    let (mine, theirs) = (telling(one)?, telling(other)?);
    let mut found = Vec::new();
    for file in mine.union(&theirs) {
        let bytes = |folder: &Path| file_ops::read(&folder.join(file)).ok();
        if bytes(one) != bytes(other) {
            found.push(file.clone());
        }
    }
    Ok(found)
}

/// The files that say what was picked, what it cost to buy and what came of it.
fn telling(rounds: &Path) -> Result<BTreeSet<String>, Error> {
    let is_telling = |file: &str| {
        let inside = file.split_once('/').map_or("", |(_, inside)| inside);
        let run = inside
            .strip_prefix(layout::RUNS)
            .and_then(|rest| rest.get(1..)?.split_once('/'));
        let of_run = run.is_some_and(|(_, inside)| {
            inside.starts_with(run::PARSED)
                || [run::LEADERBOARD, run::RETURNS, run::ALLOCATIONS].contains(&inside)
        });
        of_run
            || [
                layout::ENTRY_PRICES,
                layout::EXIT_PRICES,
                layout::PRICE_WINDOW,
            ]
            .contains(&inside)
            || inside == layout::OPTIONS
    };
    // What a killed opening left has no name yet and is no round.
    let is_round = |file: &String| !file.starts_with(file_ops::TEMPORARY_PREFIX);
    let files = verify::walk(rounds)?.into_iter().filter(is_round);
    Ok(files.filter(|file| is_telling(file)).collect())
}
