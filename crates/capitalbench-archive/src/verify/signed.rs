//! One round against the log: every file, every event, their order and the slots.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::artifact::{Audience, audience};
use capitalbench_core::manifest::{Manifest, Window};
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::merkle::Hash;
use capitalbench_proof::order::{Contradiction, History, Judged, Line, Mark, Verdict, judge};
use capitalbench_proof::timestamp::Stamp;
use jiff::Timestamp;

use super::finding::{Code, Finding};
use super::log_state::{LogState, Reader};
use super::slots::{SlotCount, count};
use super::walk_all;
use crate::layout;
use crate::log::inventory::{Inventory, is_told};
use crate::log::salts::{Salts, Shown};
use crate::log::{Observer, marks, replaced_kind, round_events, steps};
use crate::round_folder::RoundFolder;

/// When something was signed into the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Its leaf.
    pub leaf: u64,
    /// By the clock of the operator.
    pub at: Timestamp,
    /// The earliest outside clocks that saw it, one per authority.
    pub stamps: Vec<Stamp>,
}

impl Moment {
    /// By outside clocks it was there before this instant.
    pub fn before(&self) -> Option<Timestamp> {
        self.stamps.iter().map(|stamp| stamp.before).min()
    }
}

/// What the log proves about a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoundProof {
    /// The inputs were settled.
    pub freeze: Option<Moment>,
    /// The first request of the record left.
    pub first_call: Option<Moment>,
    /// The last answer of the record was there.
    pub last_call: Option<Moment>,
    /// The run became the record, with its picks.
    pub picks: Option<Moment>,
    /// The result was made.
    pub score: Option<Moment>,
    /// The close that decisions are scored from.
    pub entry_close: Option<Timestamp>,
    /// The close that they are scored to.
    pub exit_close: Option<Timestamp>,
    /// How the slots of the record ended.
    pub slots: Option<SlotCount>,
    /// Runs that asked somebody.
    pub runs: usize,
    /// Events of the round.
    pub events: usize,
    /// Corrections of its results.
    pub corrections: usize,
    /// Files that are those of the log.
    pub opened: usize,
    /// Files that the log knows and that cannot be compared here.
    pub withheld: usize,
    /// Every line of the order that makes a round worth anything.
    pub order: Vec<Judged>,
}

impl RoundProof {
    /// Whether outside clocks show that inputs came before calls and picks before the entry, and no
    /// line of the order speaks against it.
    pub fn is_stamped(&self) -> bool {
        let proved = |line: Line| {
            let own = |judged: &Judged| {
                judged.line == line && matches!(judged.verdict, Verdict::Proved(_))
            };
            self.order.iter().any(own)
        };
        proved(Line::FreezeBeforeAttempts)
            && proved(Line::PicksBeforeEntry)
            && !self.order.iter().any(Judged::refuses)
    }
}

/// Compares a round with the log; none when the log does not know it.
pub(super) fn check_round(
    folder: &RoundFolder,
    (state, reader): (&LogState, &Reader<'_>),
    manifest: Option<&Manifest>,
    findings: &mut Vec<Finding>,
) -> Option<RoundProof> {
    let name = folder.name();
    let events = state.events(&name);
    if events.is_empty() {
        let text = "no event of the log is about this round";
        findings.push(Finding::new(Code::NotInLog, layout::LOG, text));
        return None;
    }
    let mut proof = RoundProof {
        events: events.len(),
        ..RoundProof::default()
    };
    let mut scene = Scene {
        folder,
        state,
        name,
        events: &events,
        findings,
    };
    // What the files say can only be told again where all of them are.
    if !scene.files(reader, &mut proof) {
        scene.facts();
    }
    scene.moments(manifest.and_then(|own| own.window), &mut proof);
    Some(proof)
}

struct Scene<'a> {
    folder: &'a RoundFolder,
    state: &'a LogState,
    name: String,
    events: &'a [(u64, Event)],
    findings: &'a mut Vec<Finding>,
}

impl Scene<'_> {
    fn find(&mut self, code: Code, place: impl Into<String>, text: impl Into<String>) {
        self.findings.push(Finding::new(code, place, text));
    }

    /// Every file is in the log, and every file of the log is there, to the last bit.
    ///
    /// True when a file that tells of events is withheld: one that the log knows, that is not here
    /// and that nobody may see yet. What a bundle merely says about itself hides nothing.
    fn files(&mut self, reader: &Reader<'_>, proof: &mut RoundProof) -> bool {
        let mut told = Inventory::default();
        let mut shown = Shown::default();
        for (index, event) in self.events {
            if !told.add(&event.fact) {
                let text = "is an inventory that does not follow on the one before";
                self.findings.push(Finding::new(
                    Code::EventMissing,
                    format!("log/leaf {index}"),
                    text,
                ));
            }
            shown.record |= matches!(event.fact, Fact::Accepted { .. });
            shown.result |= matches!(event.fact, Fact::Score { .. });
        }
        let salts = self.salts(&told);
        let mut withheld = 0;
        let mut hidden = false;
        for (path, sealed) in &told.bodies {
            let salt = reader
                .owner
                .map(|key| key.salt(&self.name, path))
                .or_else(|| salts.get(path).copied());
            let bytes = self.folder.read_optional(path);
            match (bytes, salt) {
                (Ok(None), _) if !shown.shows(path) && reader.withheld.contains(path) => {
                    withheld += 1;
                    hidden |= audience(path) != Audience::Private;
                }
                (Ok(None), _) => self.find(Code::LoggedFileMissing, path, "is gone"),
                (Err(error), _) => self.find(Code::LoggedFileMissing, path, error.problem()),
                (Ok(Some(bytes)), Some(salt)) if sealed.opens(&salt, &bytes) => proof.opened += 1,
                (Ok(Some(_)), Some(_)) => {
                    let text = "its bytes are not those that were signed into the log";
                    self.find(Code::LoggedFileDiffers, path, text);
                }
                (Ok(Some(_)), None) if shown.shows(path) => {
                    let text = format!(
                        "log/salts/{}.json does not tell its salt; the next step with the key writes it",
                        self.name
                    );
                    self.find(Code::SaltMissing, path, text);
                }
                (Ok(Some(_)), None) => withheld += 1,
            }
        }
        proof.withheld = withheld;
        if withheld > 0 {
            let text =
                format!("{withheld} files are sealed in the log and cannot be compared here");
            self.find(Code::BodyWithheld, layout::LOG, text);
        }
        // A folder that cannot be read has a finding of its own.
        let (files, _) = walk_all(self.folder.path());
        for path in files.into_iter().filter(|path| is_told(path)) {
            if !told.bodies.contains_key(&path) {
                let text = "the log does not know it; sign it with `capitalbench hash-round`";
                self.find(Code::FileNotLogged, path, text);
            }
        }
        hidden
    }

    fn salts(&mut self, told: &Inventory) -> Salts {
        let place = format!("{}/{}.json", layout::LOG_SALTS, self.name);
        match self.state.log.salts(&self.name) {
            Ok(None) => {
                let text = "is missing, so that files cannot be compared with the log";
                self.find(Code::SaltMissing, place, text);
                Salts::new()
            }
            Ok(Some(salts)) => {
                for path in salts.keys().filter(|path| !told.bodies.contains_key(*path)) {
                    let text = format!("has a salt of {path}, which the log does not know");
                    self.findings
                        .push(Finding::new(Code::SaltMissing, &place, text));
                }
                salts
            }
            Err(error) => {
                self.find(Code::SaltMissing, place, error.problem());
                Salts::new()
            }
        }
    }

    /// What the files say has happened is what the log says.
    fn facts(&mut self) {
        let by = Observer {
            key: None,
            now: Timestamp::UNIX_EPOCH,
            program: "",
        };
        let derived = match round_events(self.folder, by) {
            Ok(derived) => derived,
            Err(error) => {
                let place = error.path().strip_prefix(self.folder.path());
                let place = place.unwrap_or(error.path()).display().to_string();
                return self.find(Code::EventContradictsFiles, place, error.problem());
            }
        };
        let identity = |event: &Event| event.identity().ok();
        let logged: BTreeMap<Hash, (u64, &Event)> = self
            .events
            .iter()
            .filter_map(|(index, event)| Some((identity(event)?, (*index, event))))
            .collect();
        let mut found = Vec::new();
        let mut told = BTreeSet::new();
        for event in &derived {
            let Some(own) = identity(event) else {
                continue;
            };
            told.insert(own);
            match logged.get(&own) {
                None => found.push(Finding::new(
                    Code::EventMissing,
                    layout::LOG,
                    format!("the files tell {}, the log does not", words(&event.fact)),
                )),
                Some((index, other)) if is_dated(&event.fact) && other.at != event.at => {
                    let text = format!(
                        "{} was at {} by the log and at {} by the files",
                        words(&event.fact),
                        other.at,
                        event.at
                    );
                    let place = format!("log/leaf {index}");
                    found.push(Finding::new(Code::EventContradictsFiles, place, text));
                }
                Some(_) => {}
            }
        }
        // Only the last word on prices, results and reports is that of the files.
        let mut last: BTreeMap<String, u64> = BTreeMap::new();
        for (index, event) in self.events {
            last.insert(kind(&event.fact), *index);
        }
        for (index, event) in self.events {
            let own = identity(event);
            let follows = own.is_some_and(|own| told.contains(&own));
            let is_last = last.get(&kind(&event.fact)) == Some(index);
            if !follows && is_last && !matches!(event.fact, Fact::Inventory { .. }) {
                let text = format!("{} does not follow from the files", words(&event.fact));
                let place = format!("log/leaf {index}");
                found.push(Finding::new(Code::EventContradictsFiles, place, text));
            }
        }
        self.findings.extend(found);
    }

    /// The order by places, instants and outside clocks, and the slots of the record.
    fn moments(&mut self, window: Option<Window>, proof: &mut RoundProof) {
        let facts = || self.events.iter().map(|(_, event)| &event.fact);
        let record = facts().rev().find_map(|fact| match fact {
            Fact::Accepted { run, .. } => Some(run.clone()),
            _ => None,
        });
        let asked = facts().filter_map(|fact| match fact {
            Fact::Slots { run, .. } => Some(run),
            _ => None,
        });
        proof.runs = asked.collect::<BTreeSet<_>>().len();
        let corrections = facts().filter(|fact| matches!(fact, Fact::Correction { .. }));
        proof.corrections = corrections.count();
        let events = self.events.iter().map(|(index, event)| (*index, event));
        let mut told = steps(events, window, |run| {
            record.as_deref().is_none_or(|record| record == run)
        });
        for mark in marks(&mut told) {
            mark.before = self.moment(*mark).before();
        }
        let moment = |mark: Option<Mark>| mark.map(|mark| self.moment(mark));
        proof.freeze = moment(told.freeze);
        proof.first_call = moment(told.first_attempt);
        proof.last_call = moment(told.last_attempt);
        proof.picks = moment(told.picks);
        proof.score = moment(told.score);
        (proof.entry_close, proof.exit_close) = (told.entry, told.exit);
        proof.order = judge(&told).to_vec();
        self.order(&told, &proof.order);
        if let Some(record) = &record {
            proof.slots = count(record, self.events, self.findings);
        }
    }

    fn moment(&self, mark: Mark) -> Moment {
        let mut earliest: BTreeMap<&str, &Stamp> = BTreeMap::new();
        let covering = self.state.report.stamps.iter();
        for (_, stamp) in covering.filter(|(size, _)| *size > mark.last) {
            let known = earliest.entry(&stamp.authority).or_insert(stamp);
            if stamp.before < known.before {
                *known = stamp;
            }
        }
        Moment {
            leaf: mark.last,
            at: mark.at,
            stamps: earliest.into_values().cloned().collect(),
        }
    }

    fn order(&mut self, told: &History, order: &[Judged]) {
        for judged in order {
            let Verdict::Broken(why) = &judged.verdict else {
                continue;
            };
            let mark = match judged.line {
                Line::FreezeBeforeAttempts => told.freeze,
                Line::AttemptsInOrder => told.first_attempt,
                Line::AttemptsBeforePicks => told.last_attempt,
                Line::PicksBeforeEntry => told.picks,
                Line::EntryBeforeExit => None,
                Line::ExitBeforeScore => told.score,
            };
            let place = mark.map_or_else(
                || layout::MANIFEST.to_owned(),
                |mark| format!("log/leaf {}", mark.last),
            );
            // Instants are the operator's word; places and what others had seen already are not.
            let code = match why {
                Contradiction::Instants { .. } => Code::OrderUnproved,
                Contradiction::Places(..) | Contradiction::ClaimedLate { .. } => {
                    Code::LogOrderBroken
                }
            };
            self.find(code, place, why.to_string());
        }
    }
}

/// Whether the files say when it happened.
fn is_dated(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Slots { .. }
            | Fact::AttemptBegin { .. }
            | Fact::AttemptEnd { .. }
            | Fact::Accepted { .. }
            | Fact::Pick { .. }
            | Fact::Correction { .. }
    )
}

/// Events of one kind replace each other; those of different kinds all stay true.
fn kind(fact: &Fact) -> String {
    replaced_kind(fact).unwrap_or_else(|| words(fact))
}

fn words(fact: &Fact) -> String {
    let name = fact.name();
    match fact {
        Fact::Slots { run, .. } | Fact::Accepted { run, .. } | Fact::Score { run, .. } => {
            format!("{name} of {run}")
        }
        Fact::AttemptBegin { place, attempt, .. } | Fact::AttemptEnd { place, attempt, .. } => {
            format!(
                "{name} {attempt} of {}, replicate {}, in {}",
                place.model, place.replicate, place.run
            )
        }
        Fact::Pick { run, file, .. } => format!("{name} {file} of {run}"),
        Fact::Correction { run, number, .. } => format!("{name} {number} of {run}"),
        Fact::EntryPrices { session, .. } | Fact::ExitPrices { session, .. } => {
            format!("{name} of {session}")
        }
        Fact::Claim { statement, .. } => format!("{name} {statement:?}"),
        Fact::Freeze { .. } | Fact::Methodology { .. } | Fact::Inventory { .. } => name.to_owned(),
    }
}
