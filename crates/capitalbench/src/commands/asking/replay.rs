//! `replay`: the cost bound first, then each round with its models beside the record.

use std::io::BufRead as _;

use capitalbench_archive::format::run::replay::{Asked, Row};
use capitalbench_archive::format::text::json as stored;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::values::units::signed_percent;
use capitalbench_operations::asking::replay::{
    ModelChoice, ReadyReplays, ReplayRequest, Replayed, prepare,
};
use capitalbench_operations::asking::run::Permission;
use serde_json::{Value, json};

use crate::cli::Replay;
use crate::config::operator;
use crate::console::{BOLD, DIM, document, is_json, line, or_none, paint, remark, table};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Replay) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let ready = prepare(&operator, &request(arguments))?;
    bound(&ready);
    if arguments.consent.dry_run {
        return Ok(Exit::Success);
    }
    confirm(arguments, &ready)?;
    let done = ready.ask(&operator)?;
    if is_json() {
        let all: Vec<Value> = done.iter().map(as_json).collect();
        document(&json!({"after_the_fact": true, "replays": all}));
    } else {
        done.iter().for_each(print);
    }
    let mut models = done.iter().flat_map(|own| &own.replay.models);
    Ok(Exit::of(models.all(|model| model.figures.is_some())))
}

fn request(arguments: &Replay) -> ReplayRequest {
    let permission = &arguments.permission;
    let permission = match (permission.mock, permission.allow_real_api_calls) {
        (true, _) => Permission::Mock,
        (false, true) => Permission::RealCalls,
        (false, false) => Permission::Offline,
    };
    let model = arguments.model.clone();
    ReplayRequest {
        sources: arguments.sources.clone(),
        models: match &arguments.models {
            Some(file) => ModelChoice::File {
                file: file.clone(),
                only: model,
            },
            None => ModelChoice::Named(model),
        },
        pricing: arguments.card.pricing.clone(),
        permission,
        seed: arguments.permission.seed,
        max_cost_usd: arguments.cost_usd,
        output: arguments.output.clone(),
    }
}

/// The most that all of it can cost.
fn bound(ready: &ReadyReplays) {
    if !ready.calls_providers() {
        return;
    }
    let bounds = ready.bounds();
    let text = |most: Option<Cost>| {
        most.map_or_else(|| "unknown".to_owned(), |most| format!("{:.4}", most.usd()))
    };
    let rows = bounds
        .iter()
        .map(|(round, models, most)| vec![round.clone(), models.to_string(), text(*most)]);
    remark(table(
        "round | models > | at most USD, with every retry >",
        rows.collect(),
    ));
    let all: Option<Vec<Cost>> = bounds.iter().map(|(.., most)| *most).collect();
    let all = all.map(|all| all.into_iter().fold(Cost::ZERO, Cost::plus));
    remark(format!("all of it: at most {} USD", text(all)));
}

/// A limit is consent; without one real calls begin only after a yes.
fn confirm(arguments: &Replay, ready: &ReadyReplays) -> Result<(), Error> {
    let is_agreed = arguments.consent.yes || arguments.cost_usd.is_some();
    if !ready.calls_providers() || is_agreed {
        return Ok(());
    }
    remark("type yes to begin:");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim() == "yes" {
        return Ok(());
    }
    Err(Error::new("not confirmed; no model was asked")
        .hint("or begin with --yes, or with --max-cost-usd USD"))
}

fn as_json(own: &Replayed) -> Value {
    let text = stored::render(&own.replay);
    let mut told: Value = serde_json::from_str(&text).unwrap_or_default();
    told["folder"] = own.folder.display().to_string().into();
    told
}

fn print(own: &Replayed) {
    let replay = &own.replay;
    line(format!(
        "{}  asked again after the fact; none of it counts",
        paint(BOLD, &replay.round_id)
    ));
    let header = "place | model | score > | return > | vs reference > | above random > | cost";
    line(table(
        header,
        replay.models.iter().map(asked_cells).collect(),
    ));
    line("");
    line(paint(DIM, format!("the record, {}", replay.record.run_id)));
    let rows = replay
        .record
        .models
        .iter()
        .chain(&replay.record.controls)
        .map(record_cells);
    let header = "model or control | score > | return > | vs reference > | above random >";
    line(table(header, rows.collect()));
    for spread in &replay.record.consistency {
        let (worst, best) = (spread.worst_fraction, spread.best_fraction);
        line(format!(
            "{} answers of {} lay between {} and {}",
            spread.answers,
            spread.model_id,
            signed_percent(worst),
            signed_percent(best)
        ));
    }
    line(format!("kept in {}", own.folder.display()));
}

fn percent(share: Option<f64>) -> String {
    or_none(share.map(|share| format!("{:.0} %", share * 100.0)))
}

fn score(score: Option<f64>) -> String {
    or_none(score.map(|score| format!("{score:.1}")))
}

/// A model without figures has a reason in their place.
fn asked_cells(model: &Asked) -> Vec<String> {
    let id = model.model_id.to_string();
    let Some(own) = &model.figures else {
        let mut cells = vec!["-".to_owned(); 7];
        cells[1] = id;
        cells[6] = model.reason.clone().unwrap_or_default();
        return cells;
    };
    let cost = own.cost_usd.map(|cost| format!("{cost:.4} USD"));
    vec![
        format!("{} of {}", own.place, own.of),
        id,
        score(own.score),
        signed_percent(own.return_fraction),
        signed_percent(own.alpha_fraction),
        percent(own.random_percentile_fraction),
        cost.unwrap_or_default(),
    ]
}

fn record_cells(row: &Row) -> Vec<String> {
    vec![
        row.model_id.to_string(),
        score(row.score),
        signed_percent(row.return_fraction),
        signed_percent(row.alpha_fraction),
        percent(row.random_percentile_fraction),
    ]
}
