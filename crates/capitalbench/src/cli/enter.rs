//! Flags of the verbs by which outsiders take part in a league.

use std::path::PathBuf;

use capitalbench_adapters::outside_clock::ClockUrl;
use capitalbench_core::decision::entering::names::EntrantKind;
use capitalbench_proof::note::VerifierKey;
use clap::{Args, Subcommand};

use super::agents::{AgentFlags, EnterAsk, EnterTest};
use super::league::LeagueDir;
use super::shared::{Now, word};

/// Take part in a league from outside
///
/// Anybody may enter a league that admits entrants: a model, an agent, a person, a fund. `enter keys`
/// makes a key, `enter register` signs who you are, `enter seal` seals a portfolio before the deadline,
/// `enter open` opens it after the entry close, `enter check` holds a receipt against the league's log.
/// `enter collect` is the league's side, `enter test` tries an agent. How: docs/enter.md.
///
/// $ capitalbench enter keys --name ada
///
/// $ capitalbench enter seal rounds/HOUSE-2026-12-07-1W portfolio.yaml
///
/// $ capitalbench enter check HOUSE-2026-12-07-1W.ada.sealed.receipt
///
/// Exit codes: 0 done, 1 what was checked does not hold or was refused, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Enter {
    #[command(subcommand)]
    pub(crate) verb: EnterVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EnterVerb {
    Keys(EnterKeys),
    Register(EnterRegister),
    Seal(EnterSeal),
    Open(EnterOpen),
    Collect(EnterCollect),
    Check(EnterCheck),
    Ask(EnterAsk),
    Test(EnterTest),
}

/// Make the key that signs your entries, once
#[derive(Debug, Args)]
pub(crate) struct EnterKeys {
    /// What you call the key: lower-case letters, digits and hyphens
    #[arg(long, value_name = "NAME")]
    pub(crate) name: String,
    /// The file for the private key, which only you may read
    #[arg(long, value_name = "FILE", default_value = "entrant.key")]
    pub(crate) key: PathBuf,
}

/// Sign who you are, once for each league
///
/// LEAGUE is the address of its site, a folder with its log, or a file with its public key. Everything
/// in a registration is public. Name all of your keys in one registration: they are shown together, and
/// a second registration of the same contact or key is refused.
///
/// $ capitalbench enter register https://league.example --entrant ada --name 'Ada Lovelace' --kind person
/// --contact ada@example.org --method 'I read the briefing and decide by hand.'
///
/// Exit codes: 0 signed, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterRegister {
    /// The address of its site, a folder with its log, or a file with its public key
    #[arg(value_name = "LEAGUE")]
    pub(crate) league: String,
    /// Your name on pages and in files: lower-case letters, digits and hyphens
    #[arg(long, value_name = "NAME")]
    pub(crate) entrant: String,
    /// Your name for people
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: String,
    /// What takes part
    #[arg(long, value_parser = word(EntrantKind::ALL.map(EntrantKind::as_str), EntrantKind::parse))]
    pub(crate) kind: EntrantKind,
    /// Where the operator reaches you
    #[arg(long, value_name = "TEXT")]
    pub(crate) contact: String,
    /// How you decide, in a sentence
    #[arg(long, value_name = "TEXT")]
    pub(crate) method: String,
    /// The league fetches your entries below this address; without it you bring them
    #[arg(long, value_name = "URL")]
    pub(crate) address: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentFlags,
    /// The file of a key; may be repeated
    #[arg(long = "key", value_name = "FILE", default_value = "entrant.key")]
    pub(crate) keys: Vec<PathBuf>,
    /// The folder for the registration
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
}

/// Seal a portfolio for a round, before its deadline
///
/// ROUND is the folder, the bundle or the address of a frozen round. The portfolio is a file with a line
/// for each holding, such as `SP500: 60`, and must follow the rules of the round. Two files are written:
/// deliver ROUND.KEY.sealed, which tells nothing of the portfolio, and keep ROUND.KEY.secret, without
/// which nobody can open it.
///
/// $ capitalbench enter seal rounds/HOUSE-2026-12-07-1W portfolio.yaml --tsa https://freetsa.org/tsr
///
/// Exit codes: 0 sealed, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterSeal {
    /// The folder, the bundle or the address of a frozen round
    #[arg(value_name = "ROUND")]
    pub(crate) round: String,
    /// The file with the holdings
    #[arg(value_name = "PORTFOLIO")]
    pub(crate) portfolio: PathBuf,
    /// The file of your key
    #[arg(long, value_name = "FILE", default_value = "entrant.key")]
    pub(crate) key: PathBuf,
    /// Have this time stamp authority stamp the sealed entry
    #[arg(long = "tsa", value_name = "URL")]
    pub(crate) authority: Option<ClockUrl>,
    /// The folder for both files
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Open what you sealed, after the entry close and before the next session
///
/// $ capitalbench enter open https://league.example/rounds/HOUSE-2026-12-07-1W/
///
/// Exit codes: 0 opened, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterOpen {
    /// The folder, the bundle or the address of the round
    #[arg(value_name = "ROUND")]
    pub(crate) round: String,
    /// The folder with your secrets, which also gets the openings
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Take what entrants brought, log it and give receipts
///
/// Reads the registrations that `entrants.registrations` of league.yaml admits, the folder
/// `entrants.entries`, and the addresses that entrants registered. `league run` does the same in every
/// pass. A file that is refused stays where it is, and the reason is printed.
///
/// $ capitalbench enter collect --league house-league
///
/// Exit codes: 0 everything is in the log, 1 something was refused, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterCollect {
    #[command(flatten)]
    pub(crate) league: LeagueDir,
    #[command(flatten)]
    pub(crate) now: Now,
}

/// Hold your receipt against the log that the league shows now
///
/// Finds an operator who dropped, moved or changed what you have a receipt for. Keep the public key of
/// the league from before, and name it with --vkey: an operator who makes a new log makes a new key.
///
/// $ capitalbench enter check HOUSE-2026-12-07-1W.ada.sealed.receipt --from
/// https://league.example/rounds/HOUSE-2026-12-07-1W/
///
/// Exit codes: 0 the log has what the receipt says, 1 it has not, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct EnterCheck {
    /// The receipt
    #[arg(value_name = "RECEIPT", required = true)]
    pub(crate) receipts: Vec<PathBuf>,
    /// A folder of rounds, a round, a bundle, or the address of a round
    #[arg(long, value_name = "SOURCE", default_value = "rounds")]
    pub(crate) from: String,
    /// The public key of the league, as you kept it
    #[arg(long = "vkey", value_name = "KEY", value_parser = vkey)]
    pub(crate) key: Option<VerifierKey>,
    #[command(flatten)]
    pub(crate) now: Now,
}

fn vkey(text: &str) -> Result<VerifierKey, String> {
    VerifierKey::parse(text.trim()).map_err(|error| error.to_string())
}
