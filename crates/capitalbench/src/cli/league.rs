//! Flags of the verbs that run a league.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::shared::Now;

/// Set up a league, look ahead, run it, rehearse it
///
/// A league is a folder with a file league.yaml. `league new` writes one that works, `league check`
/// tries everything it needs, `league plan` shows what happens next and what it may cost, and
/// `league run` does everything that is due.
///
/// $ capitalbench league new house-league
///
/// $ capitalbench league run --watch
///
/// Exit codes: 0 done, 1 not complete, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct League {
    #[command(subcommand)]
    pub(crate) verb: LeagueVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LeagueVerb {
    New(LeagueNew),
    Check(LeagueCheck),
    Plan(LeaguePlan),
    Run(LeagueRun),
    Rehearse(LeagueRehearse),
}

/// Write a league into a new folder
#[derive(Debug, Args)]
pub(crate) struct LeagueNew {
    /// The folder, whose name is also that of the league
    pub(crate) folder: PathBuf,
}

/// Try keys, models, prices, clocks, database and disk
#[derive(Debug, Args)]
pub(crate) struct LeagueCheck {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
}

/// Show what happens next, when and at what cost
#[derive(Debug, Args)]
pub(crate) struct LeaguePlan {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    /// How far to look
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) weeks: u16,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Do everything that is due
#[derive(Debug, Args)]
pub(crate) struct LeagueRun {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    /// Go on until Ctrl-C, with a pass whenever something is due
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Play the league in a scratch folder
#[derive(Debug, Args)]
pub(crate) struct LeagueRehearse {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    /// How many days to play
    #[arg(long, value_name = "N", default_value = "90")]
    pub(crate) days: u16,
}

#[derive(Debug, Args)]
pub(crate) struct LeagueDir {
    /// The folder of the league
    #[arg(long = "league", value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
}
