//! Flags of the verbs that meet the public database; no logic.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Output, Rounds};

#[derive(Debug, Args)]
pub(crate) struct Db {
    #[command(subcommand)]
    pub(crate) verb: DbVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbVerb {
    /// Bring the schema of the database to that of this program
    Migrate(DbMigrate),
    /// Compare schema, rights and policies with what they must be, and try what must be refused
    Check(DbCheck),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  DATABASE_URL=postgresql://owner:…@host/capitalbench capitalbench db migrate

Applies what is missing in one transaction; a second time nothing is left to do. Works on plain
PostgreSQL and on Supabase (use the connection string of the project's owner). Exit codes: 0 migrated,
2 could not run.")]
pub(crate) struct DbMigrate {
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench db check --json

Needs DATABASE_URL. Besides comparing, it asks as the roles anon and authenticated for what they must
be refused, and writes results of a round that is not resolved to see that nobody can read them; all of
that is rolled back. Exit codes: 0 as it must be, 1 something is not, 2 could not run.")]
pub(crate) struct DbCheck {
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench sync-web --round rounds/CB-2026-05-28-1W --run-id official-20260528-1W
  capitalbench sync-web --rounds-dir rounds --include-cumulative

Sends what differs from the database, one transaction per request; what is the same is not written
again. --include-cumulative adds boards, comparison sets and statistics, and removes what is no longer
public. SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY, or DATABASE_URL, name the database; without them
nothing is synced, which is said and is no error. Files of rounds go with them: one archive per round,
sent when one of its files changed.
Exit codes: 0 synced or skipped, 2 could not run.")]
pub(crate) struct SyncWeb {
    /// One round's folder; the rounds beside it are read but not synced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["folder", "include_cumulative"])]
    pub(crate) round: Option<PathBuf>,
    /// The run that must be the record of the round
    #[arg(long, requires = "round")]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Boards, comparison sets and statistics too
    #[arg(long)]
    pub(crate) include_cumulative: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}
