//! `bench-archive`: makes many rounds of an invented market, to measure with.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use capitalbench_core::round::manifest::Track;
use capitalbench_testing::bench_archive::{BenchPlan, make};
use clap::{Parser, ValueEnum};

#[derive(Debug, Parser)]
#[command(
    about = "Make many rounds of an invented market, to measure with",
    after_help = "Examples:
  bench-archive --rounds 2000 --models 30 --seed 1 --output /tmp/bench
  bench-archive --rounds 2001 --models 30 --seed 1 --output /tmp/bench   adds one round
  capitalbench leaderboard --rounds-dir /tmp/bench

Prices and answers are invented and follow from the seed; the rounds are whole, so every command works
on them. Each session has one weekly and one monthly round. Files are not flushed one by one: after a
power cut, delete the folder and make it again. Rounds that already exist are kept.
Exit codes: 0 made, 2 could not run."
)]
struct Flags {
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    #[arg(long, value_name = "M", default_value = "30", value_parser = clap::value_parser!(u32).range(1..=1000))]
    models: u32,
    /// Another seed gives another market with other answers
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Where the rounds go: an empty folder, or one of the same models, seed and track
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Only rounds of this track, one a session; default: both in turn
    #[arg(long, value_enum)]
    track: Option<TrackName>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TrackName {
    Weekly,
    Monthly,
}

fn main() -> ExitCode {
    let flags = Flags::parse();
    let plan = BenchPlan {
        rounds: flags.rounds as usize,
        models: flags.models as usize,
        seed: flags.seed,
        track: flags.track.map(|name| match name {
            TrackName::Weekly => Track::Weekly,
            TrackName::Monthly => Track::Monthly,
        }),
    };
    let (told, code) = match make(&flags.output, plan, &|| ()) {
        Ok(made) => {
            let folder = flags.output.display();
            let told = format!("made {made} rounds of {} models in {folder}", flags.models);
            (told, ExitCode::SUCCESS)
        }
        Err(error) => (format!("error: {error}"), ExitCode::from(2)),
    };
    // Nobody is left to tell when standard error is closed.
    let _ = writeln!(io::stderr(), "{told}");
    code
}
