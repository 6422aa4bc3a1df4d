//! A validated [`Submission`] → the text of its parsed file.

use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::decision::submission::{Decision, LedgerEntry, Submission, Usage};
use serde_json::{Map, Value, json};

use crate::format::text::json;

/// The parsed file; it omits members without a value.
pub fn render(submission: &Submission) -> String {
    json::to_pretty(&Value::Object(object(submission)))
}

fn object(submission: &Submission) -> Map<String, Value> {
    let mut out = Members::default();
    out.put("round_id", submission.round_id.as_str());
    out.put("model_id", submission.model_id.as_str());
    out.put("provider", submission.provider.as_str());
    out.put("mode", submission.mode.as_str());
    match &submission.decision {
        Decision::SinglePick(option_id) => out.put("selected_option_id", option_id.as_str()),
        Decision::Portfolio(holdings) => {
            out.put(
                "portfolio",
                holdings.iter().map(holding).collect::<Vec<_>>(),
            );
        }
    }
    out.put("confidence", submission.confidence);
    out.put("rationale_summary", submission.rationale_summary.as_str());
    out.maybe(
        "portfolio_rationale",
        submission.portfolio_rationale.as_deref(),
    );
    out.put("key_risks", submission.key_risks.clone());
    let forecast = &submission.forecast;
    out.maybe("benchmark_expected_return_pct", forecast.reference_pct);
    out.maybe("portfolio_expected_return_pct", forecast.portfolio_pct);
    out.maybe("expected_alpha_vs_sp500_pct", forecast.alpha_pct);
    if let Some(ledger) = &submission.ledger {
        out.put(
            "candidate_ledger",
            ledger.iter().map(ledger_entry).collect::<Vec<_>>(),
        );
    }
    let run = &submission.run;
    out.maybe(
        "run_type",
        run.kind
            .map(capitalbench_core::asking::run::RunKind::as_str),
    );
    out.maybe("replicate_index", run.replicate_index);
    out.maybe("replicate_count", run.replicate_count);
    out.maybe("is_official_score", run.is_official_score);
    out.maybe("usage", submission.usage.as_ref().map(usage));
    out.maybe("cost_usd", submission.cost_usd);
    out.put("metadata", Value::Object(submission.metadata.clone()));
    out.0
}

#[derive(Default)]
struct Members(Map<String, Value>);

impl Members {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn maybe(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }
}

fn holding(holding: &Holding) -> Value {
    let mut out = Members::default();
    out.put("option_id", holding.option_id.as_str());
    out.put("allocation_pct", holding.weight.get() / 100);
    out.put("rationale", holding.rationale.as_str());
    let forecast = &holding.forecast;
    out.maybe("expected_return_pct", forecast.expected_return_pct);
    out.maybe(
        "time_window_catalyst",
        forecast.time_window_catalyst.as_deref(),
    );
    out.maybe(
        "invalidation_condition",
        forecast.invalidation_condition.as_deref(),
    );
    Value::Object(out.0)
}

fn ledger_entry(entry: &LedgerEntry) -> Value {
    let [low, base, high] = entry.forecast_pct;
    json!({
        "option_id": entry.option_id.as_str(),
        "decision": entry.decision.as_str(),
        "forecast_low_pct": low,
        "forecast_base_pct": base,
        "forecast_high_pct": high,
        "evidence": entry.evidence,
        "continuation_case": entry.continuation_case,
        "reversal_case": entry.reversal_case,
        "time_window_catalyst": entry.time_window_catalyst,
        "invalidation_condition": entry.invalidation_condition,
    })
}

fn usage(usage: &Usage) -> Value {
    let mut out = Members::default();
    out.maybe("input_tokens", usage.input_tokens);
    out.maybe("output_tokens", usage.output_tokens);
    out.maybe("reasoning_tokens", usage.reasoning_tokens);
    out.maybe("total_tokens", usage.total_tokens);
    out.maybe("cost_usd", usage.cost_usd);
    out.maybe("latency_seconds", usage.latency_seconds);
    Value::Object(out.0)
}
