//! Entries from outside, as the public knows them at an instant.

use std::path::Path;

use capitalbench_core::decision::entering::admission::{Registered, Slot};
use capitalbench_core::decision::entering::names::EntrantKey;
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::publication::entrants::{EntryLane, EntryState, PublicEntry, figures};
use capitalbench_core::publication::visible::{Item, is_public};
use capitalbench_core::publication::{PublicRound, Publication};
use jiff::Timestamp;

use super::public_record::PublicationError;
use crate::disk::error::FileError;
use crate::disk::layout;
use crate::log::LogFolder;
use crate::log::entrants::EntrantLog;

mod agents;

/// The name of a league that admits entrants: it keeps a folder for their registrations.
pub fn league(rounds: &Path) -> Result<Option<String>, FileError> {
    if !rounds.join(layout::LOG_ENTRANTS).is_dir() {
        return Ok(None);
    }
    let key = LogFolder::of_rounds(rounds).verifier()?;
    Ok(key.map(|key| key.name().to_owned()))
}

/// The entries of the rounds of a publication, in the order of the log.
pub fn entries(rounds: &Path, public: &Publication) -> Result<Vec<PublicEntry>, PublicationError> {
    if !has_entrants(rounds) {
        return Ok(Vec::new());
    }
    let log = LogFolder::of_rounds(rounds);
    let told = log.entrants()?;
    let mut found = agents::entries(&log, &told, public)?;
    for round in &public.rounds {
        for (key, slot) in told.register.slots_of(round.id()) {
            if let Some(owner) = told.register.owner(key) {
                found.extend(entry((&told, round), (owner, key, slot), public.as_of)?);
            }
        }
    }
    found.sort_by_key(|own| own.sealed.leaf);
    Ok(found)
}

/// Whether a folder of rounds ever admitted an entrant.
pub fn has_entrants(rounds: &Path) -> bool {
    rounds.join(layout::LOG_ENTRANTS).exists()
}

/// One slot; none while nobody may know of it, or where the round has no track.
fn entry(
    (told, round): (&EntrantLog, &PublicRound),
    (owner, key, slot): (&Registered, &EntrantKey, &Slot),
    as_of: Timestamp,
) -> Result<Option<PublicEntry>, PublicationError> {
    let at = slot.sealed.at;
    let Some(track) = round
        .track
        .filter(|_| is_public(Item::Event { at }, None, as_of))
    else {
        return Ok(None);
    };
    let state = state((told, round), (key, slot), as_of);
    let figures = figures(round, &state).map_err(|error| {
        let round_id = round.id().clone();
        capitalbench_core::publication::PublishError::EntryAboveOracle {
            round_id,
            entrant: owner.registration.entrant.to_string(),
            error,
        }
    })?;
    let own = &owner.registration;
    Ok(Some(PublicEntry {
        round_id: round.id().clone(),
        track,
        entrant: own.entrant.clone(),
        name: own.name.clone(),
        kind: own.kind,
        lane: EntryLane::Sealed,
        key: key.name().to_owned(),
        keys: own.keys.len(),
        sealed: slot.sealed,
        state,
        figures,
    }))
}

fn state(
    (told, round): (&EntrantLog, &PublicRound),
    (key, slot): (&EntrantKey, &Slot),
    as_of: Timestamp,
) -> EntryState {
    let since = slot.opened.map(|place| place.at);
    let is_shown = |since: &Timestamp| {
        let item = Item::Opening { since: *since };
        is_public(item, round.manifest.window, as_of)
    };
    let own = (round.id().clone(), key.clone());
    let opened = since.filter(is_shown).and_then(|_| told.openings.get(&own));
    if let Some(opening) = opened {
        let problems = opening.problems(&round.manifest, &round.universe);
        return match problems.first() {
            None => EntryState::Opened(opening.holdings()),
            Some(first) => EntryState::Invalid(first.to_string()),
        };
    }
    match Times::of(&round.manifest) {
        Some(times) if as_of >= times.closes => EntryState::Unopened,
        _ => EntryState::Sealed,
    }
}
