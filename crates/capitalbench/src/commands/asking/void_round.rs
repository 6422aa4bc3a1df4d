//! `void-round`: end a round without a record, or explain one that has it.

use capitalbench_core::round::ending::Ending;
use capitalbench_operations::opening::void::{VoidRequest, explain_round, void_round};
use capitalbench_operations::syncing::follow::follow_round;
use serde_json::json;

use crate::cli::VoidRound;
use crate::commands::notices::print_followed;
use crate::config::operator;
use crate::console::{line, show};
use crate::error::{Error, Exit};

pub(crate) fn run(arguments: &VoidRound) -> Result<Exit, Error> {
    let operator = operator(arguments.now.instant)?;
    let named = arguments.round.as_ref().or(arguments.folder.as_ref());
    let round = named.ok_or_else(|| Error::new("name the round's folder"))?;
    if arguments.exception {
        let note = explain_round(&operator, round, &arguments.reason)?;
        show(
            || json!(note),
            || {
                let (id, at) = (&note.round_id, &note.noted_at);
                line(format!(
                    "{id}: explained at {at}; picks and result stay and count"
                ));
            },
        );
    } else {
        let request = VoidRequest {
            round: round.clone(),
            ending: Ending::Voided,
            reason: arguments.reason.clone(),
        };
        let tombstone = void_round(&operator, &request)?;
        show(
            || json!(tombstone),
            || line(format!("{} {}", tombstone.round_id, tombstone.sentence())),
        );
    }
    Ok(print_followed(&follow_round(&operator, round)))
}
