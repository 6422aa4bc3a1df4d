//! Flags of the verbs that ask models, look at what came back, and make a run the record.

use std::path::PathBuf;
use std::time::Duration;

use capitalbench_core::asking::run::RunKind;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;

use super::shared::{Now, Round, instant, word};

#[derive(Debug, Args)]
pub(crate) struct PriceCard {
    /// Your own price card, read before the shipped one; configs/pricing.yaml where that exists
    #[arg(long, value_name = "FILE")]
    pub(crate) pricing: Option<PathBuf>,
}

/// Ask the models of a frozen round
///
/// Every attempt is on disk before and after its call; a model that has answered is never asked
/// again. After a crash or Ctrl-C, --resume finishes what is open. The first Ctrl-C starts no new
/// call and keeps the answers that still arrive; the second stops at once. Progress goes to
/// standard error: bars on a terminal, one JSON object per line elsewhere, nothing with --quiet.
///
/// $ capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml --mock
///
/// $ capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml
/// --pricing configs/pricing.yaml --max-cost-usd 5 --allow-real-api-calls
///
/// $ capitalbench run-round --round rounds/CB-2026-12-07-1W --models configs/models.yaml --run-id
/// 20261207-120000-official --resume --allow-real-api-calls
///
/// A call that is turned away before anything is generated (a refused key, an unknown model, an
/// address that cannot be reached) leaves its slot open until the decision deadline: repair the
/// cause, then --resume. The models file may then differ in api_key_env and base_url only.
///
/// Exit codes: 0 all valid, 1 some invalid or still open, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct RunRound {
    #[command(flatten)]
    pub(crate) round: Round,
    /// Model configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) models: PathBuf,
    #[command(flatten)]
    pub(crate) card: PriceCard,
    /// Name of the run; by default the time and the type
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// What the run is for; by default mock with --mock, else official
    #[arg(long, value_name = "TYPE", value_parser = word(RUN_TYPES, RunKind::parse))]
    pub(crate) run_type: Option<RunKind>,
    /// Calls per model of a stability run, 5 by default
    #[arg(long, value_name = "N")]
    pub(crate) replicates: Option<u32>,
    #[command(flatten)]
    pub(crate) permission: Permission,
    /// Most retries of a slot, for transport, server and format errors only; calls that were turned
    /// away do not count
    #[arg(long = "max-retries", value_name = "N", default_value = "2")]
    #[arg(value_parser = clap::value_parser!(u32).range(..=20))]
    pub(crate) retries: u32,
    /// Start no call that might cost more than this in all
    #[arg(long = "max-cost-usd", value_name = "USD")]
    pub(crate) cost_usd: Option<f64>,
    /// Most calls of one provider at once
    #[arg(long = "max-concurrent", value_name = "N", default_value = "8")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) concurrent: u16,
    /// First pause before a retry where the server names none; doubles each time
    #[arg(long = "retry-pause", value_name = "SECONDS", value_parser = pause)]
    pub(crate) pause: Option<Duration>,
    #[command(flatten)]
    pub(crate) course: Course,
    #[command(flatten)]
    pub(crate) now: Now,
}

const RUN_TYPES: [&str; 9] = [
    "official",
    "stability",
    "mock",
    "retrospective",
    "lane_base",
    "lane_order",
    "lane_masked",
    "lane_no_briefing",
    "lane_no_table",
];

#[derive(Debug, Args)]
pub(crate) struct Permission {
    /// Call no provider: the offline mock answers for every model
    #[arg(long, conflicts_with = "allow_real_api_calls")]
    pub(crate) mock: bool,
    /// The mock answers differently for another seed
    #[arg(long, value_name = "N", default_value = "0", requires = "mock")]
    pub(crate) seed: u64,
    /// Let requests leave this machine; without it nothing does
    #[arg(long, conflicts_with = "instant")]
    pub(crate) allow_real_api_calls: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Course {
    /// Finish a run that was started
    #[arg(long)]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) rename: Rename,
    /// Record no control entrants beside the models
    #[arg(long)]
    pub(crate) no_controls: bool,
    #[command(flatten)]
    pub(crate) consent: Consent,
}

#[derive(Debug, Args)]
pub(crate) struct Rename {
    /// Ask for a model by another name of its provider from now on; only if its every call was turned
    /// away. The repair is recorded, and signed where there is a log, before the next call
    #[arg(long = "rename-model", value_name = "ID=NAME", value_parser = renamed)]
    #[arg(requires = "resume", requires = "reason")]
    pub(crate) renames: Vec<(String, String)>,
    /// Why a model gets another name, for readers of the record
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    #[arg(requires = "renames")]
    pub(crate) reason: Option<String>,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=');
    let parts = parts.map(|(id, name)| (id.trim(), name.trim()));
    parts
        .filter(|(id, name)| !id.is_empty() && !name.is_empty())
        .map(|(id, name)| (id.to_owned(), name.to_owned()))
        .ok_or_else(|| {
            "write the model's id, = and its new name, such as my-model=gpt-5.2".to_owned()
        })
}

#[derive(Debug, Args)]
pub(crate) struct Consent {
    /// Do not ask for confirmation before the first call
    #[arg(long)]
    pub(crate) yes: bool,
    /// Show what would be asked and what it may cost; ask and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn pause(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let pause = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    pause
        .filter(|pause| *pause <= Duration::from_mins(10))
        .ok_or_else(|| "use seconds from 0 to 600".to_owned())
}

/// Say which provider keys are set
///
/// Their values are never printed.
///
/// $ capitalbench check-providers
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct CheckProviders;

/// Try one small call to a model
///
/// Checks the key, the address, the model's name and the form of the reply with one call of a few
/// tokens. The call belongs to no round and nothing is written.
///
/// $ capitalbench smoke-provider anthropic-claude-opus-5 --models configs/models.yaml
/// --allow-real-api-calls
///
/// Exit codes: 0 answers as asked, 1 does not, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct SmokeProvider {
    /// The model, by its id
    #[arg(value_name = "MODEL")]
    pub(crate) model: String,
    /// Model configuration
    #[arg(long, value_name = "FILE", default_value = "configs/models.yaml")]
    pub(crate) models: PathBuf,
    #[command(flatten)]
    pub(crate) card: PriceCard,
    /// Let the one request leave this machine; without it nothing does
    #[arg(long)]
    pub(crate) allow_real_api_calls: bool,
}

/// List the runs of a round
///
/// $ capitalbench list-runs --round rounds/CB-2026-05-28-1W
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ListRuns {
    #[command(flatten)]
    pub(crate) round: Round,
}

/// Check the raw answers of a run
///
/// Writes submissions/parsed, validation_summary.json and _validation_errors.json of the run.
///
/// $ capitalbench validate-submissions --round rounds/my-round --run-id official-20261116
///
/// Exit codes: 0 all valid, 1 some invalid, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ValidateSubmissions {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run; may be omitted when the round has only one
    #[arg(long)]
    pub(crate) run_id: Option<String>,
    /// Say what would be written and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Make a run the record of its round
///
/// Writes acceptance.json into the run, with the digests of what was accepted; nothing is ever
/// edited. The job in automation/resolution_job.yaml lets resolve-due do the rest. A refused run is
/// told every reason at once.
///
/// In a round with `proof: anchored` the clocks of CAPITALBENCH_TSA_URLS stamp the picks. The
/// acceptance is complete once there is a stamp from before the entry close; run accept-run again
/// after `anchor`.
///
/// From v1.2 on the round goes on without models that gave no valid answer, if the frozen failure
/// policy allows it; the acceptance lists them with their reasons. After the deadline a run with open
/// slots is ended first. Accepting a run again says when it was accepted.
///
/// $ capitalbench accept-run --round rounds/CB-2026-12-07-1W --run-id official-20261207
///
/// $ capitalbench accept-run --round rounds/CB-2026-12-07-1W --run-id official-2 --supersede
/// --reason revoked-key
///
/// Exit codes: 0 accepted, 1 refused or not complete, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct AcceptRun {
    #[command(flatten)]
    pub(crate) round: Round,
    /// The run that becomes the record
    #[arg(long)]
    pub(crate) run_id: String,
    /// Replace the run that is the record now; needs --reason, refused after the entry close
    #[arg(long, requires = "reason")]
    pub(crate) supersede: bool,
    /// Why, for readers of the record
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) reason: Option<String>,
    /// Resolve the round at this instant; by default when the rows of its exit day are final
    #[arg(long, value_name = "INSTANT", value_parser = instant)]
    pub(crate) due_at_utc: Option<Timestamp>,
    /// Make resolve-due skip the round
    #[arg(long, conflicts_with = "due_at_utc")]
    pub(crate) no_schedule_resolution: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// End a round without a record, or explain a record
///
/// Writes tombstone.json: the answers stay, and readers see when and why the round ended. Once a run
/// is accepted, no result can be taken away: --exception then writes a signed explanation that is
/// shown with the round and changes nothing that counts.
///
/// $ capitalbench void-round rounds/CB-2026-12-07-1W --reason 'the briefing named a wrong day'
///
/// $ capitalbench void-round rounds/CB-2026-12-07-1W --exception --reason 'one answer came twice'
///
/// Exit codes: 0 ended or explained, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct VoidRound {
    /// The round's folder
    #[arg(value_name = "DIR", required_unless_present = "round")]
    pub(crate) folder: Option<PathBuf>,
    /// The round's folder, as other verbs take it
    #[arg(long, value_name = "DIR", conflicts_with = "folder")]
    pub(crate) round: Option<PathBuf>,
    /// Why, for readers of the record
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) reason: String,
    /// Explain a round that has a record
    #[arg(long)]
    pub(crate) exception: bool,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Show two runs of a round side by side
///
/// The overlap is the share of the portfolio that both runs hold alike.
///
/// $ capitalbench compare-runs --round rounds/my-round official-1 official-2
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct CompareRuns {
    #[command(flatten)]
    pub(crate) round: Round,
    /// One run
    pub(crate) first: String,
    /// The other run
    pub(crate) second: String,
}

/// Show what control entrants hold in a round
///
/// Controls follow the limits of the frozen round and cost nothing. The random one is drawn with a
/// seed that the freeze fixes.
///
/// $ capitalbench show-controls --round rounds/CB-2026-12-07-1W
///
/// Exit codes: 0 shown, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct ShowControls {
    #[command(flatten)]
    pub(crate) round: Round,
}
