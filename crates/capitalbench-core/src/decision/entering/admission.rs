//! [`Register`]: what the log holds of entrants, and why something more is refused.
//!
//! The league asks it before it signs, and `verify` asks it again for every entry of the log.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::names::{EntrantKey, EntrantName};
use super::opening::Opening;
use super::registration::Registration;
use super::sealed::SealedEntry;
use super::times::Times;
use crate::values::ids::{Digest, RoundId};

/// Why something of an entrant is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("came too late: it is {at}, and the deadline was {deadline}")]
    Late { at: Timestamp, deadline: Timestamp },
    #[error("came too early: it is {at}, and nothing may be opened before the entry close {opens}")]
    Early { at: Timestamp, opens: Timestamp },
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("was altered: {0}")]
    Altered(String),
    #[error("was doubled: the log has this entry already, with other bytes")]
    Doubled,
    #[error(
        "was re-sealed: {key} has sealed another entry for {round}; a key has one slot in a round, and \
         the first entry counts"
    )]
    Resealed { key: String, round: RoundId },
    #[error("is unregistered: no registration of this league has the key {key}")]
    Unregistered { key: String },
    #[error(
        "is one of many: {with} is registered with the same {what}; an entrant names all of its keys \
         in one registration, so that they are shown together"
    )]
    BestOfMany {
        with: EntrantName,
        what: &'static str,
    },
    #[error("is a copy: {of} has sealed this commitment, which covers the key that made it")]
    Copied { of: String },
    #[error("is for the league {found:?}, and this league is {expected:?}")]
    WrongLeague { found: String, expected: String },
    #[error("is for {found}, and {why}")]
    WrongRound { found: RoundId, why: &'static str },
    #[error("is taken: another registration has the name {0}")]
    NameTaken(EntrantName),
    #[error("opens no sealed entry: the log has none with this commitment")]
    NotSealed,
}

impl Refusal {
    /// The word for machines.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Late { .. } => "late",
            Self::Early { .. } => "early",
            Self::Unreadable(_) => "unreadable",
            Self::Altered(_) => "altered",
            Self::Doubled => "doubled",
            Self::Resealed { .. } => "re-sealed",
            Self::Unregistered { .. } => "unregistered",
            Self::BestOfMany { .. } => "best-of-many",
            Self::Copied { .. } => "copied",
            Self::WrongLeague { .. } => "wrong-league",
            Self::WrongRound { .. } => "wrong-round",
            Self::NameTaken(_) => "name-taken",
            Self::NotSealed => "not-sealed",
        }
    }
}

/// What binds the entries of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundTerms {
    pub round: RoundId,
    /// The digest of its `hashes.json`.
    pub inputs: Digest,
    pub times: Times,
}

/// A place of the log, and the instant that it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    pub leaf: u64,
    pub at: Timestamp,
}

/// What a key has in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub commitment: Digest,
    pub sealed: Place,
    pub opened: Option<Place>,
}

/// An entrant whose registration the log holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub registration: Registration,
    pub place: Place,
}

/// Registrations and slots in the order of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    league: String,
    entrants: BTreeMap<EntrantName, Registered>,
    keys: BTreeMap<EntrantKey, EntrantName>,
    slots: BTreeMap<(RoundId, EntrantKey), Slot>,
}

impl Register {
    /// An empty one of the league with this log.
    pub fn of(league: &str) -> Self {
        Self {
            league: league.to_owned(),
            entrants: BTreeMap::new(),
            keys: BTreeMap::new(),
            slots: BTreeMap::new(),
        }
    }

    pub fn entrants(&self) -> impl Iterator<Item = &Registered> {
        self.entrants.values()
    }

    pub fn entrant(&self, name: &EntrantName) -> Option<&Registered> {
        self.entrants.get(name)
    }

    /// Whose key it is.
    pub fn owner(&self, key: &EntrantKey) -> Option<&Registered> {
        self.entrants.get(self.keys.get(key)?)
    }

    pub fn slot(&self, round: &RoundId, key: &EntrantKey) -> Option<&Slot> {
        self.slots.get(&(round.clone(), key.clone()))
    }

    /// The slots of a round, in the order of their leaves.
    pub fn slots_of<'a>(&'a self, round: &RoundId) -> Vec<(&'a EntrantKey, &'a Slot)> {
        let own = self.slots.iter().filter(|((id, _), _)| id == round);
        let mut own: Vec<_> = own.map(|((_, key), slot)| (key, slot)).collect();
        own.sort_by_key(|(_, slot)| slot.sealed.leaf);
        own
    }

    /// Rounds for which somebody has sealed an entry.
    pub fn rounds(&self) -> Vec<&RoundId> {
        let mut rounds: Vec<&RoundId> = self.slots.keys().map(|(round, _)| round).collect();
        rounds.dedup();
        rounds
    }

    fn require_league(&self, found: &str) -> Result<(), Refusal> {
        if found == self.league {
            return Ok(());
        }
        Err(Refusal::WrongLeague {
            found: found.to_owned(),
            expected: self.league.clone(),
        })
    }

    /// Whether a new registration may be taken.
    pub fn check_registration(&self, new: &Registration) -> Result<(), Refusal> {
        self.require_league(&new.league)?;
        if self.entrants.contains_key(&new.entrant) {
            return Err(Refusal::NameTaken(new.entrant.clone()));
        }
        for known in self.entrants.values().map(|own| &own.registration) {
            let same = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
            let keys = || {
                let mut shared = known.keys.iter();
                shared.any(|key| new.keys.iter().any(|own| bare(own) == bare(key)))
            };
            let what = if same(&known.contact, &new.contact) {
                "contact"
            } else if keys() {
                "key"
            } else if (known.address.is_some() && known.address == new.address)
                || same_agent(known, new)
            {
                "address"
            } else {
                continue;
            };
            let with = known.entrant.clone();
            return Err(Refusal::BestOfMany { with, what });
        }
        Ok(())
    }

    /// Adds a registration that the log holds.
    pub fn register(&mut self, registration: Registration, place: Place) {
        let name = registration.entrant.clone();
        for key in &registration.keys {
            self.keys.insert(key.clone(), name.clone());
        }
        let own = Registered {
            registration,
            place,
        };
        self.entrants.insert(name, own);
    }

    /// Whether a sealed entry may be taken at an instant; `terms` are those of the round it names,
    /// where this league has it frozen.
    pub fn check_entry(
        &self,
        new: &SealedEntry,
        terms: Option<&RoundTerms>,
        at: Timestamp,
    ) -> Result<(), Refusal> {
        self.require_league(&new.league)?;
        if self.owner(&new.key).is_none() {
            return Err(Refusal::Unregistered {
                key: new.key.to_string(),
            });
        }
        let terms = require_round(&new.round, new.inputs, terms)?;
        if let Some(slot) = self.slot(&new.round, &new.key) {
            return Err(if slot.commitment == new.commitment {
                Refusal::Doubled
            } else {
                Refusal::Resealed {
                    key: new.key.name().to_owned(),
                    round: new.round.clone(),
                }
            });
        }
        let mut others = self.slots.iter();
        if let Some(((_, key), _)) = others.find(|(_, slot)| slot.commitment == new.commitment) {
            let of = key.name().to_owned();
            return Err(Refusal::Copied { of });
        }
        let deadline = terms.times.deadline;
        if at >= deadline {
            return Err(Refusal::Late { at, deadline });
        }
        Ok(())
    }

    /// Adds a sealed entry that the log holds.
    pub fn seal(&mut self, entry: &SealedEntry, sealed: Place) {
        let slot = Slot {
            commitment: entry.commitment,
            sealed,
            opened: None,
        };
        let place = (entry.round.clone(), entry.key.clone());
        self.slots.entry(place).or_insert(slot);
    }

    /// Whether an opening may be taken at an instant.
    pub fn check_opening(
        &self,
        new: &Opening,
        terms: Option<&RoundTerms>,
        at: Timestamp,
    ) -> Result<(), Refusal> {
        self.require_league(&new.league)?;
        let terms = require_round(&new.round, new.inputs, terms)?;
        let slot = self.slot(&new.round, &new.key);
        let slot = slot.filter(|slot| slot.commitment == new.commitment());
        let slot = slot.ok_or(Refusal::NotSealed)?;
        if slot.opened.is_some() {
            return Err(Refusal::Doubled);
        }
        let Times { opens, closes, .. } = terms.times;
        if at < opens {
            return Err(Refusal::Early { at, opens });
        }
        if at >= closes {
            return Err(Refusal::Late {
                at,
                deadline: closes,
            });
        }
        Ok(())
    }

    /// Adds an opening that the log holds.
    pub fn open(&mut self, opening: &Opening, place: Place) {
        let own = (opening.round.clone(), opening.key.clone());
        if let Some(slot) = self.slots.get_mut(&own) {
            slot.opened.get_or_insert(place);
        }
    }
}

/// Whether two agents stand at one address.
fn same_agent(known: &Registration, new: &Registration) -> bool {
    let address = |own: &Registration| own.agent.as_ref().map(|agent| agent.address.clone());
    address(known).is_some() && address(known) == address(new)
}

/// The terms of a round that is frozen under this name with these inputs.
fn require_round<'a>(
    found: &RoundId,
    inputs: Digest,
    terms: Option<&'a RoundTerms>,
) -> Result<&'a RoundTerms, Refusal> {
    let wrong = |why| Refusal::WrongRound {
        found: found.clone(),
        why,
    };
    let terms = terms.filter(|own| own.round == *found);
    let terms = terms.ok_or_else(|| wrong("no round of this league is frozen under this name"))?;
    if terms.inputs != inputs {
        return Err(wrong("its frozen inputs are others"));
    }
    Ok(terms)
}

/// A key without its name, which anybody may choose anew.
fn bare(key: &EntrantKey) -> &str {
    let text = key.as_str();
    text.splitn(3, '+').nth(2).unwrap_or(text)
}

#[cfg(test)]
mod tests;
