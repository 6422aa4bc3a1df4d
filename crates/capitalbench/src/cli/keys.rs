//! Flags of `keys`; no logic.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Output;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench keys init --rounds-dir rounds --name example.com/capitalbench
  capitalbench keys show --rounds-dir rounds
  CAPITALBENCH_LOG_KEY=~/.keys/log.key capitalbench keys init

With a key, commands sign what they do into rounds/log, an append-only log that anybody can check.
The private key lies in rounds/.capitalbench/keys/log.key, or where CAPITALBENCH_LOG_KEY says; it is
readable by its owner only and never printed. Keep a copy: salts of sealed answers follow from it.
Exit codes: 0 done, 2 could not run.")]
pub(crate) struct Keys {
    #[command(subcommand)]
    pub(crate) verb: KeysVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeysVerb {
    /// Make the key of a folder of rounds, once
    Init(KeysInit),
    /// Print the public key of a folder of rounds
    Show(KeysShow),
}

#[derive(Debug, Args)]
pub(crate) struct KeysInit {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) folder: PathBuf,
    /// Name of the log, best an address at which it will be published, without https://
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, Args)]
pub(crate) struct KeysShow {
    /// A folder of rounds
    #[arg(long = "rounds-dir", value_name = "DIR", default_value = "rounds")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) output: Output,
}
