//! One round against the log: every file, every event, their order and the slots.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::publication::artifact::{Audience, audience};
use capitalbench_core::round::manifest::Manifest;
use capitalbench_proof::event::{Event, Fact};
use capitalbench_proof::merkle::Hash;
use jiff::Timestamp;

use super::finding::{Code, Findings};
use super::log_state::{LogState, Reader};
use super::moments::RoundEvents;
use super::round_proof::RoundProof;
use super::walk_all;
use crate::disk::layout;
use crate::log::inventory::{Inventory, is_told};
use crate::log::salts::{Salts, Shown, salt_of};
use crate::log::{Observer, replaced_kind, round_events};
use crate::round::round_folder::RoundFolder;

/// Compares a round with the log; none when the log has no event of it.
pub(super) fn check_round(
    folder: &RoundFolder,
    state: &LogState,
    reader: &Reader<'_>,
    manifest: Option<&Manifest>,
    findings: &mut Findings,
) -> Option<RoundProof> {
    let name = folder.name();
    let events = state.events(&name);
    if events.is_empty() {
        let text = "no event of the log is about this round";
        findings.add(Code::NotInLog, layout::LOG, text);
        return None;
    }
    let mut proof = RoundProof {
        events: events.len(),
        ..RoundProof::default()
    };
    let mut signed = SignedRound {
        folder,
        state,
        name,
        events: &events,
        findings,
    };
    // The events can be derived again only where all files are here.
    if !signed.files(reader, &mut proof) {
        signed.facts();
    }
    let round = RoundEvents {
        state,
        events: &events,
        manifest,
    };
    round.check(reader, &mut proof, findings);
    Some(proof)
}

/// A round beside its events in the log.
struct SignedRound<'a> {
    folder: &'a RoundFolder,
    state: &'a LogState,
    name: String,
    events: &'a [(u64, Event)],
    findings: &'a mut Findings,
}

impl SignedRound<'_> {
    fn find(&mut self, code: Code, place: impl Into<String>, text: impl Into<String>) {
        self.findings.add(code, place, text);
    }

    /// Every file must be in the log, and every file of the log must be here with the same bytes.
    ///
    /// True when a file that records events is withheld: the log has it, it is not here, and it is
    /// not public yet. A bundle's own list of withheld files cannot hide a public file.
    fn files(&mut self, reader: &Reader<'_>, proof: &mut RoundProof) -> bool {
        let mut told = Inventory::default();
        let mut shown = Shown::default();
        for (index, event) in self.events {
            if !told.add(&event.fact) {
                let text = "is an inventory, but the one before it is missing";
                let place = format!("log/leaf {index}");
                self.findings.add(Code::EventMissing, place, text);
            }
            shown.record |= matches!(event.fact, Fact::Accepted { .. });
            shown.result |= matches!(event.fact, Fact::Score { .. });
        }
        let salts = self.salts(&told);
        let mut withheld = 0;
        let mut hidden = false;
        for (path, sealed) in &told.bodies {
            let salt = salt_of(reader.owner, &salts, &self.name, path);
            let bytes = self.folder.read_optional(path);
            match (bytes, salt) {
                (Ok(None), _) if !shown.shows(path) && reader.withheld.contains(path) => {
                    withheld += 1;
                    hidden |= audience(path) != Audience::Private;
                }
                (Ok(None), _) => self.find(Code::LoggedFileMissing, path, "is missing"),
                (Err(error), _) => self.find(Code::LoggedFileMissing, path, error.problem()),
                (Ok(Some(bytes)), Some(salt)) if sealed.opens(&salt, &bytes) => proof.opened += 1,
                (Ok(Some(_)), Some(_)) => {
                    let text = "its bytes are not those that the log signed";
                    self.find(Code::LoggedFileDiffers, path, text);
                }
                (Ok(Some(_)), None) if shown.shows(path) => {
                    let text = format!(
                        "log/salts/{}.json has no salt for it; the next command that signs writes it",
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
                format!("{withheld} files are sealed in the log; they cannot be compared here");
            self.find(Code::BodyWithheld, layout::LOG, text);
        }
        // A folder that cannot be read has a finding of its own.
        let (files, _) = walk_all(self.folder.path());
        for path in files.into_iter().filter(|path| is_told(path)) {
            if !told.bodies.contains_key(&path) {
                let text = "is not in the log; sign it with `capitalbench hash-round`";
                self.find(Code::FileNotLogged, path, text);
            }
        }
        hidden
    }

    fn salts(&mut self, told: &Inventory) -> Salts {
        let place = format!("{}/{}.json", layout::LOG_SALTS, self.name);
        let missing = "is missing, so files cannot be compared with the log";
        let salts = self.state.log.salts(&self.name);
        let salts = salts.map_err(|error| error.problem());
        let salts = salts.and_then(|salts| salts.ok_or_else(|| missing.to_owned()));
        let salts = salts.unwrap_or_else(|problem| {
            self.find(Code::SaltMissing, &place, problem);
            Salts::new()
        });
        for path in salts.keys().filter(|path| !told.bodies.contains_key(*path)) {
            let text = format!("has a salt of {path}, which is not in the log");
            self.find(Code::SaltMissing, &place, text);
        }
        salts
    }

    /// The files must record the same events as the log.
    fn facts(&mut self) {
        let by = Observer {
            key: None,
            now: Timestamp::UNIX_EPOCH,
            program: "",
        };
        let derived = match round_events(self.folder, by) {
            Ok(derived) => derived,
            Err(error) => {
                let place = error.place_in(self.folder.path());
                return self.find(Code::EventContradictsFiles, place, error.problem());
            }
        };
        let identity = |event: &Event| event.identity().ok();
        let logged: BTreeMap<Hash, (u64, &Event)> = self
            .events
            .iter()
            .filter_map(|(index, event)| Some((identity(event)?, (*index, event))))
            .collect();
        let mut found = Findings::default();
        let mut told = BTreeSet::new();
        for event in &derived {
            let Some(own) = identity(event) else {
                continue;
            };
            told.insert(own);
            match logged.get(&own) {
                None => {
                    let event = words(&event.fact);
                    let text = format!("the files record {event}, but the log does not");
                    found.add(Code::EventMissing, layout::LOG, text);
                }
                Some((index, other)) if is_dated(&event.fact) && other.at != event.at => {
                    let text = format!(
                        "{} was at {} by the log and at {} by the files",
                        words(&event.fact),
                        other.at,
                        event.at
                    );
                    let place = format!("log/leaf {index}");
                    found.add(Code::EventContradictsFiles, place, text);
                }
                Some(_) => {}
            }
        }
        // Of prices, results and reports only the latest event must agree with the files.
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
                found.add(Code::EventContradictsFiles, place, text);
            }
        }
        self.findings.extend(found.0);
    }
}

/// Whether the files record the instant of this event.
fn is_dated(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::Slots { .. }
            | Fact::AttemptBegin { .. }
            | Fact::AttemptEnd { .. }
            | Fact::Repaired { .. }
            | Fact::Accepted { .. }
            | Fact::Pick { .. }
            | Fact::Ended { .. }
            | Fact::Explained { .. }
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
        Fact::Repaired { run, number, .. } => format!("{name} {number} of {run}"),
        Fact::Pick { run, file, .. } => format!("{name} {file} of {run}"),
        Fact::Correction { run, number, .. } => {
            let of = run.as_deref().unwrap_or("the prices");
            format!("{name} {number} of {of}")
        }
        Fact::EntryPrices { session, .. } | Fact::ExitPrices { session, .. } => {
            format!("{name} of {session}")
        }
        Fact::Claim { statement, .. } => format!("{name} {statement:?}"),
        Fact::Registered(own) => format!("{name} {}", own.claim),
        Fact::Explained { number, .. } => format!("{name} {number}"),
        Fact::Entrant { entrant, .. } => format!("{name} {entrant}"),
        Fact::EntrySealed {
            entrant, for_round, ..
        }
        | Fact::EntryOpened {
            entrant, for_round, ..
        }
        | Fact::AgentAsked {
            entrant, for_round, ..
        }
        | Fact::AgentAnswered {
            entrant, for_round, ..
        } => format!("{name} of {entrant} for {for_round}"),
        Fact::Ended { .. }
        | Fact::Freeze { .. }
        | Fact::Methodology { .. }
        | Fact::Inventory { .. } => name.to_owned(),
    }
}
