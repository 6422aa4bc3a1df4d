//! Parsed submissions and two price sheets → result files.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::run::{RunKind, RunRules};
use capitalbench_core::decision::control::{Control, Follows};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::market::cross_check::CrossCheck;
use capitalbench_core::market::price_rules::{self, PriceProblem};
use capitalbench_core::market::prices::{PriceSheet, Side};
use capitalbench_core::result::consistency::{self, ModelConsistency};
use capitalbench_core::result::leaderboard::{self, Scored, score_all};
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::result::score::score_submission;
use capitalbench_core::round::methodology::{Enforcement, ModalTie};
use capitalbench_core::values::ids::{Digest, ModelId, RunId};
use serde_json::json;

use crate::disk::layout::{self, run};
use crate::format::figures::outcomes::{self, Accepted, Outcomes};
use crate::format::figures::results::{self, ResultTable};
use crate::format::{prices::price_sheet, text::json};
use crate::prices::price_record::PriceRecord;
use crate::prices::unproved_prices;
use crate::prices::withheld::wrongly_published;
use crate::results::exceptions::Exceptions;
use crate::round::round_folder::RoundInputs;
use crate::run::run_controls::{RunControls, as_submission};
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, load_parsed, validate_run};
use crate::verify::derivation;

mod error;

pub use error::ScoringError;

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

/// The two sheets of a round, and the record of their fetch.
#[derive(Debug)]
pub(crate) struct RoundPrices {
    entry: PriceSheet,
    exit: PriceSheet,
    digests: (Digest, Digest),
    record: Option<PriceRecord>,
    /// Why the operator accepted sheets without a record.
    unproved_reason: Option<String>,
    record_problems: Vec<PriceProblem>,
}

impl RoundPrices {
    /// Reads both sheets and the record of their fetch, where there is one.
    pub(crate) fn load(inputs: &RoundInputs) -> Result<Self, ScoringError> {
        let folder = &inputs.folder;
        let sheet = |file: &'static str| -> Result<(PriceSheet, Digest), ScoringError> {
            let round = folder.name();
            let bytes = folder.read_optional(file)?;
            let bytes = bytes.ok_or(ScoringError::NoPrices { round, file })?;
            let sheet =
                price_sheet::parse(&bytes).map_err(|fault| fault.in_file(&folder.file(file)))?;
            Ok((sheet, Digest::of(&bytes)))
        };
        let entry = sheet(layout::ENTRY_PRICES)?;
        let exit = sheet(layout::EXIT_PRICES)?;
        let record = PriceRecord::load(folder)?;
        let mut record_problems = wrongly_published(folder, inputs.manifest.publish)?;
        if let Some(record) = &record {
            record_problems.extend(record.problems(inputs, (Some(&entry.0), Some(&exit.0)))?);
        }
        let accepted = unproved_prices::acceptance(folder)?;
        let digests = (entry.1, exit.1);
        let unproved = record.is_none() || unproved_prices::is_from_files(folder)?;
        let accepted = accepted.filter(|own| unproved && own.sheets() == digests);
        Ok(Self {
            entry: entry.0,
            exit: exit.0,
            digests,
            record,
            unproved_reason: accepted.map(|own| own.reason),
            record_problems,
        })
    }

    /// The same with exceptions that are not stored yet.
    fn allowing(mut self, exceptions: &Exceptions) -> Self {
        if let (Some(record), Some(word)) = (&mut self.record, &exceptions.cross_check) {
            record.acceptance = Some(word.clone());
        }
        let word = exceptions.unproved.as_ref();
        if let Some(word) = word.filter(|word| word.sheets() == self.digests) {
            self.unproved_reason = Some(word.reason.clone());
        }
        self
    }

    fn unaccepted_cross_check(&self) -> Option<&CrossCheck> {
        self.record.as_ref()?.unaccepted_cross_check()
    }

    fn cross_check_reason(&self) -> Option<&str> {
        let record = self.record.as_ref()?;
        let (accepted, check) = (record.acceptance.as_ref()?, record.cross_check.as_ref()?);
        (accepted.cross_check == check.1).then_some(&*accepted.reason)
    }
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

/// Broken price rules that are tolerated; a rule that the methodology enforces is an error.
fn tolerated_problems(
    inputs: &RoundInputs,
    prices: &RoundPrices,
) -> Result<Vec<PriceProblem>, ScoringError> {
    let manifest = &inputs.manifest;
    let (entry, exit) = (&prices.entry, &prices.exit);
    let mut problems = price_rules::problems(&inputs.priced, manifest.window, entry, exit);
    problems.extend(prices.record_problems.iter().cloned());
    let ours = manifest.methodology.enforcement() == Enforcement::Refuse;
    // Under our own labels scoring refuses them beforehand, see `unproved_prices`.
    if !ours && prices.record.is_none() {
        problems.push(PriceProblem::NoRecord);
    }
    // Only this program writes records of a fetch, so they bind under every label.
    let is_record = |problem: &PriceProblem| matches!(problem, PriceProblem::RecordDiffers { .. });
    let is_refused = |problem: &&PriceProblem| is_record(problem) || (ours && problem.is_refused());
    let refused: Vec<_> = problems.iter().filter(is_refused).cloned().collect();
    if refused.is_empty() {
        return Ok(problems);
    }
    Err(ScoringError::Prices {
        round: manifest.round_id.to_string(),
        problems: refused,
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
