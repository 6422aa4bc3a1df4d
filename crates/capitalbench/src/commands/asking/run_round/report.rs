//! What the operator is shown: the bound before the first call, the result after the last.

use std::io::BufRead as _;

use capitalbench_archive::run::ledger::{AttemptRecord, Ended, RunPlan};
use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::run::Calls;
use capitalbench_operations::asking::bill::Bill;
use capitalbench_operations::asking::run::{ReadyRun, RunReport};
use capitalbench_operations::asking::seats::{Seat, UNPRICED};
use capitalbench_operations::asking::slot_end::SlotEnd;
use serde_json::{Value, json};

use super::{open_slots, served_names};
use crate::cli::RunRound;
use crate::console::{
    DIM, ERROR, GOOD, WARNING, document, is_json, line, or_none, paint, plural, remark, table, warn,
};
use crate::error::Error;

/// The most a run can cost, per slot and with every retry.
pub(super) fn bound(arguments: &RunRound, ready: &ReadyRun) {
    let (plan, seats) = (&ready.plan, &ready.seats);
    let calls = plan.max_retries + 1;
    let sum = seats
        .iter()
        .fold(Cost::ZERO, |sum, seat| sum.plus(seat.worst_case));
    let unpriced = unpriced(seats);
    if is_json() {
        if arguments.course.consent.dry_run {
            let known = |cost: Cost| unpriced.is_empty().then(|| cost.usd());
            let slots = seats.iter().filter(|seat| seat.price.is_none()).count();
            document(&json!({
                "run_id": plan.run_id.as_str(),
                "run_type": plan.rules.kind.as_str(),
                "mock": plan.calls != Calls::Real,
                "slots": seats.len(),
                "accepted_names": served_names::as_json(ready),
                "unpriced_slots": slots,
                "unpriced_models": unpriced,
                "worst_case_usd": known(sum),
                "worst_case_with_retries_usd": known(sum.times(calls)),
            }));
        }
        return;
    }
    if plan.calls != Calls::Real && !arguments.course.consent.dry_run {
        return;
    }
    let rows = seats.iter().map(|seat| {
        let price = seat.price.map(|_| format!("{:.4}", seat.worst_case.usd()));
        let planned = &seat.planned;
        vec![
            planned.slot.model_id.to_string(),
            planned.slot.replicate.to_string(),
            planned.provider.clone(),
            seat.max_output_tokens.to_string(),
            price.unwrap_or_else(|| "unknown".to_owned()),
        ]
    });
    let header = "model | replicate > | provider | output tokens > | at most USD >";
    remark(table(header, rows.collect()));
    let (once, all) = (sum.usd(), sum.times(calls).usd());
    let most = format!("at most {once:.4} USD, with {calls} attempts each {all:.4} USD");
    match plan.model_count() - unpriced.len() {
        0 => {}
        _ if unpriced.is_empty() => remark(most),
        others => remark(format!("the other {}: {most}", plural(others, "model"))),
    }
    for card in &plan.price_cards {
        let day = card.as_of.as_deref().unwrap_or("an unknown day");
        remark(format!("prices: {} as of {day}", card.name));
    }
    if !unpriced.is_empty() {
        warn(cost_unknown(&unpriced, plan));
    }
}

/// The models without a price, each once.
fn unpriced(seats: &[Seat]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for seat in seats.iter().filter(|seat| seat.price.is_none()) {
        let model = seat.planned.slot.model_id.to_string();
        if !found.contains(&model) {
            found.push(model);
        }
    }
    found
}

/// That a sum is not known, whose price is missing, and what to do.
fn cost_unknown(models: &[String], plan: &RunPlan) -> String {
    let (count, all) = (models.len(), plan.model_count());
    let have = if count == 1 { "has" } else { "have" };
    let names = models.join(", ");
    format!(
        "Cost unknown: {count} of {} {have} no price: {names}; {UNPRICED}",
        plural(all, "model")
    )
}

/// Real calls begin only after a yes.
pub(super) fn confirm(arguments: &RunRound, plan: &RunPlan) -> Result<(), Error> {
    if plan.calls != Calls::Real || arguments.course.consent.yes {
        return Ok(());
    }
    remark("type yes to begin:");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim() == "yes" {
        return Ok(());
    }
    Err(Error::new("not confirmed; no model was asked").hint("or begin with --yes"))
}

/// Every slot, and what the run came to.
pub(super) fn result(arguments: &RunRound, report: &RunReport) {
    let RunReport {
        plan,
        slots,
        bill,
        controls,
        finished,
        ..
    } = report;
    if is_json() {
        let slots = slots.iter().map(|(end, records)| as_json(end, records));
        document(&json!({
            "run_id": plan.run_id.as_str(),
            "run_type": plan.rules.kind.as_str(),
            "complete": finished.is_some(),
            "valid": finished.map(|finished| finished.valid),
            "invalid": finished.map(|finished| finished.invalid),
            "official_score_eligible": finished.is_some_and(|finished| finished.eligible),
            "cost_usd": bill.total().map(Cost::usd),
            "recorded_cost_usd": bill.recorded.usd(),
            "unpriced_models": bill.unpriced,
            "unknown_cost_attempts": bill.unknown_attempts,
            "unknown_cost_at_most_usd": bill.unknown_at_most.map(Cost::usd),
            "slots": slots.collect::<Vec<_>>(),
            "control_entrants": controls,
            "waiting_for_repair": open_slots::as_json(report),
            "next_command": finished.is_none().then(|| open_slots::command(arguments, report)),
        }));
        return;
    }
    slots_table(slots);
    if plan.calls == Calls::Real {
        line(bill_text(bill));
        if !bill.unpriced.is_empty() {
            warn(cost_unknown(&bill.unpriced, plan));
        }
    }
    let id = &plan.run_id;
    let Some(finished) = finished else {
        line(format!("{id}: {}", paint(WARNING, "not finished")));
        return open_slots::show(arguments, report);
    };
    let (valid, invalid) = (finished.valid, finished.invalid);
    let style = if invalid == 0 { GOOD } else { ERROR };
    let text = format!("{valid} valid, {invalid} invalid");
    line(format!("{id}: {}", paint(style, text)));
    if *controls > 0 {
        let text = format!("{controls} control entrants stand beside them, at no cost");
        line(paint(DIM, text));
    }
}

/// What is recorded and what may come on top, in words.
fn bill_text(bill: &Bill) -> String {
    let recorded = format!("{:.4} USD recorded", bill.recorded.usd());
    if bill.recorded == Cost::ZERO && !bill.unpriced.is_empty() {
        return "no cost recorded".to_owned();
    }
    let most = bill
        .unknown_at_most
        .map(|most| format!("at most {:.4} USD", most.usd()));
    let most = most.unwrap_or_else(|| "an unknown sum".to_owned());
    match bill.unknown_attempts {
        0 => recorded,
        count => format!(
            "{recorded}; {} without a recorded cost may add {most}",
            plural(count, "attempt")
        ),
    }
}

fn slots_table(rows: &[(SlotEnd, Vec<AttemptRecord>)]) {
    let cells = rows.iter().map(|(end, records)| cells(end, records));
    let header = "model | replicate > | state | attempts > | unseen > | input > | output > | USD > | seconds > |";
    line(table(header, cells.collect()));
}

fn cells(end: &SlotEnd, records: &[AttemptRecord]) -> Vec<String> {
    let last = records.last().and_then(|record| record.ended.as_ref());
    let costs = records
        .iter()
        .filter_map(|record| record.ended.as_ref()?.cost());
    let cost = costs.reduce(Cost::plus);
    vec![
        end.planned.slot.model_id.to_string(),
        end.planned.slot.replicate.to_string(),
        end.state().to_owned(),
        end.attempts.len().to_string(),
        end.unseen_attempts().to_string(),
        or_none(last.and_then(|ended| ended.input_tokens)),
        or_none(last.and_then(|ended| ended.output_tokens)),
        or_none(cost.map(|cost| format!("{:.4}", cost.usd()))),
        or_none(last.map(|ended| format!("{:.1}", ended.latency_seconds))),
        trouble(end, last),
    ]
}

/// Why the last attempt brought no decision; blank when it did.
fn trouble(end: &SlotEnd, last: Option<&Ended>) -> String {
    let status = end.attempts.last();
    let served = last.and_then(|ended| ended.served_model.as_deref());
    match (status.and_then(AttemptStatus::reason), served) {
        (Some(Reason::OtherModel), Some(served)) => format!("served as {served}, not accepted"),
        _ => status.and_then(AttemptStatus::error).unwrap_or_default(),
    }
}

fn as_json(end: &SlotEnd, records: &[AttemptRecord]) -> Value {
    let attempts: Vec<Value> = records
        .iter()
        .map(|record| {
            let status = record.status();
            let ended = record.ended.as_ref();
            json!({
                "attempt": record.begun.attempt,
                "status": status.as_str(),
                "reason": status.reason().map(Reason::as_str),
                "latency_seconds": ended.map(|ended| ended.latency_seconds),
                "cost_usd": ended.and_then(|ended| ended.cost_usd),
                "billed_usd": ended.and_then(|ended| ended.billed_usd),
                "card_usd": ended.and_then(|ended| ended.card_usd),
                "served_model": ended.and_then(|ended| ended.served_model.as_deref()),
            })
        })
        .collect();
    json!({
        "model_id": end.planned.slot.model_id.as_str(),
        "replicate_index": end.planned.slot.replicate,
        "state": end.state(),
        "unseen_attempts": end.unseen_attempts(),
        "attempts": attempts,
    })
}
