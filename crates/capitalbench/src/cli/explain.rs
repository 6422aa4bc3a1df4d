//! Flags of `explain`; no logic.

use std::path::PathBuf;

use capitalbench_core::manifest::Track;
use capitalbench_core::time::parse_day;
use clap::Args;
use jiff::Timestamp;

use super::{Output, instant};

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
    /// A folder of rounds
    #[arg(long, value_name = "DIR", default_value = "rounds")]
    pub(crate) rounds_dir: PathBuf,
    /// Explain what was public at this instant; a day means its end in UTC. Default: now
    #[arg(long, value_name = "INSTANT|DAY", value_parser = as_of)]
    pub(crate) as_of: Option<Timestamp>,
    #[command(flatten)]
    pub(crate) output: Output,
}

fn track(text: &str) -> Result<Track, String> {
    let all = [Track::Weekly, Track::Monthly];
    let found = all.into_iter().find(|track| track.as_str() == text);
    found.ok_or_else(|| "use weekly or monthly".to_owned())
}

fn as_of(text: &str) -> Result<Timestamp, String> {
    let end = parse_day(text).map(|_| format!("{}T23:59:59Z", text.trim()));
    let example = "use an instant like 2026-12-07T22:00:00Z or a day like 2026-12-07";
    instant(end.as_deref().unwrap_or(text)).map_err(|_| example.to_owned())
}
