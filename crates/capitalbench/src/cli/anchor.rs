//! Flags of `anchor`; no logic.

use std::path::PathBuf;

use capitalbench_adapters::outside_clock::ClockUrl;
use clap::Args;

use super::{Now, Output};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench anchor --tsa https://tsa.example/tsr --tsa-root tsa-root.pem
  capitalbench anchor --tsa URL --tsa URL --ots https://calendar.example --json
  CAPITALBENCH_TSA_URLS='URL URL' capitalbench anchor

Asks every time stamp authority (RFC 3161) and calendar (OpenTimestamps) at once to stamp the bytes of
log/checkpoint, checks each reply, and keeps those that hold in log/anchors/SIZE. Anybody can check them:
  openssl ts -verify -data log/checkpoints/SIZE -in log/anchors/SIZE/HOST.tsr -CAfile log/roots/NAME.pem
Without flags CAPITALBENCH_TSA_URLS and CAPITALBENCH_OTS_URLS (environment or .env) say whom to ask. A
clock that stamped this state within CAPITALBENCH_ANCHOR_MAX_AGE_HOURS (24) is not asked again.
Roots given once are kept in log/roots and published; without any, nobody vouches for the clock.
Exit codes: 0 stamped, 1 nobody stamped it, 2 could not run.")]
pub(crate) struct Anchor {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) folder: PathBuf,
    /// A time stamp authority; may be given several times
    #[arg(long = "tsa", value_name = "URL")]
    pub(crate) authorities: Vec<ClockUrl>,
    /// Root certificates to trust, in PEM form; may be given several times
    #[arg(long = "tsa-root", value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// An OpenTimestamps calendar; may be given several times
    #[arg(long = "ots", value_name = "URL")]
    pub(crate) calendars: Vec<ClockUrl>,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}
