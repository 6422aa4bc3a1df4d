//! What entrants do: registrations, sealed entries and openings, as leaves with their files.
//!
//! Every file is written before its leaf, and its receipt after: a process that dies in between leaves
//! a file that no leaf names, or a leaf without a receipt, and the next delivery completes it.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::decision::entering::admission::{Place, Refusal, Register, RoundTerms};
use capitalbench_core::decision::entering::names::{EntrantKey, EntrantName};
use capitalbench_core::decision::entering::opening::Opening;
use capitalbench_core::decision::entering::registration::Registration;
use capitalbench_core::decision::entering::sealed::SealedEntry;
use capitalbench_core::values::ids::RoundId;
use capitalbench_proof::event::{Event, Fact, Files};
use capitalbench_proof::merkle::{Hash, sha256};

use super::{LogFolder, instant, read};
use crate::disk::error::FileError;
use crate::disk::file_ops;
use crate::disk::layout;
use crate::entering::delivered::Delivered;
use crate::entering::terms::terms_in;
use crate::verify::walk;

mod taking;

pub use taking::{Logged, Taken, Taking};

/// What the log holds of entrants, and what is wrong with it.
#[derive(Debug, Clone)]
pub struct EntrantLog {
    pub register: Register,
    /// What was opened in its time; the portfolio of some may break the rules of its round.
    pub openings: BTreeMap<(RoundId, EntrantKey), Opening>,
    pub problems: Vec<EntrantProblem>,
    terms: BTreeMap<RoundId, Option<RoundTerms>>,
    /// The files that leaves name.
    named: BTreeSet<String>,
}

/// A leaf about an entrant that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntrantProblem {
    pub leaf: u64,
    /// The file, relative to the folder of rounds.
    pub file: String,
    pub why: Broken,
}

/// Why it does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    Missing,
    /// The file is not the one that the leaf names.
    Edited,
    /// A rule forbids what it says, or it cannot be read.
    Refused(Refusal),
}

/// The three kinds of files about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryFile {
    Sealed,
    Opening,
    /// That the log holds the sealed entry.
    Receipt,
    /// That the log holds the opening.
    OpeningReceipt,
}

impl EntryFile {
    fn ending(self) -> &'static str {
        match self {
            Self::Sealed => "sealed",
            Self::Opening => "opening",
            Self::Receipt => "sealed.receipt",
            Self::OpeningReceipt => "opening.receipt",
        }
    }
}

/// Where a file about an entry lies, relative to the folder of rounds.
pub fn entry_file(round: &RoundId, of: (&EntrantName, &str), kind: EntryFile) -> String {
    let (entrant, key) = of;
    format!(
        "{}/{round}/{entrant}.{key}.{}",
        layout::LOG_ENTRIES,
        kind.ending()
    )
}

/// Where the registration of an entrant lies.
pub fn registration_file(entrant: &EntrantName) -> String {
    format!("{}/{entrant}.registration", layout::LOG_ENTRANTS)
}

/// Where its receipt lies.
pub fn registration_receipt(entrant: &EntrantName) -> String {
    format!("{}.receipt", registration_file(entrant))
}

impl LogFolder {
    /// Everything that the log holds of entrants, judged by the rules again.
    pub fn entrants(&self) -> Result<EntrantLog, FileError> {
        let league = self.verifier()?;
        let league = league.as_ref().map_or("", |key| key.name());
        let mut told = EntrantLog::of(league);
        for (leaf, event) in self.events_of_round(layout::ENTRIES)? {
            if let Some(at) = instant(&event) {
                told.take(self, Place { leaf, at }, &event.fact)?;
            }
        }
        Ok(told)
    }

    /// Files among those of entrants that no leaf names; receipts follow from the log.
    pub fn unsigned_entries(&self, told: &EntrantLog) -> Result<Vec<String>, FileError> {
        let mut found = Vec::new();
        for folder in [layout::LOG_ENTRANTS, layout::LOG_ENTRIES] {
            let names = walk(&self.file(folder))?.into_iter();
            let paths = names.map(|name| format!("{folder}/{name}"));
            found.extend(paths.filter(|path| {
                let name = path.rsplit('/').next().unwrap_or_default();
                let is_receipt = path
                    .strip_suffix(".receipt")
                    .is_some_and(|own| told.named.contains(own));
                let is_draft = name.starts_with(file_ops::TEMPORARY_PREFIX);
                !is_receipt && !is_draft && !told.named.contains(path)
            }));
        }
        Ok(found)
    }
}

impl EntrantLog {
    fn of(league: &str) -> Self {
        Self {
            register: Register::of(league),
            openings: BTreeMap::new(),
            problems: Vec::new(),
            terms: BTreeMap::new(),
            named: BTreeSet::new(),
        }
    }

    /// The terms of a round of the same folder.
    pub fn terms(
        &mut self,
        log: &LogFolder,
        round: &RoundId,
    ) -> Result<Option<&RoundTerms>, FileError> {
        if !self.terms.contains_key(round) {
            let terms = terms_in(log.rounds(), round)?;
            self.terms.insert(round.clone(), terms);
        }
        Ok(self.terms.get(round).and_then(Option::as_ref))
    }

    /// Takes the next leaf of the log; what breaks a rule counts for nothing.
    fn take(&mut self, log: &LogFolder, place: Place, fact: &Fact) -> Result<(), FileError> {
        let Some((file, files)) = file_of(fact) else {
            return Ok(());
        };
        self.named.insert(file.clone());
        let why = match self.taken(log, place, fact, (&file, files))? {
            Ok(()) => return Ok(()),
            Err(why) => why,
        };
        // A sealed entry whose file is gone keeps its slot: the leaf has the commitment.
        self.keep_slot(place, fact);
        let leaf = place.leaf;
        self.problems.push(EntrantProblem { leaf, file, why });
        Ok(())
    }

    fn taken(
        &mut self,
        log: &LogFolder,
        place: Place,
        fact: &Fact,
        (file, files): (&str, &Files),
    ) -> Result<Result<(), Broken>, FileError> {
        let Some(bytes) = read(&log.file(file))? else {
            return Ok(Err(Broken::Missing));
        };
        if files.len() != 1 || files.get(file) != Some(&sha256(&bytes)) {
            return Ok(Err(Broken::Edited));
        }
        let told = match Delivered::read(&bytes) {
            Ok(told) => told,
            Err(refusal) => return Ok(Err(Broken::Refused(refusal))),
        };
        Ok(match (&told, fact) {
            (Delivered::Registration(own), Fact::Entrant { entrant, .. })
                if own.entrant.as_str() == entrant =>
            {
                self.registration(own, place)
            }
            (Delivered::Entry(own), Fact::EntrySealed { commitment, .. })
                if Some(*commitment) == Hash::from_slice(&own.commitment.bytes())
                    && self.is_about(fact, &own.round, &own.key) =>
            {
                self.entry(log, own, place)?
            }
            (Delivered::Opening(own), Fact::EntryOpened { .. })
                if self.is_about(fact, &own.round, &own.key) =>
            {
                self.opening(log, own, place)?
            }
            _ => Err(Broken::Edited),
        })
    }

    fn registration(&mut self, own: &Registration, place: Place) -> Result<(), Broken> {
        let checked = self.register.check_registration(own);
        checked.map_err(Broken::Refused)?;
        self.register.register(own.clone(), place);
        Ok(())
    }

    fn entry(
        &mut self,
        log: &LogFolder,
        own: &SealedEntry,
        place: Place,
    ) -> Result<Result<(), Broken>, FileError> {
        let terms = self.terms(log, &own.round)?.cloned();
        let checked = self.register.check_entry(own, terms.as_ref(), place.at);
        Ok(checked.map_err(Broken::Refused).map(|()| {
            self.register.seal(own, place);
        }))
    }

    fn opening(
        &mut self,
        log: &LogFolder,
        own: &Opening,
        place: Place,
    ) -> Result<Result<(), Broken>, FileError> {
        let terms = self.terms(log, &own.round)?.cloned();
        let checked = self.register.check_opening(own, terms.as_ref(), place.at);
        Ok(checked.map_err(Broken::Refused).map(|()| {
            self.register.open(own, place);
            let slot = (own.round.clone(), own.key.clone());
            self.openings.insert(slot, own.clone());
        }))
    }

    /// Whether a leaf is about a key of the entrant and the round that its file names.
    fn is_about(&self, fact: &Fact, round: &RoundId, own: &EntrantKey) -> bool {
        let (Fact::EntrySealed {
            entrant,
            key,
            for_round,
            ..
        }
        | Fact::EntryOpened {
            entrant,
            key,
            for_round,
            ..
        }) = fact
        else {
            return false;
        };
        let owner = self.register.owner(own);
        let is_owner = owner.is_some_and(|found| found.registration.entrant.as_str() == entrant);
        is_owner && own.name() == key && round.as_str() == for_round
    }

    fn keep_slot(&mut self, place: Place, fact: &Fact) {
        let Fact::EntrySealed {
            entrant,
            key,
            for_round,
            commitment,
            ..
        } = fact
        else {
            return;
        };
        let entrant = EntrantName::parse(entrant).ok();
        let own = entrant.and_then(|name| self.register.entrant(&name));
        let key = own.and_then(|own| {
            let mut keys = own.registration.keys.iter();
            keys.find(|known| known.name() == key).cloned()
        });
        let terms = RoundId::parse(for_round).ok();
        let terms = terms.and_then(|round| self.terms.get(&round).cloned().flatten());
        let (Some(key), Some(terms)) = (key, terms) else {
            return;
        };
        let entry = SealedEntry {
            league: String::new(),
            commitment: capitalbench_core::values::ids::Digest::from_bytes(*commitment.as_bytes()),
            inputs: terms.inputs,
            round: terms.round,
            key,
        };
        if place.at < terms.times.deadline {
            self.register.seal(&entry, place);
        }
    }
}

/// The file that a leaf is about, by its names alone, and the digests that it has; none where the leaf
/// is about something else or a name leads elsewhere.
fn file_of(fact: &Fact) -> Option<(String, &Files)> {
    let entry = |entrant: &str, key: &str, round: &str, kind| {
        let round = RoundId::parse(round).ok()?;
        let entrant = EntrantName::parse(entrant).ok()?;
        let key = EntrantName::parse(key).ok()?;
        Some(entry_file(&round, (&entrant, key.as_str()), kind))
    };
    match fact {
        Fact::Entrant { entrant, files } => {
            Some((registration_file(&EntrantName::parse(entrant).ok()?), files))
        }
        Fact::EntrySealed {
            entrant,
            key,
            for_round,
            files,
            ..
        } => Some((entry(entrant, key, for_round, EntryFile::Sealed)?, files)),
        Fact::EntryOpened {
            entrant,
            key,
            for_round,
            files,
        } => Some((entry(entrant, key, for_round, EntryFile::Opening)?, files)),
        _ => None,
    }
}

/// An event about entrants at an instant.
fn event(at: capitalbench_proof::event::Instant, fact: Fact) -> Event {
    Event {
        round: layout::ENTRIES.to_owned(),
        at,
        fact,
    }
}
