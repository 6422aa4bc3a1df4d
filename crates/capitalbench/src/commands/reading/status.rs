//! `status`: every round, where it stands and what comes next.

use capitalbench_archive::round::status::{RoundStatus, status};
use capitalbench_core::round::lifecycle::Stage;
use capitalbench_operations::operator::clock::now_or;
use serde_json::json;

use crate::cli::Status;
use crate::console::{
    DIM, ERROR, complain, document, is_json, line, next_step, or_none, paint, prose, table,
};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &Status) -> Result<Exit, Error> {
    let found = status(&arguments.rounds.folder, now_or(arguments.now.instant))?;
    let mut rounds = Vec::new();
    let mut broken = Vec::new();
    for round in found {
        match round {
            Ok(round) => rounds.push(round),
            Err(error) => broken.push(error.to_string()),
        }
    }
    if is_json() {
        let rounds: Vec<_> = rounds.iter().map(as_json).collect();
        document(&json!({"rounds": rounds, "unreadable": broken}));
        return Ok(Exit::of(broken.is_empty()));
    }
    let rows = rounds.iter().map(|round| {
        let left = round.days_left.filter(|_| round.stage != Stage::Resolved);
        vec![
            round.round_id.clone(),
            match round.stage {
                Stage::Overdue => paint(ERROR, round.stage.as_str()),
                _ => round.stage.as_str().to_owned(),
            },
            or_none(round.window.map(|window| window.entry)),
            or_none(round.window.map(|window| window.exit)),
            or_none(left),
        ]
    });
    let header = "round | state | entry | exit | days left >";
    line(table(header, rows.collect()));
    for round in &rounds {
        if let Some(reason) = &round.waits_for {
            let style = if round.stage == Stage::Overdue {
                ERROR
            } else {
                DIM
            };
            let word = paint(style, format!("{}:", round.stage.as_str()));
            line(prose(&format!("{word} {}: {reason}", round.round_id)));
        }
    }
    for round in &rounds {
        if let Some(next) = &round.next {
            next_step(next);
        }
    }
    complain(&broken);
    Ok(Exit::of(broken.is_empty()))
}

fn as_json(round: &RoundStatus) -> serde_json::Value {
    json!({
        "round_id": round.round_id,
        "state": round.stage.as_str(),
        "entry_date": round.window.map(|window| window.entry.to_string()),
        "exit_date": round.window.map(|window| window.exit.to_string()),
        "days_left": round.days_left,
        "waits_for": round.waits_for,
        "next": round.next,
    })
}
