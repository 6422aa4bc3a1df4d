//! What the ledger may say: words, names and numbers that this program knows.
//!
//! A record that says something else was edited or comes from another version. Whoever guessed its
//! meaning might ask a model again and pay twice, so reading it stops with a sentence.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::attempt::{Reason, Slot};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::values::ids::Digest;
use serde::de::DeserializeOwned;

use super::{AnswerHead, Begun, Ended, RunPlan, stamp};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::round::round_folder::entries_in;
use crate::run::run_folder::RunFolder;

/// What follows every refusal: nobody is asked until the ledger is what it was.
const REMEDY: &str = "nobody is asked before the file is again what the program wrote";

/// The endings of an attempt's files.
const ENDINGS: [&str; 4] = ["begun.json", "head.json", "answer", "ended.json"];

/// A record of an attempt that checks its own words.
pub trait Record: DeserializeOwned {
    /// Refuses what this program never writes.
    fn check(&self) -> Result<(), Fault>;
}

/// Reads a record of an attempt: [`Begun`], [`AnswerHead`] or [`Ended`].
pub fn parse_record<T: Record>(bytes: &[u8]) -> Result<T, Fault> {
    let value = json::parse(bytes)?;
    let record: T =
        serde_json::from_value(value).map_err(|error| Fault::new(format!("{error}; {REMEDY}")))?;
    record.check()?;
    Ok(record)
}

impl Record for Begun {
    fn check(&self) -> Result<(), Fault> {
        digest("input_sha256", &self.input_sha256)?;
        instant("started_at_utc", &self.started_at_utc)
    }
}

impl Record for AnswerHead {
    fn check(&self) -> Result<(), Fault> {
        digest("sha256", &self.sha256)?;
        instant("received_at_utc", &self.received_at_utc)
    }
}

impl Record for Ended {
    fn check(&self) -> Result<(), Fault> {
        instant("ended_at_utc", &self.ended_at_utc)?;
        if self
            .cost_usd
            .is_some_and(|usd| Cost::from_usd(usd).is_none())
        {
            return Err(refused("cost_usd", "is no sum of money"));
        }
        if !["valid", "invalid", "failed"].contains(&self.status.as_str()) {
            let text = format!("is {:?}, not valid, invalid or failed", self.status);
            return Err(refused("status", &text));
        }
        match (self.status.as_str(), self.reason.as_deref()) {
            ("valid", None) => Ok(()),
            ("valid", Some(_)) => Err(refused("reason", "is given although the answer is valid")),
            (_, None) => Err(refused(
                "reason",
                "is missing although there is no decision",
            )),
            (_, Some(word)) if Reason::parse(word).is_some() => Ok(()),
            (_, Some(word)) => {
                let text = format!("is {word:?}, which this program does not know");
                Err(refused("reason", &text))
            }
        }
    }
}

impl Begun {
    /// Refuses a record of another attempt than the one its name says.
    pub(super) fn require_own(&self, slot: &Slot, attempt: u32) -> Result<(), Fault> {
        let told = [
            ("model_id", self.model_id == slot.model_id.as_str()),
            ("replicate_index", self.replicate_index == slot.replicate),
            ("attempt", self.attempt == attempt),
        ];
        match told.into_iter().find(|(_, same)| !same) {
            Some((field, _)) => Err(refused(field, "is not what the file's name says")),
            None => Ok(()),
        }
    }
}

/// Refuses a folder of attempts that holds a file of no slot, or leaves out an attempt between two:
/// an attempt that is not seen would be made a second time.
pub(super) fn require_known_files(folder: &RunFolder, plan: &RunPlan) -> Result<(), FileError> {
    let place = folder.file(run::ATTEMPTS);
    let stems: BTreeSet<String> = plan
        .slots
        .iter()
        .map(|planned| planned.slot.stem(plan.rules.replicates))
        .collect();
    let mut found: BTreeMap<(String, u32), BTreeSet<&'static str>> = BTreeMap::new();
    for (name, _) in entries_in(&place)? {
        let known = parts(&name).filter(|(stem, ..)| stems.contains(*stem));
        let Some((stem, attempt, ending)) = known else {
            let text = format!(
                "belongs to no slot of {}; move it out of the ledger, or {REMEDY}",
                run::SLOTS
            );
            return Err(Fault::new(text).in_file(&place.join(name)));
        };
        let key = (stem.to_owned(), attempt);
        found.entry(key).or_default().insert(ending);
    }
    for ((stem, attempt), endings) in &found {
        let at = |number: u32, ending: &str| place.join(format!("{stem}__{number:03}.{ending}"));
        let missing = |number: u32, ending: &'static str| {
            let text = format!("is missing, but a later file of the slot is there; {REMEDY}");
            Err(Fault::new(text).in_file(&at(number, ending)))
        };
        if !endings.contains("begun.json") {
            return missing(*attempt, "begun.json");
        }
        if endings.contains("answer") && !endings.contains("head.json") {
            return missing(*attempt, "head.json");
        }
        if *attempt > 1 && !found.contains_key(&(stem.clone(), attempt - 1)) {
            return missing(attempt - 1, "begun.json");
        }
    }
    Ok(())
}

/// Stem, number and ending of an attempt's file.
fn parts(name: &str) -> Option<(&str, u32, &'static str)> {
    let ending = ENDINGS.into_iter().find(|ending| {
        let rest = name.strip_suffix(ending);
        rest.is_some_and(|rest| rest.ends_with('.'))
    })?;
    let rest = name.strip_suffix(ending)?.strip_suffix('.')?;
    let (stem, digits) = rest.rsplit_once("__")?;
    let number: u32 = digits.parse().ok().filter(|number| *number > 0)?;
    (format!("{number:03}") == digits).then_some((stem, number, ending))
}

/// Refuses a plan whose slots cannot all be asked once under their own names.
pub(super) fn check_plan(plan: &RunPlan) -> Result<(), Fault> {
    plan.refuse_shared_stems()
        .map_err(|problem| refused("slots", &problem))?;
    let replicates = plan.rules.replicates;
    let outside = |slot: &Slot| slot.replicate == 0 || slot.replicate > replicates;
    match plan.slots.iter().find(|planned| outside(&planned.slot)) {
        Some(planned) => {
            let Slot {
                model_id,
                replicate,
            } = &planned.slot;
            let text = format!("name replicate {replicate} of {model_id}, of {replicates}");
            Err(refused("slots", &text))
        }
        None => Ok(()),
    }
}

fn refused(field: &str, problem: &str) -> Fault {
    Fault::field(field, format!("{problem}; {REMEDY}"))
}

fn instant(field: &str, text: &str) -> Result<(), Fault> {
    stamp(field, text).map(|_| ())
}

fn digest(field: &str, text: &str) -> Result<(), Fault> {
    match Digest::parse(text) {
        Some(_) => Ok(()),
        None => Err(refused(field, "is not a digest")),
    }
}
