//! Flags of the verbs that check the record, sign it and hand it on.

use std::path::PathBuf;

use capitalbench_adapters::outside_clock::ClockUrl;
use capitalbench_operations::proof::witnesses::Witness;
use clap::{Args, Subcommand};

use super::shared::{Now, Round, RoundsDir};

/// Re-derive every result and report differences
///
/// $ capitalbench verify rounds                    every round of a folder
///
/// $ capitalbench verify rounds/CB-2026-05-28-1W   one round, all findings
///
/// $ capitalbench verify rounds --strict           warnings count as failures
///
/// $ capitalbench verify rounds --key log.vkey --since checkpoint-of-march
///
/// $ capitalbench verify CB-2026-05-28-1W.tar.zst  a bundle, offline
///
/// $ capitalbench verify --store s3://bench/rounds  every round of a store
///
/// $ capitalbench verify https://public.example.org/bench   what is public there
///
/// $ capitalbench verify rounds/CB-2026-05-28-1W --prices-from tiingo   with your own key
///
/// $ capitalbench verify --codes                   what each finding means
///
/// Exit codes: 0 everything holds, 1 something does not, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// A round, a folder of rounds, a bundle, or the https:// address of a public prefix
    #[arg(required_unless_present_any = ["codes", "store"])]
    pub(crate) path: Option<PathBuf>,
    /// Verify the rounds of this store
    #[arg(long, value_name = "URL", conflicts_with = "path")]
    pub(crate) store: Option<String>,
    /// Let warnings fail the verification too
    #[arg(long)]
    pub(crate) strict: bool,
    /// The log must have this public key, as in its log/vkey
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// The log must continue this checkpoint, which you kept; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Vec<PathBuf>,
    /// Trust time stamps by these roots (PEM) instead of those beside the log; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) tsa_root: Vec<PathBuf>,
    /// Count the cosignatures of these witnesses (one key a line, and `quorum N`) instead of the
    /// operator's
    #[arg(long, value_name = "FILE")]
    pub(crate) witnesses: Option<PathBuf>,
    /// Fetch the prices again from this vendor with your own key, and compare all returns in six
    /// decimals
    #[arg(long, value_name = "SOURCE")]
    #[arg(value_parser = ["tiingo", "alphavantage", "yahoo"])]
    pub(crate) prices_from: Option<String>,
    #[command(flatten)]
    pub(crate) listing: Listing,
    #[command(flatten)]
    pub(crate) now: Now,
}

#[derive(Debug, Args)]
pub(crate) struct Listing {
    /// List every finding of a folder, notes included
    #[arg(long)]
    pub(crate) all: bool,
    /// List the codes of findings and what they mean
    #[arg(long, conflicts_with = "path")]
    pub(crate) codes: bool,
}

/// Put a signed round and its log into one file
///
/// The file holds what everybody may read of the round by now, and the log. The same files give the
/// same bytes, and anybody can verify it offline.
///
/// $ capitalbench bundle rounds/CB-2026-12-07-1W --output CB-2026-12-07-1W.tar.zst
///
/// $ capitalbench verify CB-2026-12-07-1W.tar.zst
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// A round
    pub(crate) round: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Check one round area by area
///
/// The last line names the next step.
///
/// $ capitalbench audit-round --round rounds/CB-2026-05-28-1W --run-id official-20260528-1W
///
/// Exit codes: 0 nothing failed or is missing, 1 something did or is, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct AuditRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Look at this run only
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Make or show the key that signs the log
///
/// With a key, commands sign what they do into rounds/log, an append-only log that anybody can
/// check. The private key lies in rounds/.capitalbench/keys/log.key, or where CAPITALBENCH_LOG_KEY
/// says; only its owner can read it and it is never printed. Keep a copy: the salts of sealed
/// answers are derived from it.
///
/// $ capitalbench keys init --rounds-dir rounds --name example.com/capitalbench
///
/// $ capitalbench keys show --rounds-dir rounds
///
/// $ CAPITALBENCH_LOG_KEY=~/.keys/log.key capitalbench keys init
///
/// Exit codes: 0 made or shown, 2 could not run.
#[derive(Debug, Args)]
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
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    /// Name of the log, best the address where it will be published, without https://
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct KeysShow {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
}

/// Have outside clocks stamp the signed log, and witnesses cosign it
///
/// Asks every time stamp authority (RFC 3161) and calendar (OpenTimestamps) at once to stamp the
/// bytes of log/checkpoint, checks each reply, and keeps those that hold in log/anchors/SIZE.
/// Without flags CAPITALBENCH_TSA_URLS and CAPITALBENCH_OTS_URLS (environment or .env) name the
/// clocks. A clock that stamped this state within CAPITALBENCH_ANCHOR_MAX_AGE_HOURS (24) is not
/// asked again. Roots given once are kept in log/roots and published; without a root no stamp of
/// that clock can be trusted. Anybody can check a stamp with openssl, as the last example shows.
///
/// Witnesses (C2SP tlog-witness) cosign the state if it continues what they saw before. Without
/// flags CAPITALBENCH_WITNESSES names them, as KEY=URL with a space between, and
/// CAPITALBENCH_WITNESS_QUORUM how many must sign. log/witnesses publishes the rule.
///
/// $ capitalbench anchor --tsa https://tsa.example/tsr --tsa-root tsa-root.pem
///
/// $ capitalbench anchor --tsa URL --tsa URL --ots https://calendar.example --json
///
/// $ capitalbench anchor --witness KEY=URL --witness KEY=URL --quorum 2
///
/// $ CAPITALBENCH_TSA_URLS='URL URL' capitalbench anchor
///
/// $ openssl ts -verify -data log/checkpoints/SIZE -in log/anchors/SIZE/HOST.tsr -CAfile
/// log/roots/NAME.pem
///
/// Exit codes: 0 stamped and cosigned by whoever was asked, 1 no clock stamped it or too few
/// witnesses cosigned, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Anchor {
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
    /// A time stamp authority; may be repeated
    #[arg(long = "tsa", value_name = "URL")]
    pub(crate) authorities: Vec<ClockUrl>,
    /// Root certificates to trust, in PEM form; may be repeated
    #[arg(long = "tsa-root", value_name = "FILE")]
    pub(crate) roots: Vec<PathBuf>,
    /// An OpenTimestamps calendar; may be repeated
    #[arg(long = "ots", value_name = "URL")]
    pub(crate) calendars: Vec<ClockUrl>,
    /// A witness of C2SP tlog-witness: its public key and its address; may be repeated
    #[arg(long = "witness", value_name = "KEY=URL")]
    pub(crate) witnesses: Vec<Witness>,
    /// So many witnesses must cosign; more than half where nothing is said
    #[arg(long, value_name = "N")]
    pub(crate) quorum: Option<usize>,
    #[command(flatten)]
    pub(crate) now: Now,
}
