//! [`Taking`]: the league takes what entrants bring, logs it and gives receipts.

use std::path::PathBuf;

use capitalbench_core::decision::entering::admission::{Place, Refusal};
use capitalbench_core::decision::entering::names::EntrantName;
use capitalbench_core::values::ids::RoundId;
use capitalbench_proof::event::{Event, Fact, Files, Instant};
use capitalbench_proof::merkle::{Hash, sha256};
use jiff::Timestamp;

use super::{EntrantLog, EntryFile, entry_file, event, registration_file, registration_receipt};
use crate::disk::error::FileError;
use crate::disk::file_ops::{self, Hold};
use crate::disk::layout;
use crate::entering::delivered::Delivered;
use crate::entering::receipt::render;
use crate::log::append::Known;
use crate::log::{LogFolder, LogKey, read};

/// What became of a file that an entrant brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The log holds it from now on.
    New(Logged),
    /// The log held it before.
    Known(Logged),
    Refused(Refusal),
}

/// Something of an entrant that the log holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logged {
    pub entrant: EntrantName,
    /// The round; none for a registration.
    pub round: Option<RoundId>,
    /// Its file, relative to the folder of rounds.
    pub file: String,
    pub receipt: String,
}

/// Holds the log of a league while files are taken.
pub struct Taking<'a> {
    log: &'a LogFolder,
    key: &'a LogKey,
    at: Timestamp,
    told: EntrantLog,
    _hold: Hold,
}

impl<'a> Taking<'a> {
    /// Other processes that append wait until this is dropped.
    pub fn begin(log: &'a LogFolder, key: &'a LogKey, at: Timestamp) -> Result<Self, FileError> {
        let hold = log.take_turn()?;
        // The log holds whole seconds.
        let at = Timestamp::from_second(at.as_second()).unwrap_or(at);
        Ok(Self {
            log,
            key,
            at,
            told: log.entrants()?,
            _hold: hold,
        })
    }

    /// What the log holds by now.
    pub fn told(&self) -> &EntrantLog {
        &self.told
    }

    /// Takes one file: whoever brought it has a receipt when this returns, or a reason.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Taken, FileError> {
        let delivered = match Delivered::read(bytes) {
            Ok(delivered) => delivered,
            Err(refusal) => return Ok(Taken::Refused(refusal)),
        };
        let Some(step) = self.step(&delivered) else {
            let Delivered::Entry(own) = delivered else {
                return Ok(Taken::Refused(Refusal::NotSealed));
            };
            let key = own.key.to_string();
            return Ok(Taken::Refused(Refusal::Unregistered { key }));
        };
        if self.told.named.contains(&step.logged.file)
            && read(&self.log.file(&step.logged.file))?.as_deref() == Some(bytes)
        {
            self.complete(&step)?;
            return Ok(Taken::Known(step.logged));
        }
        let checked = match &delivered {
            Delivered::Registration(own) => self.told.register.check_registration(own),
            Delivered::Entry(own) => {
                let terms = self.told.terms(self.log, &own.round)?.cloned();
                self.told.register.check_entry(own, terms.as_ref(), self.at)
            }
            Delivered::Opening(own) => {
                let terms = self.told.terms(self.log, &own.round)?.cloned();
                let register = &self.told.register;
                register.check_opening(own, terms.as_ref(), self.at)
            }
        };
        match checked {
            Err(refusal) => Ok(Taken::Refused(refusal)),
            Ok(()) => self.keep(step, bytes).map(Taken::New),
        }
    }

    /// What would be logged; none where nobody is registered under the key.
    fn step(&self, delivered: &Delivered) -> Option<Step> {
        let (round, key) = match delivered {
            Delivered::Registration(own) => {
                let entrant = own.entrant.clone();
                return Some(Step {
                    fact: Fact::Entrant {
                        entrant: entrant.to_string(),
                        files: Files::new(),
                    },
                    logged: Logged {
                        file: registration_file(&entrant),
                        receipt: registration_receipt(&entrant),
                        round: None,
                        entrant,
                    },
                });
            }
            Delivered::Entry(own) => (&own.round, &own.key),
            Delivered::Opening(own) => (&own.round, &own.key),
        };
        let entrant = self.told.register.owner(key)?.registration.entrant.clone();
        let (name, of) = (key.name().to_owned(), (&entrant, key.name()));
        let (kind, receipt) = match delivered {
            Delivered::Opening(_) => (EntryFile::Opening, EntryFile::OpeningReceipt),
            _ => (EntryFile::Sealed, EntryFile::Receipt),
        };
        let (file, receipt) = (entry_file(round, of, kind), entry_file(round, of, receipt));
        let (owner, for_round) = (entrant.to_string(), round.to_string());
        let fact = match delivered {
            Delivered::Entry(own) => Fact::EntrySealed {
                entrant: owner,
                key: name,
                for_round,
                commitment: Hash::new(own.commitment.bytes()),
                files: Files::new(),
            },
            _ => Fact::EntryOpened {
                entrant: owner,
                key: name,
                for_round,
                files: Files::new(),
            },
        };
        let logged = Logged {
            round: Some(round.clone()),
            file,
            receipt,
            entrant,
        };
        Some(Step { fact, logged })
    }

    /// File, leaf, receipt.
    fn keep(&mut self, step: Step, bytes: &[u8]) -> Result<Logged, FileError> {
        let Step { mut fact, logged } = step;
        let path = self.log.file(&logged.file);
        create_parent(&path)?;
        file_ops::replace(&path, bytes)?;
        let (Fact::Entrant { files, .. }
        | Fact::EntrySealed { files, .. }
        | Fact::EntryOpened { files, .. }) = &mut fact
        else {
            return Ok(logged);
        };
        files.insert(logged.file.clone(), sha256(bytes));
        let at = Instant::parse(&self.at.to_string());
        let at = at.ok_or_else(|| {
            let text = format!("{} is out of range", self.at);
            FileError::folder(self.log.rounds(), text)
        })?;
        let event = event(at, fact);
        let appended =
            self.log
                .append_held(self.key, std::slice::from_ref(&event), Known::Skipped)?;
        let leaf = appended.size.saturating_sub(1);
        self.give_receipt(leaf, &event, &logged)?;
        let place = Place { leaf, at: self.at };
        self.told.take(self.log, place, &event.fact)?;
        Ok(logged)
    }

    /// Gives a receipt that a killed process did not.
    fn complete(&self, step: &Step) -> Result<(), FileError> {
        if self.log.file(&step.logged.receipt).exists() {
            return Ok(());
        }
        let leaves = self.log.events_of_round(layout::ENTRIES)?.into_iter();
        let names = |event: &Event| match &event.fact {
            Fact::Entrant { files, .. }
            | Fact::EntrySealed { files, .. }
            | Fact::EntryOpened { files, .. } => files.contains_key(&step.logged.file),
            _ => false,
        };
        let mut own = leaves.filter(|(_, event)| names(event));
        match own.next() {
            Some((leaf, event)) => self.give_receipt(leaf, &event, &step.logged),
            None => Ok(()),
        }
    }

    fn give_receipt(&self, leaf: u64, event: &Event, logged: &Logged) -> Result<(), FileError> {
        let own = |text: String| FileError::folder(&self.log.file(layout::LOG), text);
        let bytes = event.to_leaf().map_err(|error| own(error.to_string()))?;
        let signed = self.log.checkpoint()?;
        let signed = signed.ok_or_else(|| own("has no checkpoint".to_owned()))?;
        let proof = self.log.prove(leaf, &signed)?;
        let proof = proof.ok_or_else(|| own(format!("leaf {leaf} is not in the log")))?;
        let path = self.log.file(&logged.receipt);
        Ok(file_ops::replace(&path, render(proof, &bytes).as_bytes())?)
    }
}

/// What is logged, and where its files lie.
struct Step {
    fact: Fact,
    logged: Logged,
}

fn create_parent(path: &std::path::Path) -> Result<(), FileError> {
    let folder = path.parent().map(PathBuf::from).unwrap_or_default();
    Ok(file_ops::create_folder(&folder)?)
}
