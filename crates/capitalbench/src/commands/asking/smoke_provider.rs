//! `smoke-provider`: one tiny call that shows whether a model can be asked at all.

use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::RunKind;
use capitalbench_operations::asking::smoke::{
    ReadySmoke, SmokeReport, SmokeRequest, prepare_smoke,
};
use serde_json::{Value, json};

use crate::cli::SmokeProvider;
use crate::config::operator;
use crate::console::{ERROR, GOOD, is_json, line, next_step, or_none, paint, remark, show, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &SmokeProvider) -> Result<Exit, Error> {
    let request = SmokeRequest {
        models: arguments.models.clone(),
        model: arguments.model.clone(),
        pricing: arguments.card.pricing.clone(),
        allow_real_calls: arguments.allow_real_api_calls,
    };
    let operator = operator(None)?;
    let ready = prepare_smoke(&operator, &request)?;
    announce(&ready);
    let report = ready.ask(&operator)?;
    show(|| as_json(&report), || print(&report));
    Ok(Exit::of(report.problem.is_none()))
}

/// What the answer will be compared with, before it costs anything.
fn announce(ready: &ReadySmoke) {
    if is_json() {
        return;
    }
    let id = &ready.model.contestant.model_id;
    remark(format!(
        "an answer of {id} counts from: {}; another name needs served_models: [NAME] in the \
         models file before the round",
        ready.accepted_names
    ));
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
        "accepted_names": report.accepted_names,
        "served_model": reply.and_then(|reply| reply.served_model.as_deref()),
        "served_models_line": report.served_models_line,
        "answered_by": reply.and_then(|reply| reply.answered_by.as_deref()),
        "service_tier": reply.and_then(|reply| reply.service_tier.as_deref()),
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
        row("accepted", report.accepted_names.clone()),
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
    if let Some(wanted) = &report.served_models_line {
        let id = &contestant.model_id;
        next_step(format!(
            "if this is the model you mean, add to {id} in the models file: {wanted}"
        ));
    }
}
