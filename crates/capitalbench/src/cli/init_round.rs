//! Flags of `init-round`; no logic.

use std::path::PathBuf;

use capitalbench_core::market::calendar::{EntryRule, Roll};
use capitalbench_core::round::manifest::{Proof, Track};
use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::prices::Source;
use super::{Now, Output, instant};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench init-round --round-id CB-2026-12-07-1W --horizon \"one week\" \\
      --submission-format portfolio --models configs/models.yaml
  capitalbench init-round --round-id LEAGUE-7 --horizon \"one month\" \\
      --submission-format single_pick --universe my-options.yaml \\
      --decision-deadline 2026-12-07T14:00:00Z

Without --decision-deadline the deadline is 5 minutes before the exchange opens next. The entry is the
first close after the deadline; the exit is the close one week or one month later.
With --proof signed every step must be in the signed log; with --proof anchored outside clocks must also
have stamped the freeze before the calls and the picks before the entry close (see `anchor`).
The manifest freezes where prices come from and the hosts of the models' providers; another source later
needs a reason (`fetch-prices --other-source`).
Nothing is ever overwritten. Exit codes: 0 created, 2 could not run.")]
pub(crate) struct InitRound {
    /// Name of the round and of its folder
    #[arg(long)]
    pub(crate) round_id: String,
    /// \"one week\" or \"one month\"
    #[arg(long, default_value = "one month", value_parser = horizon)]
    pub(crate) horizon: Track,
    /// What models are asked for
    #[arg(long, value_enum, default_value = "portfolio")]
    pub(crate) submission_format: Format,
    #[command(flatten)]
    pub(crate) universe: UniverseChoice,
    #[command(flatten)]
    pub(crate) window: WindowChoice,
    /// Model configuration; its active models become the frozen roster
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
    /// The market is invented: mock models may be the record, and it never joins the public one
    #[arg(long)]
    pub(crate) synthetic: bool,
    /// What is promised to readers who trust nobody: none, signed or anchored
    #[arg(long, value_parser = proof, default_value = "none")]
    pub(crate) proof: Proof,
    #[command(flatten)]
    pub(crate) prices: PriceOrigin,
    /// Where rounds lie
    #[arg(long, value_name = "DIR", default_value = "rounds")]
    pub(crate) rounds_dir: PathBuf,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Format {
    /// One option
    SinglePick,
    /// A constrained list of holdings
    Portfolio,
}

#[derive(Debug, Args)]
pub(crate) struct UniverseChoice {
    /// A universe file of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) universe: Option<PathBuf>,
    /// A shipped universe (v1.5, v2.0, v2.1), or the name of your own
    #[arg(long, value_name = "VERSION")]
    pub(crate) universe_version: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PriceOrigin {
    /// The source of the prices, frozen with the round; tiingo unless the market is invented
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) price_source: Option<Source>,
    /// The source they will be compared with, frozen with the round
    #[arg(long, value_enum, value_name = "SOURCE")]
    pub(crate) second_price_source: Option<Source>,
}

#[derive(Debug, Args)]
pub(crate) struct WindowChoice {
    /// Last moment for a decision, such as 2026-12-07T14:30:00Z
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) decision_deadline: Option<Timestamp>,
    /// Which close the window starts from
    #[arg(long, value_parser = entry_rule, default_value = "first_close_after_deadline")]
    pub(crate) entry_rule: EntryRule,
    /// Where a closed day moves to: previous or next session
    #[arg(long, value_parser = roll, default_value = "previous")]
    pub(crate) roll: Roll,
}

fn horizon(text: &str) -> Result<Track, String> {
    Track::from_horizon(text).ok_or_else(|| "use \"one week\" or \"one month\"".to_owned())
}

fn entry_rule(text: &str) -> Result<EntryRule, String> {
    let names = "first_close_after_deadline, same_day_close or last_close_before_deadline";
    EntryRule::parse(text.trim()).ok_or_else(|| format!("use {names}"))
}

fn roll(text: &str) -> Result<Roll, String> {
    Roll::parse(text.trim()).ok_or_else(|| "use previous or next".to_owned())
}

fn proof(text: &str) -> Result<Proof, String> {
    Proof::parse(text).ok_or_else(|| "use none, signed or anchored".to_owned())
}
