//! Flags of the verbs that run a league.

use std::path::PathBuf;

use capitalbench_core::market::invented::InventedFault;
use clap::{Args, Subcommand};
use jiff::civil::Date;

use super::shared::{Now, day};

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
/// Exit codes: 0 done, 1 not complete, 2 could not run, 3 the price source answers no more for now.
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
///
/// Nobody is asked and nothing is written; no key is needed. A cost is the most that can be billed: every
/// token a model may write and every retry, within the budget of league.yaml.
///
/// $ capitalbench league plan
///
/// $ capitalbench league plan --weeks 12 --json
///
/// Exit codes: 0 shown, 2 could not run.
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
///
/// One pass opens the round of the coming deadline, makes its table and briefing, freezes, asks, accepts,
/// tracks, resolves and publishes, as far as that is due, and nothing twice. It may run every minute; two
/// at once behave as one, and one that was killed is taken up by the next. A round whose deadline was
/// missed is recorded as abandoned, never asked late. Providers are called only with
/// `allow_real_api_calls: true` in league.yaml.
///
/// $ capitalbench league run
///
/// $ capitalbench league run --watch
///
/// $ capitalbench league run --league /srv/house-league --json
///
/// $ capitalbench league run --store s3://bench/house-league
///
/// Exit codes: 0 nothing is left to do now, 1 a step failed and is tried again, 2 could not run, 3 the
/// price source answers no more for now.
#[derive(Debug, Args)]
pub(crate) struct LeagueRun {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    /// Keep the rounds in this store: a pass pulls them, works, and pushes what it did
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    /// Go on until Ctrl-C, with a pass whenever something is due
    #[arg(long, conflicts_with = "instant")]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Play the league in a scratch folder, with disasters by choice
///
/// Every pass of the coming days, against a clock that jumps from one due instant to the next: mock
/// models answer about an invented market, nobody is called and nobody is told. At the end stand the
/// calendar of what happened, what became of every round, and what `verify` says.
///
/// A fault is split=SYMBOL,DAY,RATIO · jump=SYMBOL,DAY,FACTOR · renamed=SYMBOL,NEW,DAY ·
/// delisted=SYMBOL,DAY · source-down=DAY,DAY · plan-used-up=DAY,DAY · model-down=MODEL,DAY,DAY ·
/// model-retired=MODEL,DAY. A span ends before its second day, in UTC. With --kills the league is
/// played a second time, in which passes are killed at random moments; picks, prices and results must
/// be the same.
///
/// $ capitalbench league rehearse
///
/// $ capitalbench league rehearse --days 30 --fault split=XLK,2026-12-09,4 --kills 100
///
/// Exit codes: 0 every due round is resolved or ended with its reason, and verify finds no error;
/// 1 otherwise, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct LeagueRehearse {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    /// How many days to play
    #[arg(long, value_name = "N", default_value = "90")]
    pub(crate) days: u16,
    /// The first day; today by default
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub(crate) from: Option<Date>,
    /// Another seed is another market
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,
    /// Something that goes wrong; may be given several times
    #[arg(long = "fault", value_name = "KIND=…", value_parser = fault)]
    pub(crate) faults: Vec<InventedFault>,
    /// Play it again and kill so many passes
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) kills: u32,
    /// Keep what was played in this new folder; otherwise it is removed
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

fn fault(text: &str) -> Result<InventedFault, String> {
    InventedFault::parse(text).ok_or_else(|| {
        "is not a fault such as split=XLK,2026-12-09,4; the help lists all".to_owned()
    })
}

#[derive(Debug, Args)]
pub(crate) struct LeagueDir {
    /// The folder of the league
    #[arg(long = "league", value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
}
