//! Flags of the verbs around the program itself.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use super::shared::{Output, TrackName};

/// Make many rounds of an invented market
///
/// They are there to measure with. Prices and answers are invented and follow from the seed; the
/// rounds are whole, so every command works on them. One weekly and one monthly round are decided a
/// session. Files are not flushed one by one: after a power cut, delete the folder and make it
/// again. Rounds that exist already are kept, so that a higher --rounds adds to them.
///
/// $ capitalbench bench-archive --rounds 2000 --models 30 --output /tmp/bench
///
/// $ capitalbench bench-archive --rounds 2001 --models 30 --output /tmp/bench
///
/// $ capitalbench leaderboard --rounds-dir /tmp/bench
///
/// Exit codes: 0 made, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct BenchArchive {
    /// How many rounds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// How many models in each
    #[arg(long, value_name = "M", default_value = "30")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1000))]
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

/// Print a completion script for a shell
///
/// The shell then completes verbs, flags and their values.
///
/// $ source <(capitalbench completions bash)
///
/// $ capitalbench completions zsh > ~/.zfunc/_capitalbench
///
/// $ capitalbench completions fish > ~/.config/fish/completions/capitalbench.fish
///
/// Exit codes: 0 printed, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to complete for
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print a manual page, or write all of them
///
/// $ capitalbench man run-round | man -l -
///
/// $ capitalbench man --output ~/.local/share/man/man1
///
/// Exit codes: 0 printed or written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// A verb; by default the page of the program
    #[arg(conflicts_with = "output")]
    pub(crate) verb: Option<String>,
    /// Write every page into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
