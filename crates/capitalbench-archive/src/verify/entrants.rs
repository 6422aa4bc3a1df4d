//! Entrants: their leaves, their files and the instants of their entries.

use capitalbench_core::decision::entering::admission::Refusal;
use capitalbench_core::decision::entering::times::Times;
use capitalbench_proof::event::Fact;

use super::finding::Code;
use super::log_state::LogState;
use crate::disk::layout;
use crate::entering::receipt::Receipt;
use crate::entering::terms::terms_in;
use crate::log::entrants::{Broken, EntrantLog};
use crate::round::round_folder::read_file;

/// Checks everything that the log holds of entrants; only where the whole folder is here.
pub(super) fn check(log: &mut LogState) {
    // The check of the whole log has reported what cannot be read.
    let Ok(told) = log.log.entrants() else {
        return;
    };
    for own in &told.problems {
        let leaf = own.leaf;
        match &own.why {
            Broken::Missing => {
                let text = format!("is gone, but leaf {leaf} of the log has it");
                log.find(Code::EntryMissing, &own.file, text);
            }
            Broken::Edited => {
                let text = format!("is not what leaf {leaf} of the log has");
                log.find(Code::EntryEdited, &own.file, text);
            }
            Broken::Refused(refusal) => {
                let code = match refusal {
                    Refusal::Late { .. } | Refusal::Early { .. } => Code::EntryOutOfTime,
                    _ => Code::EntryInvalid,
                };
                log.find(
                    code,
                    format!("log/leaf {leaf}"),
                    format!("{} {refusal}", own.file),
                );
            }
        }
    }
    for path in log.log.unsigned_entries(&told).unwrap_or_default() {
        let text = "no leaf of the log names it; remove it, or deliver it again in its time";
        log.find(Code::EntryUnsigned, path, text);
    }
    check_times(log, &told);
    check_receipts(log);
}

/// The order of the log and outside clocks must not contradict the instant of an entry.
fn check_times(log: &mut LogState, told: &EntrantLog) {
    let mut slots = Vec::new();
    for round in told.register.rounds() {
        let Ok(Some(terms)) = terms_in(log.log.rounds(), round) else {
            continue;
        };
        let Times {
            deadline, closes, ..
        } = terms.times;
        for (key, slot) in told.register.slots_of(round) {
            slots.push((key.name().to_owned(), round.clone(), slot.sealed, deadline));
            let opened = slot
                .opened
                .map(|place| (key.name().to_owned(), round.clone(), place, closes));
            slots.extend(opened);
        }
    }
    for (key, round, place, end) in slots {
        let leaf = place.leaf;
        if let Some(latest) = log.latest_before(leaf).filter(|latest| *latest >= end) {
            let text = format!(
                "{key} of {round} says {}, but a leaf before it says {latest}, which is not before {end}",
                place.at
            );
            log.find(Code::EntryOutOfTime, format!("log/leaf {leaf}"), text);
        } else if log.seen_before(leaf).is_none_or(|before| before >= end) {
            let text = format!("no outside clock saw the entry of {key} for {round} before {end}");
            log.find(Code::EntryTimeUnproved, format!("log/leaf {leaf}"), text);
        }
    }
}

/// A receipt must hold for its leaf.
fn check_receipts(log: &mut LogState) {
    let Ok(Some(key)) = log.log.verifier() else {
        return;
    };
    let rounds = log.log.rounds().to_owned();
    for (leaf, event) in log.events(layout::ENTRIES) {
        let (Fact::Entrant { files, .. }
        | Fact::EntrySealed { files, .. }
        | Fact::EntryOpened { files, .. }) = &event.fact
        else {
            continue;
        };
        for file in files.keys() {
            let place = format!("{file}.receipt");
            let found = read_file(&rounds.join(&place)).ok().flatten();
            let problem = match found.map(|bytes| Receipt::open(&bytes, &key)) {
                Some(Ok(receipt)) if receipt.leaf == leaf => continue,
                Some(Ok(receipt)) => format!("is of leaf {}, not of {leaf}", receipt.leaf),
                Some(Err(fault)) => fault.to_string(),
                None => format!("is missing, although leaf {leaf} is in the log"),
            };
            log.find(Code::ReceiptInvalid, place, problem);
        }
    }
}
