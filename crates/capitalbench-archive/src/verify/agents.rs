//! Agents: their answers against the seals of the log, and the instants at which they were fixed.

use jiff::Timestamp;

use super::finding::Code;
use super::log_state::LogState;
use crate::entering::terms::terms_in;
use crate::log::agents::{AgentFile, AgentPlace, AgentSlot, agent_file};

/// Checks everything that the log holds of agents; only where the whole folder is here.
pub(super) fn check(log: &mut LogState, now: Timestamp) {
    // The check of the whole log has reported what cannot be read.
    let Ok(told) = log.log.agents() else {
        return;
    };
    for (place, slot) in told {
        let Ok(Some(terms)) = terms_in(log.log.rounds(), &place.0) else {
            continue;
        };
        let leaf = format!("log/leaf {}", slot.asked.leaf);
        let who = format!("{} of {}", place.1, place.0);
        let deadline = terms.times.deadline;
        let late = |at: Timestamp| at >= deadline;
        let counts = slot.end.as_ref().filter(|end| end.is_valid());
        if late(slot.asked.at) || counts.is_some_and(|end| late(end.place.at)) {
            let text = format!("{who} was asked or answered after the deadline {deadline}");
            log.find(Code::EntryOutOfTime, &leaf, text);
        }
        if slot.end.is_none() && now >= deadline {
            let text = format!("{who} was asked, and the log does not say how it ended");
            log.find(Code::AgentUnanswered, &leaf, text);
        }
        shown(log, &place, &slot, now >= terms.times.closes);
    }
}

/// What is public of an answer must open the seals; from the next session on it must be there.
fn shown(log: &mut LogState, place: &AgentPlace, slot: &AgentSlot, must: bool) {
    let file = |kind| agent_file(place, kind);
    let found = match log.log.shown_agent(place) {
        Ok(found) => found,
        Err(error) => {
            let at = error.place_in(log.log.rounds());
            return log.find(Code::EntryEdited, at, error.problem());
        }
    };
    let question = found
        .question
        .as_deref()
        .map(capitalbench_proof::merkle::sha256);
    if question.is_some_and(|digest| digest != slot.question) {
        let text = "is not the question that the log has";
        log.find(Code::EntryEdited, file(AgentFile::Question), text);
    }
    let Some(sealed) = slot.end.as_ref().and_then(|end| end.answer) else {
        return;
    };
    match (found.answer, found.salts) {
        (Some(answer), Some((salt, _))) if !sealed.opens(&salt, &answer) => {
            let text = "is not the answer that the log sealed";
            log.find(Code::EntryEdited, file(AgentFile::Answer), text);
        }
        (Some(_), Some(_)) => {}
        _ if must => {
            let text = "is not here, although the next session has begun; show it with \
                        `capitalbench enter ask`";
            log.find(Code::EntryMissing, file(AgentFile::Answer), text);
        }
        _ => {}
    }
}
