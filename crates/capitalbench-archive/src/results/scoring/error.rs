//! Why a run was not scored.

use capitalbench_core::decision::submission::Problem;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::result::score::{AboveOracle, ScoreError};

use crate::disk::error::FileError;

/// Why a run was not scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoringError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{round} has no {file}; fetch both sides of the window first")]
    NoPrices { round: String, file: &'static str },
    #[error("{file} is not a valid submission: {}", join(.problems))]
    Submission {
        /// The file, inside its run.
        file: String,
        problems: Vec<Problem>,
    },
    #[error("{round}: {file} {problem}")]
    NotDerived {
        round: String,
        /// The file, inside the round.
        file: String,
        problem: String,
    },
    #[error("{round}: the stored result {file} differs from the computed one: {problem}")]
    OtherResult {
        round: String,
        /// The file, inside the round.
        file: String,
        problem: String,
    },
    #[error("run {0} has no parsed submission")]
    Nothing(String),
    #[error("{round}: {error}")]
    Score { round: String, error: ScoreError },
    #[error(
        "{round}: {source_name} and the prices differ by more than {tolerance} bp for {}",
        .options.join(", ")
    )]
    CrossCheck {
        round: String,
        source_name: String,
        /// In basis points.
        tolerance: f64,
        options: Vec<String>,
    },
    #[error("{round}: {error}")]
    AboveOracle { round: String, error: AboveOracle },
    #[error("run {run} already has other results: {} would change", .files.join(", "))]
    WouldChange { run: String, files: Vec<String> },
    #[error("{round}: the prices break {} of the price rules: {}", .problems.len(), join(.problems))]
    Prices {
        round: String,
        problems: Vec<PriceProblem>,
    },
}

fn join<T: std::fmt::Display>(problems: &[T]) -> String {
    let texts: Vec<String> = problems.iter().map(T::to_string).collect();
    texts.join("; ")
}
