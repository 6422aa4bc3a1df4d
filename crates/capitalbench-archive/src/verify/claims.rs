//! Registered claims: their entries, their files, and their figures computed again.

use capitalbench_core::evidence::claims::record::{ClaimRecord, LeftOut, admit};
use capitalbench_core::evidence::claims::terms::{Refusal, Terms};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::finding::Code;
use super::log_state::LogState;
use crate::disk::layout;
use crate::log::claims::{FileState, Registered, claim_file};
use crate::public::claims::claims;

/// Checks the claims of a log; with all rounds here, also what they show by now.
pub(super) fn check(log: &mut LogState, all_rounds: Option<Timestamp>) {
    // The check of the whole log has reported what cannot be read.
    let Ok(registered) = log.log.registered_claims() else {
        return;
    };
    check_files(log, &registered);
    let mut told = Vec::new();
    for own in registered {
        match own.terms {
            Ok(terms) => {
                check_time(log, own.leaf, &terms);
                told.push((own.leaf, terms));
            }
            Err(problem) => log.find(Code::ClaimInvalid, leaf(own.leaf), problem),
        }
    }
    let (_, refused) = admit(told);
    for own in refused {
        let code = match own.why {
            Refusal::Late { .. } => Code::ClaimLate,
            _ => Code::ClaimInvalid,
        };
        let text = format!("{} {}", own.terms.claim, own.why);
        log.find(code, leaf(own.leaf), text);
    }
    let Some(now) = all_rounds else { return };
    match claims(log.log.rounds(), now) {
        Ok(found) => {
            for claim in &found {
                check_rounds(log, claim);
            }
            log.report.claims = found;
        }
        Err(error) => {
            let text = format!("the claims cannot be computed: {error}");
            log.find(Code::UnreadableFile, layout::LOG_CLAIMS, text);
        }
    }
}

fn leaf(index: u64) -> String {
    format!("log/leaf {index}")
}

fn check_files(log: &mut LogState, registered: &[Registered]) {
    for own in registered {
        let place = claim_file(&own.name);
        match own.file {
            FileState::Same => {}
            FileState::Edited => {
                let text = format!("is not what leaf {} of the log has", own.leaf);
                log.find(Code::ClaimEdited, place, text);
            }
            FileState::Missing => {
                let text = format!("is gone, but leaf {} of the log has the claim", own.leaf);
                log.find(Code::ClaimMissing, place, text);
            }
        }
    }
    for name in log.log.unsigned_claims(registered).unwrap_or_default() {
        let place = format!("{}/{name}", layout::LOG_CLAIMS);
        let text = "no entry of the log names it; remove it, or register the claim with \
                    `capitalbench claim register`";
        log.find(Code::ClaimUnsigned, place, text);
    }
}

/// The order of the log and outside clocks must not contradict the instant of an entry.
fn check_time(log: &mut LogState, index: u64, terms: &Terms) {
    let (claim, first_day) = (&terms.claim, terms.first_day);
    let day = |at: Timestamp| -> Date { at.to_zoned(TimeZone::UTC).date() };
    if day(terms.registered_at) >= first_day {
        return;
    }
    if let Some(latest) = log
        .latest_before(index)
        .filter(|own| day(*own) >= first_day)
    {
        let text = format!(
            "{claim} says that it was registered at {}, but an entry before it says {latest}, which is \
             not before its first day {first_day}",
            terms.registered_at
        );
        return log.find(Code::ClaimLate, leaf(index), text);
    }
    if log
        .seen_before(index)
        .is_none_or(|before| day(before) >= first_day)
    {
        let text = format!("no outside clock saw the entry of {claim} before {first_day}");
        log.find(Code::ClaimTimeUnproved, leaf(index), text);
    }
}

fn check_rounds(log: &mut LogState, claim: &ClaimRecord) {
    for (round, why) in &claim.left_out {
        if !matches!(why, LeftOut::NoAnswer(_)) {
            let text = format!("does not count for {}: {}", claim.terms.claim, why.text());
            log.find(Code::ClaimRoundUnproved, round.as_str(), text);
        }
    }
}
