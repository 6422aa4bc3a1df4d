//! Why a run was not scored.

use capitalbench_core::decision::submission::Problem;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::result::score::{AboveOracle, ScoreError};

use crate::disk::error::FileError;

/// Why a run was not scored.
#[derive(Debug, thiserror::Error)]
pub enum ScoringError {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A side's prices are not there.
    #[error("{round} has no {file}; fetch both sides of the window first")]
    NoPrices {
        /// The round.
        round: String,
        /// The missing sheet.
        file: &'static str,
    },
    /// A parsed file is no longer a valid submission.
    #[error("{file} is not a valid submission: {}", join(.problems))]
    Submission {
        /// The file, inside its run.
        file: String,
        /// Why.
        problems: Vec<Problem>,
    },
    /// A file of the run does not follow from its answers, or is not what was accepted.
    #[error("{round}: {file} {problem}")]
    NotDerived {
        /// The round.
        round: String,
        /// The file, inside the round.
        file: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A stored result is not the computed one.
    #[error("{round}: the stored result {file} is not the computed one: {problem}")]
    OtherResult {
        /// The round.
        round: String,
        /// The file, inside the round.
        file: String,
        /// How it differs.
        problem: String,
    },
    /// Nothing to score.
    #[error("run {0} has no parsed submission")]
    Nothing(String),
    /// Prices are missing.
    #[error("{round}: {error}")]
    Score {
        /// The round.
        round: String,
        /// What is missing.
        error: ScoreError,
    },
    /// Two sources are further apart than allowed.
    #[error(
        "{round}: {source_name} and the prices are more than {tolerance} bp apart for {}",
        .options.join(", ")
    )]
    CrossCheck {
        /// The round.
        round: String,
        /// The other source.
        source_name: String,
        /// What was allowed.
        tolerance: f64,
        /// The options.
        options: Vec<String>,
    },
    /// A portfolio did better than the best option.
    #[error("{round}: {error}")]
    AboveOracle {
        /// The round.
        round: String,
        /// By how much.
        error: AboveOracle,
    },
    /// Other results are there.
    #[error("run {run} has other results already: {} would change", .files.join(", "))]
    WouldChange {
        /// The run.
        run: String,
        /// Its files.
        files: Vec<String>,
    },
    /// Prices break a rule of this methodology.
    #[error("{round}: the prices break {} of our rules: {}", .problems.len(), join(.problems))]
    Prices {
        /// The round.
        round: String,
        /// Which ones.
        problems: Vec<PriceProblem>,
    },
}

fn join<T: std::fmt::Display>(problems: &[T]) -> String {
    let texts: Vec<String> = problems.iter().map(T::to_string).collect();
    texts.join("; ")
}
