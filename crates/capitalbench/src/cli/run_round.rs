//! Flags of `run-round`, `check-providers` and `smoke-provider`.

use std::path::PathBuf;
use std::time::Duration;

use capitalbench_core::asking::run::RunKind;
use clap::Args;

use super::{Now, Output, Round};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml --mock
  capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml \\
      --pricing configs/pricing.yaml --max-cost-usd 5 --allow-real-api-calls
  capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml \\
      --run-id 20261207-120000-official --resume --allow-real-api-calls

Every attempt is on disk before and after its call; nothing is ever asked again once it was
answered. After a crash or Ctrl-C, --resume finishes what is open. The first Ctrl-C begins no new
call and keeps what arrives; the second leaves at once. Progress goes to standard error: bars on a
terminal, one JSON object per line elsewhere.
Exit codes: 0 all valid, 1 some invalid or still open, 2 could not run.")]
pub(crate) struct RunRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Model configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) models: PathBuf,
    /// Your own price card, before the shipped one; configs/pricing.yaml where it is there
    #[arg(long, value_name = "FILE")]
    pub(crate) pricing: Option<PathBuf>,
    /// Name of the run; by default the time and the type
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// official, stability, mock or retrospective
    #[arg(long, value_parser = run_type)]
    pub(crate) run_type: Option<RunKind>,
    /// Calls per model of a stability run, 5 by default
    #[arg(long, value_name = "N")]
    pub(crate) replicates: Option<u32>,
    #[command(flatten)]
    pub(crate) permission: Permission,
    #[command(flatten)]
    pub(crate) limits: Limits,
    #[command(flatten)]
    pub(crate) course: Course,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct Permission {
    /// Ask nobody: every model is answered by the offline mock
    #[arg(long, conflicts_with = "allow_real_api_calls")]
    pub(crate) mock: bool,
    #[command(flatten)]
    pub(crate) rehearsal: Rehearsal,
    /// Let requests leave this machine; without it nothing does
    #[arg(long, conflicts_with = "instant")]
    pub(crate) allow_real_api_calls: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Rehearsal {
    /// Another seed gives other answers of the mock
    #[arg(long, value_name = "N", default_value = "0", requires = "mock")]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct Limits {
    /// Most retries of a slot, for trouble of transport, server or form only
    #[arg(long = "max-retries", value_name = "N", default_value = "2")]
    #[arg(value_parser = clap::value_parser!(u32).range(..=20))]
    pub(crate) retries: u32,
    /// Begin no call that might cost more than this in all
    #[arg(long = "max-cost-usd", value_name = "USD")]
    pub(crate) cost_usd: Option<f64>,
    /// Most calls of one provider at once
    #[arg(long = "max-concurrent", value_name = "N", default_value = "8")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) concurrent: u16,
    /// First pause before a call is repeated, where the server names none; doubles each time
    #[arg(long = "retry-pause", value_name = "SECONDS", value_parser = pause)]
    pub(crate) pause: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct Course {
    /// Finish a run that was begun
    #[arg(long)]
    pub(crate) resume: bool,
    /// Record no control entrants beside the models
    #[arg(long)]
    pub(crate) no_controls: bool,
    #[command(flatten)]
    pub(crate) progress: Progress,
    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
pub(crate) struct Progress {
    /// Show no progress: neither bars on a terminal nor JSON lines elsewhere
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Do not ask before the first call
    #[arg(long)]
    pub(crate) yes: bool,
    /// Show what would be asked and what it may cost; ask and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench check-providers

Says which key variables are set, never what they hold.")]
pub(crate) struct CheckProviders {
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench smoke-provider anthropic-claude-opus-5 --models configs/models.yaml \\
      --allow-real-api-calls

Checks key, address, model name and form of the reply with one call of a few tokens. It belongs to
no round and writes nothing. Exit codes: 0 answers as asked, 1 does not, 2 could not run.")]
pub(crate) struct SmokeProvider {
    /// The model, by its id
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Model configuration
    #[arg(long, value_name = "FILE", default_value = "configs/models.yaml")]
    pub(crate) models: PathBuf,
    /// Your own price card, before the shipped one; configs/pricing.yaml where it is there
    #[arg(long, value_name = "FILE")]
    pub(crate) pricing: Option<PathBuf>,
    /// Let the one request leave this machine; without it nothing does
    #[arg(long)]
    pub(crate) allow_real_api_calls: bool,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn pause(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let pause = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    pause
        .filter(|pause| *pause <= Duration::from_mins(10))
        .ok_or_else(|| "use seconds from 0 to 600".to_owned())
}

fn run_type(text: &str) -> Result<RunKind, String> {
    RunKind::parse(text)
        .filter(|kind| *kind != RunKind::Smoke)
        .ok_or_else(|| "use official, stability, mock or retrospective".to_owned())
}
