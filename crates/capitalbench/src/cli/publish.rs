//! Flags of the verbs that bring the public record to readers: site, export, database.

use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::path::PathBuf;

use capitalbench_core::league::accent::Accent;
use capitalbench_core::league::licence::Licence;
use capitalbench_operations::syncing::public_prefix::PublicAddress;
use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use super::shared::Rounds;
use super::store::StoreChoice;

/// Write everything that is public as data files
///
/// Writes publication.json with its schema, one CSV and one Parquet file per table,
/// data_dictionary.md, datapackage.json, croissant.json, CITATION.cff and checksums.txt (check them
/// with `sha256sum --check checksums.txt`). The same rounds and instant give the same bytes. Queries
/// for DuckDB, pandas and Spark are in docs/data.md.
///
/// $ capitalbench export --rounds-dir rounds --as-of 2026-08-21 --output export
///
/// $ capitalbench export --hub hub --licence CC-BY-4.0     ready to push to Hugging Face
///
/// $ capitalbench export --inspect logs                    every run as a log of Inspect
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("targets").required(true).multiple(true).args(["output", "hub", "inspect"])))]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write the files with a data-set card, as a folder to push to a hub of data sets
    #[arg(long, value_name = "DIR")]
    pub(crate) hub: Option<PathBuf>,
    /// Write every public run as a log that Inspect opens (`inspect view --log-dir DIR`)
    #[arg(long, value_name = "DIR")]
    pub(crate) inspect: Option<PathBuf>,
    /// Put what providers sent into those logs, for your own use: it is theirs, so do not publish it
    #[arg(long, requires = "inspect")]
    pub(crate) raw: bool,
    /// Also write spreadsheet/*.csv, in which no text can run as a formula
    #[arg(long, requires = "output")]
    pub(crate) spreadsheet: bool,
    /// Name of who publishes the data
    #[arg(long, value_name = "NAME", value_parser = site_name, default_value = "CapitalBench")]
    pub(crate) site_name: String,
    /// Public address of the site, which citations name
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// What readers may do with the data, such as CC-BY-4.0, or the address of the terms
    #[arg(long, value_name = "SPDX|URL", value_parser = licence)]
    pub(crate) licence: Option<Licence>,
}

/// Write the website for any static host
///
/// Writes pages, data, feeds, and every public file of every round. The same rounds and the same
/// instant give the same bytes; files of an earlier build that are no longer part of the site are
/// removed.
///
/// $ capitalbench build-site --rounds-dir rounds --output site
///
/// $ capitalbench build-site --rounds-dir rounds --as-of 2026-08-21 --output site --base-url
/// https://bench.example.org
///
/// $ capitalbench build-site --output site --with-league 'Europe=../europe/rounds'
///
/// $ SUPABASE_URL=… SUPABASE_ANON_KEY=… capitalbench build-site --source supabase
///
/// $ capitalbench build-site --source https://public.example.org/bench
///
/// Exit codes: 0 written, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct BuildSite {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Where the record is read: folder, supabase, database, or the https:// address of a public
    /// prefix; all but a folder show the instant of the last sync
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "folder",
        conflicts_with = "as_of"
    )]
    #[arg(value_parser = record_source)]
    pub(crate) source: RecordSource,
    /// Folder of the site
    #[arg(long, value_name = "DIR", default_value = "site")]
    pub(crate) output: PathBuf,
    /// Public address of the site, for feeds and the sitemap
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8400")]
    pub(crate) base_url: String,
    #[command(flatten)]
    pub(crate) appearance: Appearance,
    /// Images that stand for pages elsewhere
    #[arg(long, value_enum, default_value = "changed")]
    pub(crate) images: ImageChoice,
}

/// Serve the website from memory
///
/// Readers get the same bytes as from build-site; files of rounds are read on request. Without
/// --as-of the site follows the clock and is rebuilt when the rounds change; from a database after
/// every sync. /healthz says whether it is up, /metrics counts requests. Ctrl-C or SIGTERM finishes
/// the requests under way and stops.
///
/// $ capitalbench serve --rounds-dir rounds
///
/// $ capitalbench serve --rounds-dir rounds --listen 0.0.0.0:8080 --base-url
/// https://bench.example.org
///
/// $ DATABASE_URL=… capitalbench serve --source database
///
/// Exit codes: 0 stopped, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    /// Where the record is read: folder, supabase, database, or the https:// address of a public
    /// prefix; all but a folder show the instant of the last sync
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "folder",
        conflicts_with = "as_of"
    )]
    #[arg(value_parser = record_source)]
    pub(crate) source: RecordSource,
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8400")]
    pub(crate) listen: SocketAddr,
    /// Public address of the site, for feeds and the sitemap
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    #[command(flatten)]
    pub(crate) appearance: Appearance,
    /// Connections that one address may have at a time, by default a quarter of all; raise it
    /// behind a proxy, which all readers share
    #[arg(long, value_name = "NUMBER")]
    pub(crate) peer_connections: Option<NonZeroU16>,
    /// Open the site in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// How a site looks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Appearance {
    /// Name at the top of every page, in feeds and images
    #[arg(long, value_name = "NAME", value_parser = site_name)]
    pub(crate) site_name: Option<String>,
    /// Colour of links, icon and images, such as '#0b5fa5'; darkened on light paper and lightened
    /// on dark until it can be read
    #[arg(long, value_name = "COLOUR", value_parser = accent)]
    pub(crate) accent: Option<Accent>,
    /// Picture beside the name: a PNG or an SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) logo: Option<PathBuf>,
    /// What readers may do with the data, such as CC-BY-4.0, or the address of the terms
    #[arg(long, value_name = "SPDX|URL", value_parser = licence)]
    pub(crate) licence: Option<Licence>,
    /// Another league with its name and its folder of rounds, as in 'Europe=../europe/rounds': its
    /// pages stand below leagues/, and every page leads to it; more than one may be given
    #[arg(long, value_name = "NAME=DIR", value_parser = other_league)]
    pub(crate) with_league: Vec<OtherLeague>,
}

/// A league beside the one that a site is of.
#[derive(Debug, Clone)]
pub(crate) struct OtherLeague {
    pub(crate) name: String,
    pub(crate) rounds: PathBuf,
}

impl OtherLeague {
    /// Where its pages stand, seen from the first page of the site.
    pub(crate) fn address(&self) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        let name: String = self.name.chars().map(plain).collect();
        format!("leagues/{}/", name.trim_matches('-'))
    }
}

fn other_league(text: &str) -> Result<OtherLeague, String> {
    let (name, rounds) = text
        .split_once('=')
        .ok_or("must be a name, =, and a folder of rounds, such as 'Europe=../europe/rounds'")?;
    let name = site_name(name)?;
    if !name.chars().any(|c| c.is_ascii_alphanumeric()) {
        return Err("the name needs a letter or a digit for its address".to_owned());
    }
    let rounds = PathBuf::from(rounds);
    Ok(OtherLeague { name, rounds })
}

fn licence(text: &str) -> Result<Licence, String> {
    let problem = "must be an SPDX identifier such as CC-BY-4.0, or the address of the terms";
    Licence::parse(text).ok_or_else(|| problem.to_owned())
}

fn accent(text: &str) -> Result<Accent, String> {
    let problem = "must be a colour of six hexadecimal digits, such as '#0b5fa5'";
    Accent::parse(text).ok_or_else(|| problem.to_owned())
}

fn site_name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_short = (1..=80).contains(&text.chars().count());
    if !is_short || text.chars().any(char::is_control) {
        return Err("must be one line of at most 80 characters".to_owned());
    }
    Ok(text.to_owned())
}

/// Which images a built site has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum ImageChoice {
    /// All; those whose content is as before are taken over
    #[default]
    Changed,
    /// None but the icon
    None,
}

/// Where a record is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordSource {
    /// A folder of rounds
    Folder,
    /// A Supabase project, with SUPABASE_URL and SUPABASE_ANON_KEY
    Supabase,
    /// A PostgreSQL database as the role anon, with DATABASE_URL
    Database,
    /// The address that `store publish` writes to, as everybody reads it.
    Public(String),
}

fn record_source(text: &str) -> Result<RecordSource, String> {
    match text {
        "folder" => Ok(RecordSource::Folder),
        "supabase" => Ok(RecordSource::Supabase),
        "database" => Ok(RecordSource::Database),
        address if PublicAddress::is_one(address) => Ok(RecordSource::Public(address.to_owned())),
        _ => Err(
            "must be folder, supabase, database, or an address that begins with https://"
                .to_owned(),
        ),
    }
}

/// Bring the public database up to date
///
/// Sends what differs from the database, one transaction per request. --include-cumulative adds
/// boards, comparison sets and statistics, and removes what is no longer public. Files of rounds
/// are sent too: one archive per round, when one of its files changed.
///
/// SUPABASE_URL with SUPABASE_SERVICE_ROLE_KEY, or DATABASE_URL, name the database. Without them
/// nothing is synced; the command says so and succeeds.
///
/// $ capitalbench sync-web --round rounds/CB-2026-05-28-1W --run-id official-20260528-1W
///
/// $ capitalbench sync-web --rounds-dir rounds --include-cumulative
///
/// Exit codes: 0 synced or skipped, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct SyncWeb {
    /// One round's folder; the rounds beside it are read but not synced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["folder", "include_cumulative"])]
    pub(crate) round: Option<PathBuf>,
    /// The run that must be the record of the round
    #[arg(long, requires = "round")]
    pub(crate) run_id: Option<String>,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Sync boards, comparison sets and statistics too
    #[arg(long)]
    pub(crate) include_cumulative: bool,
}

/// Prepare and check the public database
///
/// Both verbs need DATABASE_URL. They work on plain PostgreSQL and on Supabase, with the connection
/// string of the project's owner. migrate applies what is missing in one transaction. check also
/// tries, as the roles anon and authenticated, what they must be refused, and writes results of an
/// unresolved round to see that nobody can read them; all of that is rolled back.
///
/// $ DATABASE_URL=postgresql://owner:…@host/capitalbench capitalbench db migrate
///
/// $ capitalbench db check --json
///
/// Exit codes: 0 as it must be, 1 check found a difference, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Db {
    #[command(subcommand)]
    pub(crate) verb: DbVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DbVerb {
    /// Bring the schema of the database to that of this program
    Migrate,
    /// Compare schema, rights and policies with what they must be
    Check,
}
