//! What can be typed; no logic.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};
use jiff::Timestamp;

/// An open, auditable benchmark of how language models allocate capital.
///
/// Every command reads round folders from disk; nothing here talks to the network.
/// Exit codes: 0 holds, 1 does not hold, 2 could not run.
#[derive(Debug, Parser)]
#[command(name = "capitalbench", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Re-derive everything from the artifacts and report where they disagree
    Verify(Verify),
    /// Check one round area by area and name the next step
    AuditRound(AuditRound),
    /// Freeze the inputs of a round by their digests, or check that they hold
    HashRound(HashRound),
    /// List the runs of a round
    ListRuns(ListRuns),
    /// Check every raw submission of a run and write the parsed ones
    ValidateSubmissions(ValidateSubmissions),
    /// Score a run, or every official run of a folder of rounds
    ScoreRound(ScoreRound),
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench verify rounds                      every round of a folder
  capitalbench verify rounds/CB-2026-05-28-1W     one round, all findings
  capitalbench verify rounds --strict             warnings count as failures
  capitalbench verify --codes                     what each finding means

Exit codes: 0 everything holds, 1 something does not, 2 could not run.")]
pub(crate) struct Verify {
    /// A round, or a folder of rounds
    #[arg(required_unless_present = "codes")]
    pub(crate) path: Option<PathBuf>,
    /// Let warnings fail the verification too
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) listing: Listing,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench audit-round --round rounds/CB-2026-05-28-1W --run-id official-20260528-1W

Exit codes: 0 nothing failed or is missing, 1 otherwise, 2 could not run.")]
pub(crate) struct AuditRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Look at this run only
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench hash-round --round rounds/my-round           freeze it
  capitalbench hash-round --round rounds/my-round --check   compare, write nothing

Exit codes: 0 frozen or unchanged, 1 --check found a difference, 2 could not run.")]
pub(crate) struct HashRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Compare with the stored digests and write nothing
    #[arg(long)]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench list-runs --round rounds/CB-2026-05-28-1W")]
pub(crate) struct ListRuns {
    #[command(flatten)]
    pub(crate) round: Round,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench validate-submissions --round rounds/my-round --run-id official-20261116

Writes submissions/parsed, validation_summary.json and _validation_errors.json of the run.
Exit codes: 0 all valid, 1 some invalid, 2 could not run.")]
pub(crate) struct ValidateSubmissions {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run; may be left out when the round has only one
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// Say what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("rounds").required(true))]
#[command(after_help = "Examples:
  capitalbench score-round --round rounds/my-round                 its official run
  capitalbench score-round --round rounds/my-round --run-id trial  another run
  capitalbench score-round --rounds-dir rounds                     every official run with prices

Writes results/ of each run. A round is not scored before its exit close.
Exit codes: 0 scored, 1 a round of the folder could not be scored, 2 could not run.")]
pub(crate) struct ScoreRound {
    /// The round's folder
    #[arg(long, group = "rounds", value_name = "DIR")]
    pub(crate) round: Option<PathBuf>,
    /// The run; by default the official one
    #[arg(long, conflicts_with = "rounds_dir")]
    pub(crate) run_id: Option<String>,
    /// A folder of rounds: score every official run that has both price sheets
    #[arg(long, group = "rounds", value_name = "DIR")]
    pub(crate) rounds_dir: Option<PathBuf>,
    /// Compute and print, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// List every finding of a folder, notes included
    #[arg(long)]
    pub(crate) all: bool,
    /// List the codes of findings and what they mean
    #[arg(long, conflicts_with = "path")]
    pub(crate) codes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Round {
    /// The round's folder
    #[arg(long = "round", value_name = "DIR")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Now {
    /// Look at things as of this instant instead of now
    #[arg(long = "now", value_name = "INSTANT")]
    pub(crate) instant: Option<Timestamp>,
}

#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Print JSON for machines
    #[arg(long)]
    pub(crate) json: bool,
}
