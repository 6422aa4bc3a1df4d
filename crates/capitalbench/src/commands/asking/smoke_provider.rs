//! `smoke-provider`: one tiny call that shows whether a model can be asked at all.

use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::RunKind;
use capitalbench_operations::asking::smoke::{SmokeReport, SmokeRequest, smoke};
use serde_json::{Value, json};

use crate::cli::SmokeProvider;
use crate::config::operator;
use crate::console::{ERROR, GOOD, line, or_none, paint, show, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &SmokeProvider) -> Result<Exit, Error> {
    let request = SmokeRequest {
        models: arguments.models.clone(),
        model: arguments.model.clone(),
        pricing: arguments.card.pricing.clone(),
        allow_real_calls: arguments.allow_real_api_calls,
    };
    let report = smoke(&operator(None)?, &request)?;
    show(|| as_json(&report), || print(&report));
    Ok(Exit::of(report.problem.is_none()))
}

fn as_json(report: &SmokeReport) -> Value {
    let contestant = &report.model.contestant;
    let reply = report.reply.as_ref();
    let tokens = reply.map(|reply| reply.tokens);
    json!({
        "run_type": RunKind::Smoke.as_str(),
        "model_id": contestant.model_id.as_str(),
        "provider": contestant.provider,
        "api_model_name": contestant.api_model_name,
        "served_model": reply.and_then(|reply| reply.served_model.as_deref()),
        "request_id": reply.and_then(|reply| reply.request_id.as_deref()),
        "latency_seconds": report.seconds,
        "input_tokens": tokens.and_then(|tokens| tokens.input),
        "cached_tokens": tokens.and_then(|tokens| tokens.cached),
        "output_tokens": tokens.and_then(|tokens| tokens.output),
        "reasoning_tokens": tokens.and_then(|tokens| tokens.reasoning),
        "cost_usd": report.cost.map(Cost::usd),
        "ok": report.problem.is_none(),
        "reason": report.problem.as_ref().map(|(reason, _)| reason.as_str()),
        "problem": report.problem.as_ref().map(|(_, text)| text),
    })
}

fn print(report: &SmokeReport) {
    let contestant = &report.model.contestant;
    let reply = report.reply.as_ref();
    let cost = report.cost.map(|cost| format!("{:.6}", cost.usd()));
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let rows = vec![
        row("model", contestant.model_id.to_string()),
        row("provider", contestant.provider.clone()),
        row("asked for", contestant.api_model_name.clone()),
        row(
            "served by",
            or_none(reply.and_then(|r| r.served_model.as_ref())),
        ),
        row(
            "request",
            or_none(reply.and_then(|r| r.request_id.as_ref())),
        ),
        row("seconds", format!("{:.2}", report.seconds)),
        row("input tokens", or_none(reply.and_then(|r| r.tokens.input))),
        row(
            "output tokens",
            or_none(reply.and_then(|r| r.tokens.output)),
        ),
        row("USD", cost.unwrap_or_else(|| "unknown".to_owned())),
    ];
    line(table("smoke test |", rows));
    match &report.problem {
        None => line(paint(GOOD, "answers as asked")),
        Some((reason, text)) => {
            let word = format!("{}:", reason.as_str());
            line(format!("{} {text}", paint(ERROR, word)));
        }
    }
}
