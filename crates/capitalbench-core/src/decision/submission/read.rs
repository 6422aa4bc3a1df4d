//! A JSON object → the typed fields of a submission.

use serde_json::{Map, Value};

use super::fields::{Coercion, Fields};
use super::{
    Decision, Forecast, LedgerDecision, LedgerEntry, Problem, RoundRules, RunFields, Submission,
    Usage,
};
use crate::asking::run::RunKind;
use crate::decision::portfolio::{Holding, HoldingForecast};
use crate::round::methodology::Enforcement;
use crate::values::ids::{ModelId, OptionId, RoundId};
use crate::values::units::BasisPoints;

const OLD_PROVIDERS: [&str; 4] = ["openai", "anthropic", "google", "xai"];
/// The one way a model is asked.
pub const MODE: &str = "closed_capability";

/// Reads one object; all problems of types, ranges and unknown keys are reported together.
pub(super) fn read(
    object: &Map<String, Value>,
    rules: &RoundRules<'_>,
) -> Result<Submission, Vec<Problem>> {
    for plural in ["selected_option_ids", "selected_options", "selections"] {
        if object.contains_key(plural) {
            let text = "exactly one selected_option_id or one portfolio is allowed";
            return Err(vec![Problem::at(plural, text)]);
        }
    }
    if object
        .get("selected_option_id")
        .is_some_and(Value::is_array)
    {
        let text = "must be one option id, not a list";
        return Err(vec![Problem::at("selected_option_id", text)]);
    }
    let enforcement = rules.manifest.methodology.enforcement();
    let coercion = match enforcement {
        Enforcement::Reproduce => Coercion::Lenient,
        Enforcement::Refuse => Coercion::Exact,
    };
    let mut problems = Vec::new();
    let mut fields = Fields::new(object, String::new(), coercion, &mut problems);
    let submission = read_fields(&mut fields, enforcement);
    match submission {
        Some(submission) if problems.is_empty() => Ok(submission),
        _ => Err(problems),
    }
}

fn read_fields(fields: &mut Fields<'_, '_>, enforcement: Enforcement) -> Option<Submission> {
    let round_id = id(fields, "round_id", RoundId::parse);
    let model_id = id(fields, "model_id", ModelId::parse);
    let provider = fields.text("provider");
    if enforcement == Enforcement::Reproduce && !OLD_PROVIDERS.contains(&provider.as_str()) {
        fields.problem("provider", "must be openai, anthropic, google or xai");
    }
    let mode = fields.text("mode");
    if mode != MODE {
        fields.problem("mode", format!("must be {MODE}"));
    }
    let decision = read_decision(fields);
    let portfolio_rationale = fields.optional_text("portfolio_rationale");
    if matches!(decision, Some(Decision::Portfolio(_))) && portfolio_rationale.is_none() {
        fields.problem("portfolio_rationale", "a portfolio needs its rationale");
    }
    let confidence = fields.real_in("confidence", 0.0..=1.0);
    let rationale_summary = fields.text("rationale_summary");
    let key_risks = fields.texts("key_risks");
    let forecast = Forecast {
        reference_pct: fields.optional_real("benchmark_expected_return_pct"),
        portfolio_pct: fields.optional_real("portfolio_expected_return_pct"),
        alpha_pct: fields.optional_real("expected_alpha_vs_sp500_pct"),
    };
    let ledger = read_ledger(fields);
    let run = read_run_fields(fields);
    let usage = read_usage(fields);
    let cost_usd = fields.optional_real_in("cost_usd", 0.0..=f64::INFINITY);
    let metadata = fields.optional_object("metadata").cloned();
    fields.reject_unknown();
    Some(Submission {
        round_id: round_id?,
        model_id: model_id?,
        provider,
        mode,
        decision: decision?,
        confidence,
        rationale_summary,
        portfolio_rationale,
        key_risks,
        forecast,
        ledger,
        run,
        usage,
        cost_usd,
        metadata: metadata.unwrap_or_default(),
    })
}

fn id<T, E: std::fmt::Display>(
    fields: &mut Fields<'_, '_>,
    name: &'static str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    let text = fields.text(name);
    id_of(fields, name, &text, parse)
}

/// A text that is no id is a problem; an empty one was reported when it was read.
fn id_of<T, E: std::fmt::Display>(
    fields: &mut Fields<'_, '_>,
    name: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Option<T> {
    if text.is_empty() {
        return None;
    }
    match parse(text) {
        Ok(id) => Some(id),
        Err(error) => {
            fields.problem(name, error.to_string());
            None
        }
    }
}

fn read_decision(fields: &mut Fields<'_, '_>) -> Option<Decision> {
    let pick = fields.optional_text("selected_option_id");
    let holdings = fields.optional_objects("portfolio");
    match (pick, holdings) {
        (Some(pick), None) => {
            id_of(fields, "selected_option_id", &pick, OptionId::parse).map(Decision::SinglePick)
        }
        (None, Some(objects)) => {
            let mut holdings = Vec::with_capacity(objects.len());
            for (index, object) in objects.into_iter().enumerate() {
                let mut inside = fields.inside(&format!("portfolio.{index}"), object);
                holdings.extend(read_holding(&mut inside));
            }
            Some(Decision::Portfolio(holdings))
        }
        (Some(_), Some(_)) => {
            fields.problem(
                "portfolio",
                "give selected_option_id or portfolio, not both",
            );
            None
        }
        (None, None) => {
            fields.problem("portfolio", "selected_option_id or portfolio is required");
            None
        }
    }
}

fn read_holding(fields: &mut Fields<'_, '_>) -> Option<Holding> {
    let option_id = id(fields, "option_id", OptionId::parse);
    let percent = fields.integer_in("allocation_pct", 1..=100);
    let rationale = fields.text("rationale");
    let forecast = HoldingForecast {
        expected_return_pct: fields.optional_real("expected_return_pct"),
        time_window_catalyst: fields.optional_text("time_window_catalyst"),
        invalidation_condition: fields.optional_text("invalidation_condition"),
    };
    fields.reject_unknown();
    Some(Holding {
        option_id: option_id?,
        weight: BasisPoints::from_percent(u32::try_from(percent).ok()?),
        rationale,
        forecast,
    })
}

fn read_ledger(fields: &mut Fields<'_, '_>) -> Option<Vec<LedgerEntry>> {
    let objects = fields.optional_objects("candidate_ledger")?;
    let mut ledger = Vec::with_capacity(objects.len());
    for (index, object) in objects.into_iter().enumerate() {
        let mut inside = fields.inside(&format!("candidate_ledger.{index}"), object);
        ledger.extend(read_ledger_entry(&mut inside));
    }
    Some(ledger)
}

fn read_ledger_entry(fields: &mut Fields<'_, '_>) -> Option<LedgerEntry> {
    let option_id = id(fields, "option_id", OptionId::parse);
    let word = fields.text("decision");
    let decision = LedgerDecision::parse(&word);
    if decision.is_none() && !word.is_empty() {
        fields.problem("decision", "must be selected or rejected");
    }
    let [low, base, high] = ["forecast_low_pct", "forecast_base_pct", "forecast_high_pct"]
        .map(|name| fields.real(name));
    if !(low <= base && base <= high) {
        fields.problem("forecast_base_pct", "low, base and high must not decrease");
    }
    let evidence = fields.texts("evidence");
    if !(1..=3).contains(&evidence.len()) {
        fields.problem("evidence", "must hold 1 to 3 texts");
    }
    let continuation_case = fields.text("continuation_case");
    let reversal_case = fields.text("reversal_case");
    let time_window_catalyst = fields.text("time_window_catalyst");
    let invalidation_condition = fields.text("invalidation_condition");
    fields.reject_unknown();
    Some(LedgerEntry {
        option_id: option_id?,
        decision: decision?,
        forecast_pct: [low, base, high],
        evidence,
        continuation_case,
        reversal_case,
        time_window_catalyst,
        invalidation_condition,
    })
}

fn read_run_fields(fields: &mut Fields<'_, '_>) -> RunFields {
    let kind = fields.optional_text("run_type");
    let known = kind.as_deref().and_then(RunKind::parse);
    if kind.is_some() && known.is_none() {
        fields.problem("run_type", "is not a run type");
    }
    let mut small = |name| {
        fields
            .optional_integer_in(name, 1..=u64::from(u32::MAX))
            .and_then(|value| u32::try_from(value).ok())
    };
    let (index, count) = (small("replicate_index"), small("replicate_count"));
    RunFields {
        kind: known,
        replicate_index: index,
        replicate_count: count,
        is_official_score: fields.optional_flag("is_official_score"),
    }
}

fn read_usage(fields: &mut Fields<'_, '_>) -> Option<Usage> {
    let object = fields.optional_object("usage")?;
    let mut fields = fields.inside("usage", object);
    let [input, output, reasoning, total] = [
        "input_tokens",
        "output_tokens",
        "reasoning_tokens",
        "total_tokens",
    ]
    .map(|name| fields.optional_integer_in(name, 0..=u64::MAX));
    let spent = input
        .unwrap_or(0)
        .saturating_add(output.unwrap_or(0).max(reasoning.unwrap_or(0)));
    if total.is_some_and(|total| total < spent) {
        fields.problem(
            "total_tokens",
            format!("is below the {spent} tokens of its parts"),
        );
    }
    let cost_usd = fields.optional_real_in("cost_usd", 0.0..=f64::INFINITY);
    let latency_seconds = fields.optional_real_in("latency_seconds", 0.0..=f64::INFINITY);
    fields.reject_unknown();
    Some(Usage {
        input_tokens: input,
        output_tokens: output,
        reasoning_tokens: reasoning,
        total_tokens: total.or((spent > 0).then_some(spent)),
        cost_usd,
        latency_seconds,
    })
}
