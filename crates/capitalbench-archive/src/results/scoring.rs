//! Parsed submissions and two price sheets → result files.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::run::{RunKind, RunRules};
use capitalbench_core::decision::control::{Control, Follows};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::market::price_rules::PriceProblem;
use capitalbench_core::result::consistency::{self, ModelConsistency};
use capitalbench_core::result::leaderboard::{self, Scored, score_all};
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::result::score::score_submission;
use capitalbench_core::round::methodology::ModalTie;
use capitalbench_core::values::ids::{ModelId, RunId};

use crate::disk::layout::run;
use crate::format::figures::outcomes::{self, Accepted, Outcomes};
use crate::format::figures::results::{self, ResultTable};
use crate::results::exceptions::Exceptions;
use crate::round::round_folder::RoundInputs;
use crate::run::run_controls::{RunControls, as_submission};
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, load_parsed, validate_run};
use crate::verify::derivation;

mod error;
mod round_prices;

pub use error::ScoringError;
pub(crate) use round_prices::RoundPrices;

use round_prices::{price_warnings, tolerated_problems};

/// The result of a run, not yet on disk.
#[derive(Debug, Clone)]
pub struct ScoredRun {
    /// Returns of the options.
    pub returns: RoundReturns,
    /// Outcomes in leaderboard order.
    pub outcomes: Vec<Scored>,
    /// Control entrants in their order, or why one has no outcome.
    pub controls: Vec<ControlOutcome>,
    /// Consistency rows; empty for other kinds of run.
    pub consistency: Vec<ModelConsistency>,
    /// Result tables by path inside the run.
    pub tables: Vec<(&'static str, ResultTable)>,
    /// Text of `price_warnings.json`, when a raw close was used.
    pub price_warnings: Option<String>,
    /// Text of `outcomes.json`.
    pub outcomes_json: String,
    /// Broken price rules that this methodology tolerates.
    pub price_problems: Vec<PriceProblem>,
}

/// Scores a run from its folder; writes nothing.
pub fn score_run(
    inputs: &RoundInputs,
    folder: &RunFolder,
    rules: RunRules,
) -> Result<ScoredRun, ScoringError> {
    score_run_allowing(inputs, folder, rules, &Exceptions::default())
}

/// The same with the operator's exceptions.
pub fn score_run_allowing(
    inputs: &RoundInputs,
    folder: &RunFolder,
    rules: RunRules,
    exceptions: &Exceptions,
) -> Result<ScoredRun, ScoringError> {
    derivation::require(inputs, folder)?;
    let submissions = parsed_submissions(inputs, folder, rules)?;
    if submissions.is_empty() {
        return Err(ScoringError::Nothing(folder.run_id().to_string()));
    }
    let prices = RoundPrices::load(inputs)?.allowing(exceptions);
    if let Some(check) = prices.unaccepted_cross_check() {
        let options = check.beyond();
        let options = options.iter().map(|row| row.option_id.to_string());
        return Err(ScoringError::CrossCheck {
            round: inputs.folder.name(),
            source_name: check.source.clone(),
            tolerance: check.tolerance_bps,
            options: options.collect(),
        });
    }
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
    let run = ScoredAs {
        run_id: folder.run_id(),
        rules,
        attempts: &attempts,
    };
    score_submissions(inputs, run, entrants, &prices)
}

/// The parsed submissions of a run; each must be valid.
pub(crate) fn parsed_submissions(
    inputs: &RoundInputs,
    folder: &RunFolder,
    rules: RunRules,
) -> Result<Vec<Submission>, ScoringError> {
    let parsed = load_parsed(inputs, folder, rules)?.into_iter();
    let valid = |Checked { name, verdict, .. }: Checked| {
        verdict.map_err(|problems| ScoringError::Submission {
            file: format!("{}/{}/{name}", folder.run_id(), run::PARSED),
            problems,
        })
    };
    parsed.map(valid).collect()
}

/// The models and controls of a run.
pub(crate) struct Entrants<'a> {
    /// Valid submissions of the models.
    pub(crate) submissions: Vec<Submission>,
    /// Control entrants, where the run has them.
    pub(crate) controls: Option<&'a RunControls>,
}

/// The run that is scored, and its raw files by model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredAs<'a> {
    pub(crate) run_id: &'a RunId,
    pub(crate) rules: RunRules,
    pub(crate) attempts: &'a Attempts,
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
    run: ScoredAs<'_>,
    entrants: Entrants<'_>,
    prices: &RoundPrices,
) -> Result<ScoredRun, ScoringError> {
    let (manifest, universe) = (&inputs.manifest, &*inputs.universe);
    let (entry, exit) = (&prices.entry, &prices.exit);
    let rules = run.rules;
    let round = || manifest.round_id.to_string();
    let problems = tolerated_problems(inputs, prices)?;
    let scored = score_all(entrants.submissions, universe, entry, exit);
    let (returns, mut outcomes) = scored.map_err(|error| ScoringError::Score {
        round: round(),
        error,
    })?;
    leaderboard::sort(&mut outcomes, manifest.methodology.tie_rule());
    let beside = with_funds(inputs, prices, &returns);
    let controls = entrants.controls.map_or_else(Vec::new, |controls| {
        score_controls(controls, inputs, rules, &beside)
    });
    let (models, tables) = tables(inputs, run, &returns, &outcomes, &controls);
    let outcomes_json = outcomes::render(&Outcomes {
        round_id: manifest.round_id.as_str(),
        run_id: run.run_id.as_str(),
        kind: rules.kind,
        methodology: manifest.methodology.label().unwrap_or_default(),
        prices: prices.digests,
        accepted: Accepted {
            cross_check: prices.cross_check_reason(),
            unproved_prices: prices.unproved_reason.as_deref(),
        },
        returns: &returns,
        scored: &outcomes,
        problems: &problems,
    })
    .map_err(|error| ScoringError::AboveOracle {
        round: round(),
        error,
    })?;
    Ok(ScoredRun {
        returns,
        outcomes,
        outcomes_json,
        controls,
        consistency: models,
        tables,
        price_warnings: price_warnings(entry, exit),
        price_problems: problems,
    })
}

/// The returns of the options, and behind them those of the funds that controls hold.
fn with_funds(inputs: &RoundInputs, prices: &RoundPrices, returns: &RoundReturns) -> RoundReturns {
    let returns = returns.clone();
    if inputs.priced.options().len() == inputs.universe.options().len() {
        return returns;
    }
    let (entry, exit) = (&prices.entry, &prices.exit);
    match RoundReturns::new(&inputs.priced, entry, exit, &BTreeSet::new()) {
        Ok(all) => returns.beside(&all),
        Err(_) => returns,
    }
}

/// A control's figures, or why it has none.
pub type ControlOutcome = (Follows, Result<Scored, String>);

/// Scores controls like models; a control that holds an unpriced option has no figures.
fn score_controls(
    controls: &RunControls,
    inputs: &RoundInputs,
    rules: RunRules,
    returns: &RoundReturns,
) -> Vec<ControlOutcome> {
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
    all.map(|control| (control.rule.clone(), scored(control)))
        .collect()
}

/// Consistency rows and result tables, by path inside the run.
type Tables = (Vec<ModelConsistency>, Vec<(&'static str, ResultTable)>);

fn tables(
    inputs: &RoundInputs,
    run: ScoredAs<'_>,
    returns: &RoundReturns,
    outcomes: &[Scored],
    controls: &[ControlOutcome],
) -> Tables {
    if run.rules.kind == RunKind::Consistency {
        let modal_tie = inputs.manifest.methodology.modal_tie();
        let models = consistency_rows(outcomes, run.attempts, (returns, modal_tie));
        let replicates = results::replicates(outcomes, returns, run.rules);
        let stability = results::stability(&models, returns, run.rules);
        let tables = vec![(run::RETURNS, replicates), (run::STABILITY, stability)];
        return (models, tables);
    }
    let mut tables = vec![
        (run::RETURNS, results::returns(&inputs.universe, returns)),
        (run::ALLOCATIONS, results::allocations(outcomes, returns)),
        (run::LEADERBOARD, results::leaderboard(outcomes, returns)),
    ];
    if !controls.is_empty() {
        let scored = controls
            .iter()
            .filter_map(|(_, scored)| scored.clone().ok());
        let table = results::leaderboard(&scored.collect::<Vec<_>>(), returns);
        tables.push((run::CONTROL_RESULTS, table));
    }
    (Vec::new(), tables)
}

fn consistency_rows(
    outcomes: &[Scored],
    attempts: &Attempts,
    figures: (&RoundReturns, ModalTie),
) -> Vec<ModelConsistency> {
    let mut by_model: BTreeMap<&ModelId, (&str, Vec<&Scored>)> = attempts
        .iter()
        .map(|(id, (provider, _))| (id, (provider.as_str(), Vec::new())))
        .collect();
    for scored in outcomes {
        let submission = &scored.submission;
        let slot = by_model.entry(&submission.model_id);
        let (_, own) = slot.or_insert((&submission.provider, Vec::new()));
        own.push(scored);
    }
    let row = |(model_id, (provider, mut replicates)): (&ModelId, (&str, Vec<&Scored>))| {
        replicates.sort_by_key(|scored| scored.submission.replicate());
        let tried = attempts.get(model_id);
        let tried = tried.map_or(replicates.len(), |(_, count)| *count);
        consistency::summarise(model_id, provider, &replicates, tried, figures)
    };
    by_model.into_iter().map(row).collect()
}
