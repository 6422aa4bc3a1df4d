//! Flags of the website's verbs.

use std::net::SocketAddr;
use std::num::NonZeroU16;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Output, Rounds};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench build-site --rounds-dir rounds --output site
  capitalbench build-site --rounds-dir rounds --as-of 2026-08-21 --output site \\
      --base-url https://bench.example.org
  SUPABASE_URL=… SUPABASE_ANON_KEY=… capitalbench build-site --source supabase --output site

Writes a static site for any host: pages, data, feeds, and every public file of every round. The same
rounds and the same instant give the same bytes; files of an earlier build that are no longer part of
the site are removed. Exit codes: 0 written, 2 could not run.")]
pub(crate) struct BuildSite {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the record is read: with supabase and database its instant is that of the last sync
    #[arg(long, value_enum, default_value = "folder", conflicts_with = "as_of")]
    pub(crate) source: RecordSource,
    /// Folder of the site
    #[arg(long, value_name = "DIR", default_value = "site")]
    pub(crate) output: PathBuf,
    /// Where the site will stand; feeds and the sitemap name it
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8400")]
    pub(crate) base_url: String,
    #[command(flatten)]
    pub(crate) printed: Output,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  capitalbench serve --rounds-dir rounds
  capitalbench serve --rounds-dir rounds --listen 0.0.0.0:8080 --base-url https://bench.example.org
  DATABASE_URL=… capitalbench serve --source database

The same bytes as build-site; files of rounds are read when they are asked for. Without --as-of the site follows the clock and is made anew
when the rounds change; from a database after every sync. /healthz says whether it stands, /metrics counts requests. Ctrl-C or SIGTERM
finishes what is under way and stops. Exit codes: 0 stopped, 2 could not run.")]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) rounds: Rounds,
    /// Where the record is read: with supabase and database its instant is that of the last sync
    #[arg(long, value_enum, default_value = "folder", conflicts_with = "as_of")]
    pub(crate) source: RecordSource,
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8400")]
    pub(crate) listen: SocketAddr,
    /// Where the site stands for its readers; feeds and the sitemap name it
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Connections that one address may have at a time; a quarter of all places unless set. Raise it
    /// behind a proxy, from which all readers come
    #[arg(long, value_name = "NUMBER")]
    pub(crate) peer_connections: Option<NonZeroU16>,
    /// Open the site in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// Where the public record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordSource {
    /// A folder of rounds
    Folder,
    /// A Supabase project, with `SUPABASE_URL` and `SUPABASE_ANON_KEY`
    Supabase,
    /// A PostgreSQL database as the role anon, with `DATABASE_URL`
    Database,
}
