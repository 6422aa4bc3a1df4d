//! Agents that were asked, as the public knows them: sealed until the entry close.

use capitalbench_core::decision::entering::admission::Registered;
use capitalbench_core::publication::entrants::{EntryLane, EntryState, PublicEntry, figures};
use capitalbench_core::publication::visible::{Item, is_public};
use capitalbench_core::publication::{PublicRound, Publication, PublishError};

use super::super::public_record::PublicationError;
use crate::entering::agent::AgentQuestion;
use crate::log::LogFolder;
use crate::log::agents::{AgentEnd, AgentPlace};
use crate::log::entrants::EntrantLog;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes};

/// What agents answered in the rounds of a publication.
pub(super) fn entries(
    log: &LogFolder,
    told: &EntrantLog,
    public: &Publication,
) -> Result<Vec<PublicEntry>, PublicationError> {
    let mut found = Vec::new();
    for (place, slot) in log.agents()? {
        let (Some(round), Some(owner)) = (public.round(&place.0), told.register.entrant(&place.1))
        else {
            continue;
        };
        let Some(track) = round.track else { continue };
        let at = slot.end.as_ref().map_or(slot.asked, |end| end.place);
        if !is_public(Item::Event { at: at.at }, None, public.as_of) {
            continue;
        }
        let state = state(log, &place, (round, public), slot.end.as_ref())?;
        let figures = figures(round, &state).map_err(|error| PublishError::EntryAboveOracle {
            round_id: round.id().clone(),
            entrant: place.1.to_string(),
            error,
        })?;
        found.push(PublicEntry {
            round_id: place.0.clone(),
            track,
            entrant: place.1.clone(),
            name: owner.registration.name.clone(),
            kind: owner.registration.kind,
            lane: lane(owner),
            key: String::new(),
            keys: owner.registration.keys.len(),
            sealed: at,
            state,
            figures,
        });
    }
    Ok(found)
}

fn lane(owner: &Registered) -> EntryLane {
    let agent = owner.registration.agent.as_ref();
    EntryLane::Asked(agent.and_then(|agent| agent.model.clone()))
}

/// Sealed until the entry close; from then on an answer that opens its seal counts, and everything else
/// is cash.
fn state(
    log: &LogFolder,
    place: &AgentPlace,
    (round, public): (&PublicRound, &Publication),
    end: Option<&AgentEnd>,
) -> Result<EntryState, PublicationError> {
    let since = end.map_or(public.as_of, |end| end.place.at);
    let item = Item::Opening { since };
    if !is_public(item, round.manifest.window, public.as_of) {
        return Ok(EntryState::Sealed);
    }
    let Some(end) = end else {
        return Ok(EntryState::Unopened);
    };
    if !end.is_valid() {
        return Ok(EntryState::Invalid(format!(
            "no valid answer: {}",
            end.outcome
        )));
    }
    let shown = log.shown_agent(place)?;
    let (Some(answer), Some((salt, _)), Some(sealed)) = (shown.answer, shown.salts, end.answer)
    else {
        return Ok(EntryState::Unopened);
    };
    if !sealed.opens(&salt, &answer) {
        return Ok(EntryState::Invalid(
            "the answer is not the one that the log sealed".to_owned(),
        ));
    }
    let folder = RoundFolder::open(&log.rounds().join(place.0.as_str()))?;
    let inputs = RoundInputs::load(folder, &Universes::default())?;
    Ok(match AgentQuestion::of(inputs)?.judge_body(&answer) {
        Ok(answer) => EntryState::Opened(answer.portfolio),
        Err(faults) => {
            let first = faults.first().map(ToString::to_string);
            EntryState::Invalid(first.unwrap_or_default())
        }
    })
}
