//! Flags of `explain`; no logic.

use capitalbench_core::round::manifest::Track;
use clap::Args;

use super::{Output, Rounds};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench explain xai-grok-4-3
  capitalbench explain xai-grok-4-3 --track weekly --rounds-dir rounds --as-of 2026-08-21

How every number is made: docs/statistics.md.
Exit codes: 0 explained, 2 could not run.")]
pub(crate) struct Explain {
    /// The model's id
    pub(crate) model: String,
    /// weekly or monthly; both by default
    #[arg(long, value_parser = track)]
    pub(crate) track: Option<Track>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn track(text: &str) -> Result<Track, String> {
    let all = [Track::Weekly, Track::Monthly];
    let found = all.into_iter().find(|track| track.as_str() == text);
    found.ok_or_else(|| "use weekly or monthly".to_owned())
}
