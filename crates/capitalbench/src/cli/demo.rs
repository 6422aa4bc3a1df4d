//! Flags of `demo`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench demo
  capitalbench demo --open
  capitalbench demo --no-serve --output /tmp/demo

Prices and answers are invented and follow from the seed; nothing leaves this machine. Every step is
taken by the real commands. At the end the site of the rounds is served at 127.0.0.1:8400, or at the
next free port, until Ctrl-C. The rounds stay in the folder, which a later demo replaces.
Exit codes: 0 played and verified, 1 something did not verify, 2 could not run.")]
pub(crate) struct Demo {
    /// Another seed is another market
    #[arg(long, value_name = "N", default_value = "7")]
    pub(crate) seed: u64,
    /// Where the rounds go
    #[arg(long, value_name = "DIR", default_value = "capitalbench-demo")]
    pub(crate) output: PathBuf,
    /// Stop after the boards
    #[arg(long)]
    pub(crate) no_serve: bool,
    /// Open the site in a browser
    #[arg(long, conflicts_with = "no_serve")]
    pub(crate) open: bool,
}
