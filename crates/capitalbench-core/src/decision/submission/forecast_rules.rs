//! The arithmetic a forecast methodology asks of a portfolio and its candidate ledger.

use std::collections::{BTreeMap, BTreeSet};

use super::{Decision, LedgerDecision, LedgerEntry, Problem, RoundRules, Submission};
use crate::decision::portfolio::Holding;
use crate::market::universe::Universe;
use crate::values::ids::OptionId;
use crate::values::sums::compensated_sum;

const FORECAST_TOLERANCE_PCT: f64 = 0.10;
const WEIGHTED_TOLERANCE_PCT: f64 = 0.20;
const LEDGER_SIZE: std::ops::RangeInclusive<usize> = 6..=8;
const LEDGER_CLUSTERS: usize = 4;

/// Every broken forecast rule.
pub(super) fn check(submission: &Submission, rules: &RoundRules<'_>) -> Vec<Problem> {
    let Decision::Portfolio(holdings) = &submission.decision else {
        return vec![Problem::at("portfolio", "is required by this methodology")];
    };
    let mut problems = Vec::new();
    let forecast = &submission.forecast;
    let (Some(reference), Some(portfolio), Some(alpha)) = (
        forecast.reference_pct,
        forecast.portfolio_pct,
        forecast.alpha_pct,
    ) else {
        let text = "benchmark, portfolio and alpha forecasts are required by this methodology";
        return vec![Problem::whole(text)];
    };
    if ((portfolio - reference) - alpha).abs() > FORECAST_TOLERANCE_PCT {
        problems.push(Problem::at(
            "expected_alpha_vs_sp500_pct",
            "differs from portfolio minus benchmark forecast by more than 0.10",
        ));
    }
    let mut parts = Vec::with_capacity(holdings.len());
    for (index, holding) in holdings.iter().enumerate() {
        let own = &holding.forecast;
        let complete = own.time_window_catalyst.is_some() && own.invalidation_condition.is_some();
        match own.expected_return_pct {
            Some(expected) if complete => parts.push(expected * holding.weight.percent() / 100.0),
            _ => problems.push(Problem::at(
                format!("portfolio.{index}"),
                "needs expected_return_pct, time_window_catalyst and invalidation_condition",
            )),
        }
    }
    let weighted = compensated_sum(parts);
    if problems.is_empty() && (weighted - portfolio).abs() > WEIGHTED_TOLERANCE_PCT {
        problems.push(Problem::at(
            "portfolio_expected_return_pct",
            format!("differs from the weighted holdings' {weighted:.2} by more than 0.20"),
        ));
    }
    if rules.manifest.methodology.requires_ledger() {
        problems.extend(ledger_problems(submission, holdings, rules));
    }
    problems
}

fn ledger_problems(
    submission: &Submission,
    holdings: &[Holding],
    rules: &RoundRules<'_>,
) -> Vec<Problem> {
    let universe = rules.universe;
    let at = |text: String| Problem::at("candidate_ledger", text);
    let Some(ledger) = &submission.ledger else {
        return vec![at("is required by this methodology".into())];
    };
    let mut problems = Vec::new();
    if !LEDGER_SIZE.contains(&ledger.len()) {
        problems.push(at(format!(
            "has {} entries; 6 to 8 are allowed",
            ledger.len()
        )));
    }
    let mut entries: BTreeMap<&OptionId, &LedgerEntry> = BTreeMap::new();
    let mut clusters = BTreeSet::new();
    for entry in ledger {
        match universe.get(&entry.option_id) {
            Some(option) => _ = clusters.insert(option.exposure_cluster()),
            None => problems.push(at(format!(
                "{} is not an option of this round",
                entry.option_id
            ))),
        }
        if entries.insert(&entry.option_id, entry).is_some() {
            problems.push(at(format!("{} is listed twice", entry.option_id)));
        }
        if entry.evidence.iter().any(|text| mentions_link(text)) {
            problems.push(at(format!(
                "evidence of {} contains a link",
                entry.option_id
            )));
        }
    }
    if clusters.len() < LEDGER_CLUSTERS {
        let text = format!(
            "spans {} economic exposures; at least 4 are required",
            clusters.len()
        );
        problems.push(at(text));
    }
    let selected: BTreeSet<&OptionId> = ledger
        .iter()
        .filter(|entry| entry.decision == LedgerDecision::Selected)
        .map(|entry| &entry.option_id)
        .collect();
    let held: BTreeSet<&OptionId> = holdings.iter().map(|h| &h.option_id).collect();
    if selected != held {
        problems.push(at(
            "selected entries and holdings are not the same options".into()
        ));
    }
    problems.extend(base_forecast_problems(
        submission, holdings, universe, &entries,
    ));
    if let Some(cap) = rules.manifest.exposure_cap_pct() {
        problems.extend(exposure_problems(holdings, universe, cap));
    }
    problems
}

/// Whether a text points outside.
pub(crate) fn mentions_link(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["http://", "https://", "www."]
        .iter()
        .any(|mark| lower.contains(mark))
}

fn base_forecast_problems(
    submission: &Submission,
    holdings: &[Holding],
    universe: &Universe,
    entries: &BTreeMap<&OptionId, &LedgerEntry>,
) -> Vec<Problem> {
    let Some(reference) = entries.get(&universe.forecast_reference().id) else {
        let text = "the reference must be one of the candidates";
        return vec![Problem::at("candidate_ledger", text)];
    };
    let mut problems = Vec::new();
    let stated = submission.forecast.reference_pct.unwrap_or_default();
    if (stated - reference.base_pct()).abs() > FORECAST_TOLERANCE_PCT {
        problems.push(Problem::at(
            "benchmark_expected_return_pct",
            "differs from the reference's base forecast by more than 0.10",
        ));
    }
    for (index, holding) in holdings.iter().enumerate() {
        let (Some(entry), Some(expected)) = (
            entries.get(&holding.option_id),
            holding.forecast.expected_return_pct,
        ) else {
            continue;
        };
        let field = format!("portfolio.{index}");
        if (expected - entry.base_pct()).abs() > FORECAST_TOLERANCE_PCT {
            let text = "expected return differs from its base forecast by more than 0.10";
            problems.push(Problem::at(&field, text));
        }
        if universe.is_active(&holding.option_id) && entry.base_pct() <= reference.base_pct() {
            let text = format!(
                "{}: base forecast must exceed the reference's",
                holding.option_id
            );
            problems.push(Problem::at(field, text));
        }
    }
    problems
}

fn exposure_problems(holdings: &[Holding], universe: &Universe, cap_pct: u32) -> Vec<Problem> {
    let beyond = universe.beyond_cap(holdings, cap_pct).into_iter();
    let problem = |(cluster, total): (&str, u32)| {
        let total = total / 100;
        let text = format!("{cluster} holds {total}%; at most {cap_pct}% is allowed");
        Problem::at("portfolio", text)
    };
    beyond.map(problem).collect()
}
