//! Flags of `bench-archive`; no logic.

use std::path::PathBuf;

use clap::Args;

use super::{Output, TrackName};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench bench-archive --rounds 2000 --models 30 --seed 1 --output /tmp/bench
  capitalbench bench-archive --rounds 2001 --models 30 --seed 1 --output /tmp/bench   adds one round
  capitalbench leaderboard --rounds-dir /tmp/bench

Prices and answers are invented and follow from the seed; the rounds are whole, so every command works
on them. One weekly and one monthly round are decided a session. Files are not flushed one by one:
after a power cut, delete the folder and make it again. Rounds that are there already are kept.
Exit codes: 0 made, 2 could not run.")]
pub(crate) struct BenchArchive {
    /// How many rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// How many models in each
    #[arg(long, value_name = "M", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) models: u32,
    /// Another seed is another market with other answers
    #[arg(long, value_name = "S", default_value = "1")]
    pub(crate) seed: u64,
    /// Where the rounds go: an empty folder, or one of the same models, seed and track
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Only rounds of this track, one a session; default: both in turn
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) printed: Output,
}
