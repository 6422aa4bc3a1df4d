//! Parsed submissions and two price sheets → result files.

use std::collections::BTreeMap;

use capitalbench_core::consistency::{self, ModelConsistency};
use capitalbench_core::control::{Control, Rule};
use capitalbench_core::ids::ModelId;
use capitalbench_core::leaderboard::{self, Scored, score_all};
use capitalbench_core::methodology::Enforcement;
use capitalbench_core::price_rules::{self, PriceProblem};
use capitalbench_core::prices::{PriceSheet, Side};
use capitalbench_core::returns::RoundReturns;
use capitalbench_core::run::{RunKind, RunRules};
use capitalbench_core::score::{ScoreError, score_submission};
use capitalbench_core::submission::{Problem, Submission};
use serde_json::json;

use crate::error::FileError;
use crate::file_ops;
use crate::format::json;
use crate::format::results::{self, ResultTable};
use crate::layout::{self, run};
use crate::round_folder::RoundInputs;
use crate::run_controls::{RunControls, as_submission};
use crate::run_folder::RunFolder;
use crate::validation::{Checked, load_parsed, validate_run};

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

/// The result of a run, not yet on disk.
#[derive(Debug, Clone)]
pub struct ScoredRun {
    /// Returns of the options.
    pub returns: RoundReturns,
    /// Outcomes in leaderboard order.
    pub outcomes: Vec<Scored>,
    /// Control entrants, in their order; why one has no outcome.
    pub controls: Vec<(Rule, Result<Scored, String>)>,
    /// Consistency rows; empty for other kinds of run.
    pub consistency: Vec<ModelConsistency>,
    /// Result tables by path inside the run.
    pub tables: Vec<(&'static str, ResultTable)>,
    /// Text of `price_warnings.json`, when a raw close was used.
    pub price_warnings: Option<String>,
    /// Broken price rules that this methodology only reports.
    pub price_problems: Vec<PriceProblem>,
}

/// Scores a run from its folder; writes nothing.
pub fn score_run(
    inputs: &RoundInputs,
    folder: &RunFolder,
    rules: RunRules,
) -> Result<ScoredRun, ScoringError> {
    let parsed = load_parsed(inputs, folder, rules)?;
    let mut submissions = Vec::with_capacity(parsed.len());
    for Checked { name, verdict, .. } in parsed {
        submissions.push(verdict.map_err(|problems| ScoringError::Submission {
            file: format!("{}/{}/{name}", folder.run_id(), run::PARSED),
            problems,
        })?);
    }
    if submissions.is_empty() {
        return Err(ScoringError::Nothing(folder.run_id().to_string()));
    }
    let sheet = |side, file| -> Result<PriceSheet, ScoringError> {
        let round = inputs.folder.name();
        let sheet = inputs.folder.sheet(side)?;
        sheet.ok_or(ScoringError::NoPrices { round, file })
    };
    let entry = sheet(Side::Entry, layout::ENTRY_PRICES)?;
    let exit = sheet(Side::Exit, layout::EXIT_PRICES)?;
    let attempts = match rules.kind {
        RunKind::Consistency => attempts(&validate_run(inputs, folder, rules)?),
        _ => BTreeMap::new(),
    };
    let controls = if folder.has(run::SLOTS) || folder.has(run::CONTROLS) {
        let raw = validate_run(inputs, folder, rules)?;
        RunControls::of_run(inputs, folder, &raw)?
    } else {
        None
    };
    let entrants = Entrants {
        submissions,
        controls: controls.as_ref(),
    };
    score_submissions(inputs, rules, entrants, (&entry, &exit), &attempts)
}

/// Whoever decided in a run.
pub(crate) struct Entrants<'a> {
    /// Valid submissions of the models.
    pub(crate) submissions: Vec<Submission>,
    /// Control entrants, where the run has them.
    pub(crate) controls: Option<&'a RunControls>,
}

/// Raw files by model, valid or not, with the provider.
pub(crate) type Attempts = BTreeMap<ModelId, (String, usize)>;

/// Counts the raw files of a run by model.
pub(crate) fn attempts(raw: &[Checked]) -> Attempts {
    let mut attempts = Attempts::new();
    for file in raw {
        if let Some(Ok(model_id)) = file.model_id().map(ModelId::parse) {
            let provider = file.provider().unwrap_or_default().to_owned();
            attempts.entry(model_id).or_insert((provider, 0)).1 += 1;
        }
    }
    attempts
}

/// Scores submissions against two sheets.
pub(crate) fn score_submissions(
    inputs: &RoundInputs,
    rules: RunRules,
    entrants: Entrants<'_>,
    (entry, exit): (&PriceSheet, &PriceSheet),
    attempts: &Attempts,
) -> Result<ScoredRun, ScoringError> {
    let (manifest, universe) = (&inputs.manifest, &*inputs.universe);
    let round = || manifest.round_id.to_string();
    let problems = price_rules::problems(universe, manifest.window, entry, exit);
    if manifest.methodology.enforcement() == Enforcement::Refuse {
        let refused: Vec<PriceProblem> = problems
            .iter()
            .filter(|problem| problem.is_refused())
            .cloned()
            .collect();
        if !refused.is_empty() {
            return Err(ScoringError::Prices {
                round: round(),
                problems: refused,
            });
        }
    }
    let (returns, mut outcomes) =
        score_all(entrants.submissions, universe, entry, exit).map_err(|error| {
            ScoringError::Score {
                round: round(),
                error,
            }
        })?;
    leaderboard::sort(&mut outcomes, manifest.methodology.tie_rule());
    let mut models = Vec::new();
    let controls = entrants.controls.map_or_else(Vec::new, |controls| {
        score_controls(controls, inputs, rules, &returns)
    });
    let mut tables = if rules.kind == RunKind::Consistency {
        models = consistency_rows(&outcomes, attempts, &returns);
        vec![
            (
                run::RETURNS,
                results::replicates(&outcomes, &returns, rules),
            ),
            (run::STABILITY, results::stability(&models, &returns, rules)),
        ]
    } else {
        vec![
            (run::RETURNS, results::returns(universe, &returns)),
            (run::ALLOCATIONS, results::allocations(&outcomes, &returns)),
            (run::LEADERBOARD, results::leaderboard(&outcomes, &returns)),
        ]
    };
    if !controls.is_empty() && rules.kind != RunKind::Consistency {
        let scored = controls
            .iter()
            .filter_map(|(_, scored)| scored.clone().ok());
        let table = results::leaderboard(&scored.collect::<Vec<_>>(), &returns);
        tables.push((run::CONTROL_RESULTS, table));
    }
    Ok(ScoredRun {
        returns,
        outcomes,
        controls,
        consistency: models,
        tables,
        price_warnings: price_warnings(entry, exit),
        price_problems: problems,
    })
}

/// The same arithmetic as for models; an option without a price takes its control out.
fn score_controls(
    controls: &RunControls,
    inputs: &RoundInputs,
    rules: RunRules,
    returns: &RoundReturns,
) -> Vec<(Rule, Result<Scored, String>)> {
    let scored = |control: &Control| -> Result<Scored, String> {
        let reason = control.holdings.as_ref().err();
        let submission = as_submission(control, &inputs.manifest, rules)
            .ok_or_else(|| reason.map(ToString::to_string).unwrap_or_default())?;
        let held = submission.decision.option_ids();
        if let Some(unpriced) = held.iter().find(|id| returns.get(id).is_none()) {
            return Err(format!("{unpriced} has no price"));
        }
        let outcome = score_submission(&submission, &inputs.universe, returns)
            .map_err(|error| error.to_string())?;
        Ok(Scored {
            submission,
            outcome,
        })
    };
    let all = controls.controls.iter();
    all.map(|control| (control.rule, scored(control))).collect()
}

fn consistency_rows(
    outcomes: &[Scored],
    attempts: &Attempts,
    returns: &RoundReturns,
) -> Vec<ModelConsistency> {
    let mut by_model: BTreeMap<&ModelId, (&str, Vec<&Scored>)> = attempts
        .iter()
        .map(|(id, (provider, _))| (id, (provider.as_str(), Vec::new())))
        .collect();
    for scored in outcomes {
        let submission = &scored.submission;
        let slot = by_model.entry(&submission.model_id);
        slot.or_insert((&submission.provider, Vec::new()))
            .1
            .push(scored);
    }
    let mut rows = Vec::with_capacity(by_model.len());
    for (model_id, (provider, mut replicates)) in by_model {
        replicates.sort_by_key(|scored| scored.submission.replicate());
        let tried = attempts
            .get(model_id)
            .map_or(replicates.len(), |(_, count)| *count);
        rows.push(consistency::summarise(
            model_id,
            provider,
            &replicates,
            tried,
            returns,
        ));
    }
    rows
}

fn price_warnings(entry: &PriceSheet, exit: &PriceSheet) -> Option<String> {
    let mut warnings = Vec::new();
    for (side, sheet) in [(Side::Entry, entry), (Side::Exit, exit)] {
        for key in sheet.close_only_keys() {
            let message = "no adjusted close; the raw close was used";
            warnings.push(json!({"side": side.as_str(), "key": key, "message": message}));
        }
    }
    (!warnings.is_empty()).then(|| json::to_pretty(&json!({ "warnings": warnings })))
}

/// Writes the result files; tables of the other kind of run and stale warnings go away.
pub fn write_results(folder: &RunFolder, scored: &ScoredRun) -> Result<(), FileError> {
    let tables = scored.tables.iter();
    let mut files: Vec<_> = tables
        .map(|(path, table)| (folder.file(path), table.render().into_bytes()))
        .collect();
    if let Some(text) = &scored.price_warnings {
        files.push((folder.file(run::PRICE_WARNINGS), text.clone().into_bytes()));
    }
    file_ops::replace_all(&files)?;
    if scored.price_warnings.is_none() {
        file_ops::remove(&folder.file(run::PRICE_WARNINGS))?;
    }
    let stale = if scored
        .tables
        .iter()
        .any(|(path, _)| *path == run::STABILITY)
    {
        [run::LEADERBOARD, run::ALLOCATIONS].as_slice()
    } else {
        [run::STABILITY].as_slice()
    };
    if scored.controls.is_empty() {
        file_ops::remove(&folder.file(run::CONTROL_RESULTS))?;
    }
    for path in stale {
        file_ops::remove(&folder.file(path))?;
    }
    Ok(())
}
