//! `smoke-provider`: one tiny call that shows whether a model can be asked at all.
//!
//! It is of the kind `provider_smoke`, belongs to no round and writes nothing.

use std::time::Instant;

use capitalbench_adapters::provider::{Question, Reply};
use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::format::round::models::{self, ModelSettings};
use capitalbench_core::asking::attempt::Reason;
use capitalbench_core::asking::cost::{Cost, Price};
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::asking::tokens::estimate;
use capitalbench_core::decision::submission::reply::{Ending, read_reply};
use serde_json::{Value, json};

use super::Exit;
use super::price_source::wait;
use super::providers::{connect, is_offline, served_models};
use crate::cli::SmokeProvider;
use crate::clock::now_or;
use crate::console::{ERROR, GOOD, document, line, paint, table};
use crate::error::CommandError;
use crate::price_card::{PriceBook, Shipped, Wanted};
use crate::runner::{cost, reason_of, stopped, unread};

/// What is asked; it names no round and no option.
const INPUT: &str = "This is a test of the connection. Reply with exactly this JSON object and \
                     nothing else: {\"status\": \"ok\"}";
/// Enough for a model that thinks before it says two words.
const OUTPUT_TOKENS: u64 = 1_024;

/// What came of the call.
struct Report<'a> {
    model: &'a ModelSettings,
    seconds: f64,
    reply: Option<Reply>,
    cost: Option<Cost>,
    /// What is wrong, and a sentence about it.
    problem: Option<(Reason, String)>,
}

pub(crate) fn run(arguments: &SmokeProvider) -> Result<Exit, CommandError> {
    let bytes = file_ops::read(&arguments.models).map_err(FileError::from)?;
    let models =
        models::parse_settings(&bytes).map_err(|fault| fault.in_file(&arguments.models))?;
    let model = chosen(arguments, &models)?;
    let contestant = &model.contestant;
    if is_offline(&contestant.provider) {
        let text = format!("{} answers without a network", contestant.model_id);
        return Err(CommandError::new(text).hint("there is nothing to check"));
    }
    if !arguments.allow_real_api_calls {
        let text = format!(
            "this would ask {} for real, which is not allowed",
            contestant.provider
        );
        return Err(CommandError::new(text).hint("allow it with --allow-real-api-calls"));
    }
    let price = price(arguments, model)?;
    let report = ask(model, price)?;
    if arguments.output.json {
        document(&as_json(&report));
    } else {
        print(&report);
    }
    Ok(Exit::of(report.problem.is_none()))
}

fn chosen<'a>(
    arguments: &SmokeProvider,
    models: &'a [ModelSettings],
) -> Result<&'a ModelSettings, CommandError> {
    let wanted = arguments.model.as_str();
    let found = models
        .iter()
        .find(|model| model.contestant.model_id.as_str() == wanted);
    found.ok_or_else(|| {
        let ids: Vec<&str> = models
            .iter()
            .map(|model| model.contestant.model_id.as_str())
            .collect();
        let text = format!("{wanted} is not in {}", arguments.models.display());
        CommandError::new(text).hint(format!("it holds {}", ids.join(", ")))
    })
}

fn price(arguments: &SmokeProvider, model: &ModelSettings) -> Result<Option<Price>, CommandError> {
    let book = PriceBook::open(
        arguments.card.pricing.as_deref(),
        Shipped::Asked,
        now_or(None),
    )?;
    let contestant = &model.contestant;
    let wanted = Wanted {
        provider: &contestant.provider,
        api_model_name: &contestant.api_model_name,
        input_tokens: estimate(INPUT, &contestant.provider),
    };
    let (prices, _) = book.prices(&[wanted]);
    Ok(prices
        .first()
        .map(capitalbench_archive::run::ledger::PlannedPrice::price))
}

fn ask(model: &ModelSettings, price: Option<Price>) -> Result<Report<'_>, CommandError> {
    let provider = connect(model, &model.contestant.provider)?;
    let question = Question {
        input: INPUT,
        schema: None,
        max_output_tokens: OUTPUT_TOKENS.min(model.max_output_tokens),
        time_limit: model.time_limit,
    };
    let began = Instant::now();
    let answered = wait(provider.send(question))?;
    let seconds = began.elapsed().as_secs_f64();
    let read = answered.and_then(|answer| provider.read(&answer));
    Ok(match read {
        Err(failure) => Report {
            model,
            seconds,
            reply: None,
            cost: None,
            problem: Some((reason_of(&failure), failure.to_string())),
        },
        Ok(reply) => Report {
            model,
            seconds,
            problem: problem(model, &reply),
            cost: price.and_then(|price| cost(price, reply.tokens)),
            reply: Some(reply),
        },
    })
}

/// What would make an answer of a round invalid, found on the smallest one.
fn problem(model: &ModelSettings, reply: &Reply) -> Option<(Reason, String)> {
    let asked = &model.contestant.api_model_name;
    if let Some(served) = &reply.served_model
        && !served_models(model).contains(served)
    {
        let text = format!(
            "{served} answered instead of {asked}; allow it with metadata: \
             {{served_models: [{served}]}}"
        );
        return Some((Reason::OtherModel, text));
    }
    if let Some((reason, text)) = stopped(reply.stop) {
        return Some((reason, text.to_owned()));
    }
    match read_reply(&reply.text, Ending::Complete) {
        Err(fault) => Some((unread(&fault), fault.to_string())),
        Ok((object, _)) if object["status"] != "ok" => {
            let text = "the reply is not the object asked for".to_owned();
            Some((Reason::Schema, text))
        }
        Ok(_) => None,
    }
}

fn as_json(report: &Report<'_>) -> Value {
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

fn print(report: &Report<'_>) {
    let contestant = &report.model.contestant;
    let reply = report.reply.as_ref();
    let count = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let text = |value: Option<&String>| value.cloned().unwrap_or_else(|| "-".to_owned());
    let cost = report.cost.map(|cost| format!("{:.6}", cost.usd()));
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let rows = vec![
        row("model", contestant.model_id.to_string()),
        row("provider", contestant.provider.clone()),
        row("asked for", contestant.api_model_name.clone()),
        row(
            "served by",
            text(reply.and_then(|r| r.served_model.as_ref())),
        ),
        row("request", text(reply.and_then(|r| r.request_id.as_ref()))),
        row("seconds", format!("{:.2}", report.seconds)),
        row("input tokens", count(reply.and_then(|r| r.tokens.input))),
        row("output tokens", count(reply.and_then(|r| r.tokens.output))),
        row("USD", cost.unwrap_or_else(|| "unknown".to_owned())),
    ];
    line(table(&["smoke test", ""], &[], rows));
    match &report.problem {
        None => line(paint(GOOD, "answers as asked")),
        Some((reason, text)) => {
            let word = format!("{}:", reason.as_str());
            line(format!("{} {text}", paint(ERROR, word)));
        }
    }
}
