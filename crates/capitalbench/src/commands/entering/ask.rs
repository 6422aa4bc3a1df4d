//! `enter ask`: the agents of a round.

use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::decision::entering::agent::AgentFault;
use capitalbench_core::decision::entering::names::EntrantName;
use capitalbench_operations::asking::agents::round::{AgentOutcome, AgentsDone, ask_and_show};
use serde_json::{Value, json};

use crate::cli::EnterAsk;
use crate::config::operator;
use crate::console::{ERROR, GOOD, line, paint, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &EnterAsk) -> Result<Exit, Error> {
    let round = RoundFolder::open(&arguments.round.path)?;
    let done = ask_and_show(&operator(arguments.now.instant)?, &round)?;
    show(|| as_json(&done), || print(&done));
    Ok(Exit::of(done.asked.iter().all(AgentOutcome::is_valid)))
}

fn as_json(done: &AgentsDone) -> Value {
    let one = |own: &AgentOutcome| {
        json!({
            "entrant": own.entrant.as_str(),
            "outcome": own.outcome,
            "faults": own.faults.iter().map(AgentFault::to_string).collect::<Vec<_>>(),
        })
    };
    json!({
        "asked": done.asked.iter().map(one).collect::<Vec<_>>(),
        "shown": done.shown.iter().map(EntrantName::as_str).collect::<Vec<_>>(),
    })
}

fn print(done: &AgentsDone) {
    for own in &done.asked {
        let style = if own.is_valid() { GOOD } else { ERROR };
        line(format!("{}  {}", paint(style, &own.outcome), own.entrant));
        for fault in &own.faults {
            line(format!("  {} {fault}", own.entrant));
        }
    }
    for entrant in &done.shown {
        line(format!("{}  {entrant}", paint(GOOD, "shown")));
    }
    if done.asked.is_empty() && done.shown.is_empty() {
        line("no agent is to be asked or shown now");
    }
}
