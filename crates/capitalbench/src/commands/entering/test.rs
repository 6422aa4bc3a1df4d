//! `enter test`: what is wrong with an agent.

use capitalbench_core::decision::entering::agent::AgentFault;
use capitalbench_operations::asking::agents::kit::{KitReport, KitRequest, KitRound, try_agent};
use serde_json::json;

use super::super::{holdings_json, holdings_text};
use crate::cli::EnterTest;
use crate::config::operator;
use crate::console::{ERROR, GOOD, line, next_step, paint, plural, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &EnterTest) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let scratch =
        tempfile::tempdir().map_err(|error| Error::new(format!("no temporary folder: {error}")))?;
    let round = match &arguments.round {
        Some(round) => KitRound::Frozen(round.clone()),
        None => KitRound::Invented(scratch.path().to_owned()),
    };
    let request = KitRequest {
        agent: arguments.agent.clone(),
        time: arguments.time_limit,
        round,
    };
    let report = try_agent(&operator, &request)?;
    show(|| as_json(&report), || print(&report));
    Ok(Exit::of(report.said.is_ok()))
}

fn as_json(report: &KitReport) -> serde_json::Value {
    let fault =
        |own: &AgentFault| json!({"code": own.as_str(), "text": format!("the agent {own}")});
    let answer = report.said.as_ref().ok();
    json!({
        "round_id": report.round,
        "options": report.options,
        "question_bytes": report.question,
        "seconds": report.took.as_secs_f64(),
        "holds": report.said.is_ok(),
        "faults": report.said.as_ref().err().into_iter().flatten().map(fault).collect::<Vec<_>>(),
        "portfolio": answer.map(|own| holdings_json(&own.portfolio)),
        "transcript_steps": answer.map(|own| own.transcript.len()),
    })
}

fn print(report: &KitReport) {
    let kilobytes = report.question.div_ceil(1000);
    line(format!(
        "{}: {} options, {kilobytes} kB sent",
        report.round, report.options
    ));
    let seconds = report.took.as_secs_f64();
    match &report.said {
        Ok(answer) => {
            let held = holdings_text(&answer.portfolio);
            let steps = plural(answer.transcript.len(), "step");
            line(format!(
                "  {}  answered in {seconds:.1} s: {held}; a transcript of {steps}",
                paint(GOOD, "ok")
            ));
        }
        Err(faults) => {
            for fault in faults {
                let word = paint(ERROR, "wrong");
                line(format!("  {word}  {}: the agent {fault}", fault.as_str()));
            }
            next_step("docs/agent-protocol.md tells what an agent is sent and what it must answer");
        }
    }
}
