//! Flags of the verbs that keep rounds in an object store.

use clap::{Args, Subcommand};
use jiff::SignedDuration;

use super::shared::{Rounds, RoundsDir};

/// Keep rounds in an object store
///
/// A store holds whole rounds; a folder with a copy of them is a checkout, on which every verb works
/// as on any folder of rounds. A store is s3://BUCKET/PREFIX, with AWS_ACCESS_KEY_ID,
/// AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL, or file:///FOLDER. It is private: it
/// holds what open rounds withhold.
///
/// $ capitalbench store pull --store s3://bench/rounds --rounds-dir rounds
///
/// $ capitalbench store push --rounds-dir rounds
///
/// $ capitalbench store status --rounds-dir rounds --json
///
/// $ capitalbench store verify --store file:///srv/bench
///
/// $ capitalbench store prune --store s3://bench/rounds --grace-hours 48
///
/// $ capitalbench store publish --store s3://bench/rounds --public s3://bench-public/league
///
/// Exit codes: 0 done, 1 status or verify found something, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Store {
    #[command(subcommand)]
    pub(crate) verb: StoreVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreVerb {
    /// Make a folder what the store holds
    ///
    /// $ capitalbench store pull --store s3://bench/rounds --rounds-dir rounds
    ///
    /// $ capitalbench store pull --rounds-dir rounds --discard-local
    ///
    /// Exit codes: 0 pulled, 2 could not run.
    Pull(StorePull),
    /// Bring what changed in a checkout into the store
    ///
    /// $ capitalbench store push --store s3://bench/rounds --rounds-dir rounds
    ///
    /// $ capitalbench store push --rounds-dir rounds
    ///
    /// Exit codes: 0 pushed, 2 could not run.
    Push(Checkout),
    /// Show how a checkout differs from its store, and who holds what
    ///
    /// $ capitalbench store status --rounds-dir rounds --json
    ///
    /// Exit codes: 0 nothing differs, 1 something differs, 2 could not run.
    Status(Checkout),
    /// Fetch everything that the store names and compare it with its digests
    ///
    /// $ capitalbench store verify --store file:///srv/bench
    ///
    /// Exit codes: 0 everything is whole, 1 something is not, 2 could not run.
    Verify(StoreOnly),
    /// Remove objects that nothing names any more
    ///
    /// $ capitalbench store prune --store s3://bench/rounds --grace-hours 48
    ///
    /// Exit codes: 0 done, 2 could not run.
    Prune(StorePrune),
    Publish(StorePublish),
}

#[derive(Debug, Args)]
pub(crate) struct StorePull {
    #[command(flatten)]
    pub(crate) checkout: Checkout,
    /// Let the store's files take the place of those that changed here
    #[arg(long)]
    pub(crate) discard_local: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Checkout {
    /// The store; by default the one that the folder is a checkout of
    #[arg(long, value_name = "URL")]
    pub(crate) store: Option<String>,
    #[command(flatten)]
    pub(crate) rounds: RoundsDir,
}

#[derive(Debug, Args)]
pub(crate) struct StoreOnly {
    /// The store
    #[arg(long, value_name = "URL")]
    pub(crate) store: String,
}

/// Write what the public may see to another address, from which everybody may read
///
/// Readers verify it with `verify https://…` and make the site of it with `build-site --source
/// https://…`. What is no longer public is removed a day later. Nothing there tells of what is withheld, not by a
/// digest either, so the address may be readable and listable by everybody; the store never may.
///
/// $ capitalbench store publish --store s3://bench/rounds --public s3://bench-public/league
///
/// $ capitalbench store publish --rounds-dir rounds --public file:///srv/www/league
///
/// Exit codes: 0 published, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct StorePublish {
    /// Where to publish: s3://BUCKET/PREFIX or file:///FOLDER, with nothing else below it
    #[arg(long, value_name = "URL")]
    pub(crate) public: String,
    #[command(flatten)]
    pub(crate) store: StoreChoice,
    #[command(flatten)]
    pub(crate) rounds: Rounds,
}

#[derive(Debug, Args)]
pub(crate) struct StorePrune {
    #[command(flatten)]
    pub(crate) store: StoreOnly,
    /// Keep whatever is younger, by the clock of the store; longer than any push takes
    #[arg(long, value_name = "HOURS", default_value = "24", value_parser = hours)]
    pub(crate) grace_hours: SignedDuration,
}

/// The store to work on in place of a folder.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct StoreChoice {
    /// Work on the rounds of this store instead of a folder
    #[arg(long = "store", value_name = "URL", conflicts_with = "folder")]
    pub(crate) url: Option<String>,
}

fn hours(text: &str) -> Result<SignedDuration, String> {
    let usable = text
        .parse()
        .ok()
        .filter(|hours| (2..=8_760).contains(hours));
    usable
        .map(SignedDuration::from_hours)
        .ok_or_else(|| "use a number of hours from 2 to 8760".to_owned())
}
