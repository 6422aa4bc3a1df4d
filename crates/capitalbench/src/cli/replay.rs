//! `replay`: models of the reader's own, asked after the fact.

use std::path::PathBuf;

use clap::Args;

use super::{Consent, Now, Permission, PriceCard};

/// Ask models about a resolved round, after the fact
///
/// Verifies the round, sends exactly the frozen text with your own key, and scores the answers by the
/// stored prices. The result shows the place each model would have had, the controls, the share of
/// random portfolios below it, and how far repeated answers of one model lie apart. It is marked as made
/// after the fact and lies in a folder of its own; no board, site or database takes it.
///
/// $ capitalbench replay rounds/CB-2026-12-07-1W --model amber --model dune --mock
/// $ capitalbench replay https://league.example/rounds/R-1W/ --model openai/gpt-5.5 --allow-real-api-calls --max-cost-usd 1
/// $ capitalbench replay one.tar.zst two.tar.zst --models models.yaml --allow-real-api-calls
///
/// Exit codes: 0 every model gave a valid answer, 1 some did not, 2 could not run.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Folders, bundles or addresses of rounds
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<String>,
    /// A model as provider/name, or one of the models file; may be repeated
    #[arg(
        long = "model",
        value_name = "MODEL",
        required_unless_present = "models"
    )]
    pub(crate) model: Vec<String>,
    /// Model configuration, for settings of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) card: PriceCard,
    #[command(flatten)]
    pub(crate) permission: Permission,
    /// Start no call that might cost more than this in all
    #[arg(long = "max-cost-usd", value_name = "USD")]
    pub(crate) cost_usd: Option<f64>,
    /// The folder of replays
    #[arg(long, value_name = "DIR", default_value = "replays")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) now: Now,
}
