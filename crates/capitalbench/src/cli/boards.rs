//! Flags of the verbs that show or write what is public at an instant; no logic.

use std::path::PathBuf;

use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::time::parse_day;
use clap::{Args, ValueEnum};
use jiff::Timestamp;

use super::{Output, instant};

/// Where rounds lie, and the instant to look at them.
#[derive(Debug, Clone, Args)]
pub(crate) struct Rounds {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) folder: PathBuf,
    /// Show what was public at this instant; a day means its end in UTC, hours after the New York close. Default: now
    #[arg(long, value_name = "INSTANT|DAY", value_parser = as_of)]
    pub(crate) as_of: Option<Timestamp>,
    /// Compute every round again, as `CAPITALBENCH_NO_CACHE=1` does; figures are the same either way
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// An instant; a day alone means its last second, in UTC.
fn as_of(text: &str) -> Result<Timestamp, String> {
    let end = parse_day(text).map(|_| format!("{}T23:59:59Z", text.trim()));
    let example = "use an instant like 2026-12-07T22:00:00Z or a day like 2026-12-07";
    instant(end.as_deref().unwrap_or(text)).map_err(|_| example.to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrackName {
    /// Rounds of a week
    Weekly,
    /// Rounds of a month
    Monthly,
}

impl TrackName {
    /// The named track, or both.
    pub(crate) fn tracks(given: Option<Self>) -> Vec<Track> {
        match given {
            Some(name) => vec![name.track()],
            None => vec![Track::Weekly, Track::Monthly],
        }
    }

    /// The named track.
    pub(crate) fn track(self) -> Track {
        match self {
            Self::Weekly => Track::Weekly,
            Self::Monthly => Track::Monthly,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench leaderboard                                  the current set of both tracks
  capitalbench leaderboard --track weekly --as-of 2026-08-21
  capitalbench leaderboard --set weekly-set-2026-06-09      any set, with the rounds it leaves out
  capitalbench leaderboard --round CB-2026-08-04-1W         one round; an open one shows decisions only
  capitalbench leaderboard --at 1200                        the board as signed at that size of the log
  capitalbench leaderboard --at checkpoint-of-march         the same by a checkpoint that you kept

Intervals are 95 %. Windows overlap, so rounds are worth fewer independent windows: the heading says how
many. Exit codes: 0 shown, 1 there is nothing to show yet, 2 could not run.")]
pub(crate) struct Leaderboard {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    /// One comparison set by its id
    #[arg(long, value_name = "SET_ID", conflicts_with = "round")]
    pub(crate) set: Option<String>,
    /// One round by its id
    #[arg(long, value_name = "ROUND_ID")]
    pub(crate) round: Option<String>,
    /// The board as it was at a checkpoint of the signed log: its size, its root in hex or base64, or a file
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) at: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench compare openai-gpt-5-5 xai-grok-4-3 --track weekly

Only resolved rounds that all of them completed count; nobody is backfilled. Exit codes: 0 compared,
1 they share no resolved round, 2 could not run.")]
pub(crate) struct Compare {
    /// Ids of two or more models
    #[arg(required = true, num_args = 2.., value_name = "MODEL")]
    pub(crate) models: Vec<String>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Only this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench export --rounds-dir rounds --as-of 2026-08-21 --output export

Writes publication.json with its schema, one CSV and one Parquet file per table, data_dictionary.md and
checksums.txt (check them with `sha256sum --check checksums.txt`). The same rounds and instant give the
same bytes. Queries for DuckDB, pandas and Spark are in docs/data.md.
Exit codes: 0 written, 2 could not run.")]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Also write spreadsheet/*.csv, in which no text can be run as a formula
    #[arg(long)]
    pub(crate) spreadsheet: bool,
    #[command(flatten)]
    pub(crate) printed: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench publish-latest --rounds-dir rounds --output latest --track weekly

Writes latest_round_leaderboard.csv, as it was scored, and latest_round_report.md. The latest round has the
last exit, then the last deadline. Exit codes: 0 written, 1 no round is resolved, 2 could not run.")]
pub(crate) struct PublishLatest {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Only rounds of this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) printed: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench publish-cumulative --rounds-dir rounds --output cumulative --track weekly
  capitalbench publish-cumulative --rounds-dir rounds --output cumulative   both, in weekly/ and monthly/

Writes official_leaderboard.csv, stability_leaderboard.csv, round_index.csv and cumulative_report.md.
Tracks are never mixed. Exit codes: 0 written, 2 could not run.")]
pub(crate) struct PublishCumulative {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Only this track, straight into the folder
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) printed: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench cumulative-status --rounds-dir rounds --track monthly

Exit codes: 0 shown, 2 could not run.")]
pub(crate) struct CumulativeStatus {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Only rounds of this track
    #[arg(long, value_enum)]
    pub(crate) track: Option<TrackName>,
    #[command(flatten)]
    pub(crate) output: Output,
}
