//! Checks that the ledger holds only words, names and numbers that this program writes.
//!
//! Anything else was edited or comes from another version. Guessing its meaning could call a model
//! again and pay twice, so reading stops with an error.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::asking::attempt::{Reason, Slot};
use capitalbench_core::asking::call_settings::{Asked, SchemaMode};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::values::ids::Digest;
use serde::de::DeserializeOwned;

use super::{AnswerHead, Begun, Ended, RunPlan, stamp};
use crate::disk::error::{Fault, FileError};
use crate::disk::layout::run;
use crate::format::text::json;
use crate::round::round_folder::entries_in;
use crate::run::run_folder::RunFolder;

/// What every refusal ends with.
const REMEDY: &str = "restore the file that the program wrote; until then no model is called";

/// The endings of an attempt's files.
const ENDINGS: [&str; 4] = ["begun.json", "head.json", "answer", "ended.json"];

/// A file of an attempt that checks its own content.
pub trait AttemptFile: DeserializeOwned {
    /// Refuses what this program never writes.
    fn check(&self) -> Result<(), Fault>;
}

/// Reads a file of an attempt: [`Begun`], [`AnswerHead`] or [`Ended`].
pub fn parse_record<T: AttemptFile>(bytes: &[u8]) -> Result<T, Fault> {
    let record: T = json::read(bytes).map_err(|fault| Fault {
        problem: format!("{}; {REMEDY}", fault.problem),
        ..fault
    })?;
    record.check()?;
    Ok(record)
}

impl AttemptFile for Begun {
    fn check(&self) -> Result<(), Fault> {
        digest("input_sha256", &self.input_sha256)?;
        instant("started_at_utc", &self.started_at_utc)?;
        self.asked.as_ref().map_or(Ok(()), check_asked)
    }
}

/// Refuses a record of a request that this program never writes.
fn check_asked(asked: &Asked) -> Result<(), Fault> {
    digest("asked.body_sha256", &asked.body_sha256)?;
    if asked.api_model_name.trim().is_empty() {
        return Err(refused("asked.api_model_name", "is blank"));
    }
    if SchemaMode::parse(&asked.schema_mode).is_none() {
        let text = format!("must be full, json or none, not {:?}", asked.schema_mode);
        return Err(refused("asked.schema_mode", &text));
    }
    let is_wrong = |number: f64| !(number.is_finite() && number >= 0.0);
    if asked.temperature.is_some_and(is_wrong) {
        return Err(refused("asked.temperature", "is not a temperature"));
    }
    if is_wrong(asked.time_limit_seconds) {
        return Err(refused("asked.time_limit_seconds", "is not a time"));
    }
    Ok(())
}

impl AttemptFile for AnswerHead {
    fn check(&self) -> Result<(), Fault> {
        digest("sha256", &self.sha256)?;
        instant("received_at_utc", &self.received_at_utc)
    }
}

impl AttemptFile for Ended {
    fn check(&self) -> Result<(), Fault> {
        instant("ended_at_utc", &self.ended_at_utc)?;
        self.check_money()?;
        if !["valid", "invalid", "failed"].contains(&self.status.as_str()) {
            let text = format!("must be valid, invalid or failed, not {:?}", self.status);
            return Err(refused("status", &text));
        }
        match (self.status.as_str(), self.reason.as_deref()) {
            ("valid", None) => Ok(()),
            ("valid", Some(_)) => Err(refused("reason", "must not be given for a valid answer")),
            (_, None) => {
                let text = "is missing, although there is no valid answer";
                Err(refused("reason", text))
            }
            (_, Some(word)) if Reason::parse(word).is_some() => Ok(()),
            (_, Some(word)) => {
                let text = format!("is {word:?}, which this program does not know");
                Err(refused("reason", &text))
            }
        }
    }
}

impl Ended {
    /// The cost that counts is what the provider says it billed, else the card's figure.
    fn check_money(&self) -> Result<(), Fault> {
        let amounts = [
            ("cost_usd", self.cost_usd),
            ("billed_usd", self.billed_usd),
            ("card_usd", self.card_usd),
        ];
        for (field, usd) in amounts {
            if usd.is_some_and(|usd| Cost::from_usd(usd).is_none()) {
                return Err(refused(field, "is not an amount of money"));
            }
        }
        // Older versions kept the card's figure as the cost and nowhere else.
        match self.billed_usd.or(self.card_usd) {
            Some(usd) if self.cost_usd != Some(usd) => {
                let text = "is neither what was billed nor what the card says";
                Err(refused("cost_usd", text))
            }
            _ => Ok(()),
        }
    }
}

impl Begun {
    /// Refuses a file whose content names another attempt than its file name.
    pub(super) fn require_own(&self, slot: &Slot, attempt: u32) -> Result<(), Fault> {
        let told = [
            ("model_id", self.model_id == slot.model_id.as_str()),
            ("replicate_index", self.replicate_index == slot.replicate),
            ("attempt", self.attempt == attempt),
        ];
        match told.into_iter().find(|(_, same)| !same) {
            Some((field, _)) => Err(refused(field, "does not match the name of the file")),
            None => Ok(()),
        }
    }
}

/// Refuses a folder of attempts with a file that belongs to no slot, or with a gap between attempts:
/// a missed attempt would be made a second time.
pub(super) fn require_known_files(folder: &RunFolder, plan: &RunPlan) -> Result<(), FileError> {
    let place = folder.file(run::ATTEMPTS);
    let stems = plan.slots.iter();
    let stems = stems.map(|planned| planned.slot.stem(plan.rules.replicates));
    let stems: BTreeSet<String> = stems.collect();
    let mut found: BTreeMap<(String, u32), BTreeSet<&'static str>> = BTreeMap::new();
    for (name, _) in entries_in(&place)? {
        let known = parts(&name).filter(|(stem, ..)| stems.contains(*stem));
        let Some((stem, attempt, ending)) = known else {
            let text = format!(
                "belongs to no slot of {}; move it out of the folder; until then no model is called",
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
            let text = format!("is missing, although a later file of the slot exists; {REMEDY}");
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

/// Refuses a plan whose slots share files or have a replicate out of range.
pub(super) fn check_plan(plan: &RunPlan) -> Result<(), Fault> {
    plan.refuse_shared_stems()
        .map_err(|problem| refused("slots", &problem))?;
    let replicates = plan.rules.replicates;
    let outside = |slot: &Slot| slot.replicate == 0 || slot.replicate > replicates;
    let mut slots = plan.slots.iter().map(|planned| &planned.slot);
    let Some(slot) = slots.find(|slot| outside(slot)) else {
        return Ok(());
    };
    let (model_id, replicate) = (&slot.model_id, slot.replicate);
    let text = format!("name replicate {replicate} of {model_id}, but the run has {replicates}");
    Err(refused("slots", &text))
}

fn refused(field: &str, problem: &str) -> Fault {
    Fault::field(field, format!("{problem}; {REMEDY}"))
}

fn instant(field: &str, text: &str) -> Result<(), Fault> {
    stamp(field, text).map(|_| ())
}

fn digest(field: &str, text: &str) -> Result<(), Fault> {
    let found = Digest::parse(text).map(|_| ());
    found.ok_or_else(|| refused(field, "is not a digest"))
}
