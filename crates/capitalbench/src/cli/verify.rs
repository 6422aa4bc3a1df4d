//! `verify`.

use std::path::PathBuf;

use clap::Args;

use super::{Listing, Now, Output};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench verify rounds                      every round of a folder
  capitalbench verify rounds/CB-2026-05-28-1W     one round, all findings
  capitalbench verify rounds --strict             warnings count as failures
  capitalbench verify rounds --key log.vkey --since checkpoint-of-march
  capitalbench verify CB-2026-05-28-1W.tar.zst    a bundle, offline
  capitalbench verify --codes                     what each finding means

Exit codes: 0 everything holds, 1 something does not, 2 could not run.")]
pub(crate) struct Verify {
    /// A round, a folder of rounds, or a bundle
    #[arg(required_unless_present = "codes")]
    pub(crate) path: Option<PathBuf>,
    /// Let warnings fail the verification too
    #[arg(long)]
    pub(crate) strict: bool,
    /// The log must have this public key, as in its `log/vkey`
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The log must continue this checkpoint, which you kept; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Vec<PathBuf>,
    /// Trust time stamps by these roots (PEM) instead of those beside the log; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) tsa_root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) listing: Listing,
    #[command(flatten)]
    pub(crate) now: Now,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:
  capitalbench bundle rounds/CB-2026-12-07-1W --output CB-2026-12-07-1W.tar.zst
  capitalbench verify CB-2026-12-07-1W.tar.zst

Holds what everybody may read of the round by now, and the log. The same files give the same bytes.
Exit codes: 0 written, 2 could not run.")]
pub(crate) struct Bundle {
    /// A round
    pub(crate) round: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}
