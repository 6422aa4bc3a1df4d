//! What a well-formed submission must still satisfy: format, options, limits, round and run.

use std::collections::BTreeSet;

use super::{Decision, Problem, RoundRules, Submission, forecast_rules};
use crate::asking::run::{RunKind, RunRules};
use crate::decision::portfolio::{Constraints, Holding};
use crate::market::universe::Universe;
use crate::round::manifest::SubmissionFormat;
use crate::values::ids::ModelId;
use crate::values::units::BasisPoints;

/// Checks in the published order; the first group that fails reports its problems.
pub(super) fn check(submission: &Submission, rules: &RoundRules<'_>) -> Result<(), Vec<Problem>> {
    let manifest = rules.manifest;
    if submission.decision.format() != manifest.format {
        let wanted = match manifest.format {
            SubmissionFormat::SinglePick => "one selected_option_id",
            SubmissionFormat::Portfolio => "a portfolio",
        };
        let text = format!("this round asks for {wanted}");
        return Err(vec![Problem::whole(text)]);
    }
    some(options(submission, rules.universe, &manifest.constraints))?;
    if manifest.methodology.requires_forecasts() {
        some(forecast_rules::check(submission, rules))?;
    }
    if submission.round_id != manifest.round_id {
        let text = format!("is {}, not {}", submission.round_id, manifest.round_id);
        return Err(vec![Problem::at("round_id", text)]);
    }
    some(run_metadata(submission, rules.run))
}

fn some(problems: Vec<Problem>) -> Result<(), Vec<Problem>> {
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

fn options(submission: &Submission, universe: &Universe, limits: &Constraints) -> Vec<Problem> {
    match &submission.decision {
        Decision::SinglePick(option_id) => match universe.get(option_id) {
            Some(_) => Vec::new(),
            None => vec![Problem::at(
                "selected_option_id",
                format!("{option_id} is not an option of this round"),
            )],
        },
        Decision::Portfolio(holdings) => portfolio(holdings, universe, limits),
    }
}

/// What is wrong with a list of holdings by the limits of a round.
pub(crate) fn portfolio(
    holdings: &[Holding],
    universe: &Universe,
    limits: &Constraints,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let count = holdings.len();
    let allowed = limits.min_holdings as usize..=limits.max_holdings as usize;
    if !allowed.contains(&count) {
        let (low, high) = (limits.min_holdings, limits.max_holdings);
        let text = format!("has {count} holdings; {low} to {high} are allowed");
        problems.push(Problem::at("portfolio", text));
    }
    let mut seen = BTreeSet::new();
    for (index, holding) in holdings.iter().enumerate() {
        let field = format!("portfolio.{index}");
        if !seen.insert(&holding.option_id) {
            let text = format!("{} is held twice", holding.option_id);
            problems.push(Problem::at(&field, text));
        }
        if let Some(text) = holding_problem(holding, universe, limits) {
            problems.push(Problem::at(field, text));
        }
    }
    let total: BasisPoints = holdings.iter().map(|holding| holding.weight).sum();
    if total != BasisPoints::WHOLE {
        let text = format!("allocations add up to {}%, not 100%", total.percent());
        problems.push(Problem::at("portfolio", text));
    }
    problems
}

fn holding_problem(holding: &Holding, universe: &Universe, limits: &Constraints) -> Option<String> {
    let id = &holding.option_id;
    let Some(option) = universe.get(id) else {
        return Some(format!("{id} is not an option of this round"));
    };
    let weight = holding.weight;
    let step = BasisPoints::from_percent(limits.increment_pct.max(1));
    if weight < BasisPoints::from_percent(limits.min_allocation_pct) {
        let least = limits.min_allocation_pct;
        return Some(format!("{id}: {}% is below {least}%", weight.percent()));
    }
    if !weight.get().is_multiple_of(step.get()) {
        let step = limits.increment_pct;
        return Some(format!(
            "{id}: {}% is no multiple of {step}%",
            weight.percent()
        ));
    }
    if option.is_cash() && !limits.allow_cash {
        return Some(format!("{id}: cash may not be held"));
    }
    if option.counts_as_reference() && !limits.allow_reference {
        return Some(format!("{id}: the reference may not be held"));
    }
    None
}

fn run_metadata(submission: &Submission, run: RunRules) -> Vec<Problem> {
    let given = &submission.run;
    let any =
        given.kind.is_some() || given.replicate_index.is_some() || given.replicate_count.is_some();
    if run.kind == RunKind::Mock && !any {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut require = |holds: bool, field: &str, text: String| {
        if !holds {
            problems.push(Problem::at(field, text));
        }
    };
    let kind = run.kind.as_str();
    require(
        given.kind == Some(run.kind),
        "run_type",
        format!("must be {kind}"),
    );
    let count = run.replicates;
    let official = given.is_official_score == Some(true);
    match run.kind {
        RunKind::Official => {
            let one = |given: Option<u32>| given == Some(1);
            let text = "an official run has 1 replicate";
            require(count == 1, "run_type", text.into());
            let (index, total) = (given.replicate_index, given.replicate_count);
            require(one(index), "replicate_index", "must be 1".into());
            require(one(total), "replicate_count", "must be 1".into());
            require(official, "is_official_score", "must be true".into());
        }
        RunKind::Consistency | RunKind::Lane(_) => {
            let same = given.replicate_count == Some(count);
            require(same, "replicate_count", format!("must be {count}"));
            let index = given.replicate_index;
            let inside = index.is_some_and(|i| (1..=count).contains(&i));
            require(inside, "replicate_index", format!("must be 1 to {count}"));
            require(!official, "is_official_score", "must be false".into());
        }
        RunKind::Retrospective => {
            require(!official, "is_official_score", "must be false".into());
        }
        RunKind::Mock | RunKind::Smoke => {}
    }
    problems
}

/// Indexes of submissions that repeat an earlier one of the same run, with the reason.
pub fn duplicates(kind: RunKind, submissions: &[(&ModelId, u32)]) -> Vec<(usize, Problem)> {
    let mut seen = BTreeSet::new();
    let mut repeated = Vec::new();
    for (index, &(model_id, replicate)) in submissions.iter().enumerate() {
        let key = match kind {
            RunKind::Official => (model_id, 1),
            RunKind::Consistency | RunKind::Lane(_) => (model_id, replicate),
            RunKind::Mock | RunKind::Retrospective | RunKind::Smoke => continue,
        };
        if !seen.insert(key) {
            let text = match kind {
                RunKind::Consistency | RunKind::Lane(_) => {
                    format!("{model_id} answers replicate {replicate} twice")
                }
                _ => format!("{model_id} answers twice in an official run"),
            };
            repeated.push((index, Problem::at("model_id", text)));
        }
    }
    repeated
}
