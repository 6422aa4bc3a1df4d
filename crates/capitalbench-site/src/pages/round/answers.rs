//! What models answered: their reasons on one page, each exact answer and its attempts on another.

use capitalbench_core::decision::submission::Submission;
use capitalbench_core::publication::PublicRound;
use capitalbench_core::publication::calls::CostSum;
use capitalbench_core::values::ids::RunId;
use capitalbench_export::tables::rounds::run_id;
use capitalbench_export::text::cost_sentence;
use serde_json::Value;

use super::super::asked;
use super::super::view::{View, plain_name, round_path};
use super::evidence::shown;
use super::sub_page;
use crate::Files;
use crate::figures::{count, decimal, share};
use crate::html::Html;
use crate::page::Page;
use crate::table::{Cell, Table, head, markup, maybe, part, text, words};

/// The overview and one page per model.
pub(super) fn pages(view: &View<'_>, round: &PublicRound, own: &Files) -> Vec<Page> {
    let mut overview = sub_page(
        round,
        "answers",
        "What models answered",
        "Each model's portfolio and its reasons.",
    );
    let Some(run_id) = run_id(round) else {
        overview.body.say("No answers are public yet.");
        return vec![overview];
    };
    overview
        .body
        .say("Models stand in order of name. Their words are shown as plain text, without links.");
    if let Some(cost) = cost_sentence(CostSum::of_round(round)) {
        overview.body.paragraph("note", cost);
    }
    let mut pages = Vec::new();
    for submission in view.by_name(round.submissions()) {
        let folder = plain_name(submission.model_id.as_str());
        let path = format!("{}answers/{folder}/", round_path(round.id()));
        let name = view.name(&submission.model_id);
        overview.body.part(overview.here.link(&path, name));
        let line = format!(
            "confidence {} · {}",
            share(submission.confidence),
            holdings(view, submission)
        );
        overview.body.paragraph("note", line);
        overview
            .body
            .paragraph("", Html::said(&submission.rationale_summary));
        let mut page = answer(view, round, submission);
        exact(own, &mut page, round, run_id, submission);
        asked::of_answer(&mut page, round, &submission.model_id);
        attempts(own, &mut page, run_id, submission);
        pages.push(page);
    }
    pages.push(overview);
    pages
}

fn holdings(view: &View<'_>, submission: &Submission) -> String {
    let each = submission.decision.holdings().into_iter().map(|holding| {
        let name = view.option_name(&holding.option_id);
        format!("{name} {}", share(holding.weight.weight()))
    });
    each.collect::<Vec<String>>().join(", ")
}

fn answer(view: &View<'_>, round: &PublicRound, submission: &Submission) -> Page {
    let name = view.name(&submission.model_id);
    let folder = format!("answers/{}", plain_name(submission.model_id.as_str()));
    let mut page = sub_page(
        round,
        &folder,
        name,
        "A model's exact answer, its reasons and every attempt.",
    )
    .below(&format!("{}answers/", round_path(round.id())), "Answers");
    page.body.section("portfolio", "Portfolio");
    let mut table = Table::new("Holdings as submitted", "Option | #Weight | Reason").fixed();
    for holding in submission.decision.holdings() {
        table.row(vec![
            head(view.option_link(&page.here, &holding.option_id)),
            part(holding.weight.weight()),
            words(Html::said(&holding.rationale)),
        ]);
    }
    page.body.table(&table);
    page.body.facts(&[
        ("Stated confidence", share(submission.confidence).into()),
        ("Provider", Html::said(&submission.provider)),
        ("Mode", Html::said(&submission.mode)),
    ]);
    page.body.section("reasons", "Reasons");
    page.body
        .paragraph("", Html::said(&submission.rationale_summary));
    if let Some(rationale) = &submission.portfolio_rationale {
        page.body.paragraph("", Html::said(rationale));
    }
    if !submission.key_risks.is_empty() {
        let mut list = Html::made("<ul>".to_owned());
        for risk in &submission.key_risks {
            list.add(&Html::wrap("li", "", &Html::said(risk)));
        }
        list.push("</ul>");
        page.body.heading("Risks it named").add(&list);
    }
    page
}

/// The answer as it was received, else as it was stored.
fn exact(
    own: &Files,
    page: &mut Page,
    round: &PublicRound,
    run_id: &RunId,
    submission: &Submission,
) {
    page.body.section("answer", "Exact answer");
    let stem = submission.model_id.file_stem();
    let places = [
        format!("runs/{run_id}/raw_responses/{stem}.txt"),
        format!("runs/{run_id}/submissions/raw/{stem}.json"),
    ];
    for place in places {
        if let Some(bytes) = own.get(&place) {
            shown(page, round, &place, bytes);
            return;
        }
    }
    page.body
        .say("The text of this answer is not among the public files.");
}

/// Every call of the run's log for this model.
fn attempts(own: &Files, page: &mut Page, run_id: &RunId, submission: &Submission) {
    let log = format!("runs/{run_id}/run_log.jsonl");
    let bytes = own.get(&log);
    let text_of = bytes.map(|bytes| String::from_utf8_lossy(bytes));
    let lines = text_of.iter().flat_map(|text| text.lines());
    let calls: Vec<Value> = lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|call: &Value| call["model_id"] == submission.model_id.as_str())
        .collect();
    page.body
        .section("attempts", &count(calls.len(), "attempt", "attempts"));
    if calls.is_empty() {
        page.body
            .say("The log of this run holds no call of this model.");
        return;
    }
    let mut table = Table::new(
        "Every call, as logged",
        "Began | Ended | Outcome | #Seconds | #Tokens in | #Tokens out | #Reasoning | #Cost | Model asked for | Error",
    )
    .fixed();
    for call in &calls {
        table.row(call_cells(call));
    }
    page.body.table(&table);
}

/// A call as the run log has it; every text in it comes from outside and is quoted.
fn call_cells(call: &Value) -> Vec<Cell> {
    let quoted = |name: &str| call[name].as_str().map_or_else(Html::default, Html::said);
    let digits =
        |name: &str, places: usize| maybe(call[name].as_f64(), |value| decimal(value, places));
    let status = if call["outcome"].is_string() {
        "outcome"
    } else {
        "validation_status"
    };
    vec![
        head(quoted("started_at_utc")),
        markup(quoted("completed_at_utc")),
        markup(quoted(status)),
        digits("latency_seconds", 1),
        digits("input_tokens", 0),
        digits("output_tokens", 0),
        digits("reasoning_tokens", 0),
        digits("cost_usd", 4),
        markup(quoted("api_model_name")),
        if call["error"].is_string() {
            words(quoted("error"))
        } else {
            text("")
        },
    ]
}
