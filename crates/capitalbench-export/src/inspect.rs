//! A run as a log of Inspect, the framework for evaluations: one sample per answer. It holds what the
//! publication shows of the run and nothing else.

use capitalbench_core::asking::missing_answer::MissingAnswer;
use capitalbench_core::publication::{PublicRound, Publication, Standing};
use capitalbench_core::values::ids::{ModelId, RunId};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::table::{score_points, score_reason};
use crate::tables::rounds::run_id;
use crate::text::SYNTHETIC;

/// The version of the form.
const VERSION: u32 = 2;
/// What stands in the place of a prompt that the round did not keep.
const NO_PROMPT: &str = "This round did not keep the text that was sent.";
/// What Inspect calls a log of several models.
const SEVERAL: &str = "none/none";

/// What a run folder tells, as far as it is public.
#[derive(Debug, Clone)]
pub struct RunTexts<'a> {
    pub run_id: &'a RunId,
    /// The word for its kind.
    pub kind: &'static str,
    pub began: Option<Timestamp>,
    pub ended: Option<Timestamp>,
    /// The exact text that models were sent, where the round kept it.
    pub prompt: Option<&'a str>,
    pub answers: Vec<Answer<'a>>,
}

/// One valid answer.
#[derive(Debug, Clone)]
pub struct Answer<'a> {
    pub model_id: ModelId,
    /// Which of repeated calls, from 1.
    pub replicate: u64,
    /// The validated decision as it is stored.
    pub text: &'a str,
    /// The same as members.
    pub members: Map<String, Value>,
    /// What the provider sent, where it was asked for.
    pub raw: Option<&'a str>,
}

/// The log of a run.
pub fn log(publication: &Publication, round: &PublicRound, run: &RunTexts<'_>) -> Value {
    let of_record = run_id(round) == Some(run.run_id);
    let missing = if of_record { round.missing() } else { &[] };
    let answered = run.answers.iter();
    let mut samples: Vec<Value> = answered
        .map(|answer| sample(round, run, answer, of_record))
        .collect();
    samples.extend(missing.iter().map(|own| unanswered(run, own)));
    let ids: Vec<&Value> = samples.iter().map(|sample| &sample["id"]).collect();
    let began = written(run.began);
    let replicates = run.answers.iter().map(|answer| answer.replicate).max();
    let name = round.id().as_str();
    json!({
        "version": VERSION,
        "status": "success",
        "eval": {
            "eval_id": format!("{name}-{}", run.run_id),
            "run_id": run.run_id.as_str(),
            "created": began,
            "task": format!("capitalbench/{name}"),
            "task_id": name,
            "task_version": round.manifest.methodology.label().unwrap_or_default(),
            "dataset": {
                "name": name,
                "samples": samples.len(),
                "sample_ids": ids,
                "shuffled": false,
            },
            "model": SEVERAL,
            "config": {"epochs": replicates.unwrap_or(1)},
            "metadata": metadata(publication, round, run, of_record),
        },
        "plan": {"name": "capitalbench", "steps": []},
        "results": {
            "total_samples": samples.len(),
            "completed_samples": run.answers.len(),
            "scores": [],
        },
        "stats": {
            "started_at": began,
            "completed_at": written(run.ended),
        },
        "samples": samples,
    })
}

/// An instant as Inspect writes it; an empty text where nobody knows.
fn written(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

fn metadata(
    publication: &Publication,
    round: &PublicRound,
    run: &RunTexts<'_>,
    of_record: bool,
) -> Value {
    let window = round.manifest.window;
    let mut told = json!({
        "as_of": publication.as_of.to_string(),
        "round_state": round.state.as_str(),
        "run_type": run.kind,
        "is_record": of_record,
        "track": round.track.map(capitalbench_core::round::manifest::Track::as_str),
        "entry_day": window.map(|window| window.entry.to_string()),
        "exit_day": window.map(|window| window.exit.to_string()),
    });
    if publication.synthetic {
        told["market"] = SYNTHETIC.into();
    }
    told
}

fn sample(round: &PublicRound, run: &RunTexts<'_>, answer: &Answer<'_>, of_record: bool) -> Value {
    let model = answer.model_id.as_str();
    let usage = usage(answer);
    let standing = of_record
        .then(|| round.standing(&answer.model_id))
        .flatten();
    let mut told = Map::new();
    let provider = answer.members.get("provider").cloned();
    told.insert("provider".into(), provider.unwrap_or_default());
    if let Some(raw) = answer.raw {
        told.insert("raw_response".into(), raw.into());
    }
    let reason = standing.and_then(|standing| score_reason(standing.score));
    if let Some(reason) = reason {
        told.insert("score_reason".into(), reason.into());
    }
    let prompt = run.prompt.unwrap_or(NO_PROMPT);
    let reply =
        json!({"role": "assistant", "content": answer.text, "source": "generate", "model": model});
    json!({
        "id": model,
        "epoch": answer.replicate,
        "input": prompt,
        "target": "",
        "messages": [{"role": "user", "content": prompt, "source": "input"}, reply],
        "output": {
            "model": model,
            "choices": [{"message": reply, "stop_reason": "stop"}],
            "completion": answer.text,
            "usage": usage,
            "time": figure(answer, "latency_seconds"),
        },
        "scores": standing.map(scores),
        "metadata": told,
        "model_usage": {model: usage},
    })
}

/// A model without a valid answer, with the reason in the place of one.
fn unanswered(run: &RunTexts<'_>, missing: &MissingAnswer) -> Value {
    let why = missing.why;
    json!({
        "id": missing.model_id.as_str(),
        "epoch": 1,
        "input": run.prompt.unwrap_or(NO_PROMPT),
        "target": "",
        "messages": [],
        "output": {"model": missing.model_id.as_str(), "choices": [], "completion": ""},
        "metadata": {"missing_reason": why.as_str()},
        "error": {"message": why.meaning(), "traceback": "", "traceback_ansi": ""},
    })
}

/// The figures of a result; an undefined score is absent.
fn scores(standing: &Standing) -> Value {
    let outcome = &standing.scored.outcome;
    let mut found = Map::new();
    let mut put = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            found.insert(name.to_owned(), json!({"value": value}));
        }
    };
    put("capitalbench_score", score_points(standing.score));
    put("return_fraction", Some(outcome.decision_return.get()));
    put("alpha_fraction", Some(outcome.alpha.get()));
    let regret = outcome
        .regret
        .map(capitalbench_core::values::units::Return::get);
    put("regret_fraction", regret);
    found.into()
}

/// A figure about the call.
fn figure<'a>(answer: &'a Answer<'_>, name: &str) -> Option<&'a Value> {
    let told = answer.members.get("usage")?.get(name)?;
    told.is_number().then_some(told)
}

/// Tokens and cost in Inspect's words; nothing where nobody counted.
fn usage(answer: &Answer<'_>) -> Value {
    let mut found = Map::new();
    for name in [
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "reasoning_tokens",
    ] {
        if let Some(count) = figure(answer, name) {
            found.insert(name.to_owned(), count.clone());
        }
    }
    let cost = answer.members.get("cost_usd");
    if let Some(cost) = cost.filter(|cost| cost.is_number()) {
        found.insert("total_cost".to_owned(), cost.clone());
    }
    found.into()
}
