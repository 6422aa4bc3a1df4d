//! Flags of the verbs around the program itself.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

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
