//! The events of a round, derived from its files.
//!
//! After a crash the next process derives them again and finds which ones the log lacks.

use capitalbench_core::asking::attempt::Slot;
use capitalbench_core::asking::run::Calls;
use capitalbench_core::values::ids::{Digest, ModelId};
use capitalbench_core::values::time::WrittenInstant;
use capitalbench_proof::event::{Event, Fact, Files, Instant, Place, Sealed};
use capitalbench_proof::merkle::{Hash, sha256};
use jiff::Timestamp;

use super::ending_events::ending_events;
use super::repair_events::repair_events;
use super::{LogKey, instant};
use crate::disk::error::{Fault, FileError};
use crate::disk::file_ops;
use crate::disk::layout::{self, run as files};
use crate::format::{prices::provenance, round::manifest, run::acceptance};
use crate::results::corrections::{self, CorrectionLine, RESULT_FILES};
use crate::round::freeze;
use crate::round::round_folder::RoundFolder;
use crate::run::ledger::{self, Begun, Ended, RunPlan};
use crate::run::run_folder::RunFolder;

/// The program that derives events: with which key, and when.
#[derive(Debug, Clone, Copy)]
pub struct Observer<'a> {
    /// Seals the digests of private files; without it the seals are placeholders.
    pub key: Option<&'a LogKey>,
    /// The instant of facts whose files do not record one.
    pub now: Timestamp,
    /// Name and version of the program.
    pub program: &'a str,
}

impl Observer<'_> {
    pub(super) fn seal(&self, round: &str, path: &str, bytes: &[u8]) -> Sealed {
        match self.key {
            Some(key) => key.seal(round, path, bytes),
            None => Sealed::new(&[0; 32], bytes),
        }
    }
}

/// One attempt in the ledger of a run.
#[derive(Debug, Clone, Copy)]
pub struct LedgerAttempt<'a> {
    pub run: &'a RunFolder,
    pub plan: &'a RunPlan,
    pub slot: &'a Slot,
    /// Counted from 1.
    pub attempt: u32,
}

/// All events that the files of a round record, in the order in which they must have happened.
pub fn round_events(round: &RoundFolder, by: Observer<'_>) -> Result<Vec<Event>, FileError> {
    let files = RoundFiles::new(round, by);
    let mut events = files.frozen()?;
    let runs = round.run_ids()?;
    let runs: Result<Vec<RunFolder>, _> = runs.iter().map(|id| round.run(id)).collect();
    let runs = runs?;
    for run in &runs {
        events.extend(files.asked(run)?);
    }
    for run in &runs {
        events.extend(files.accepted(run)?);
    }
    events.extend(ending_events(&files, round)?);
    events.extend(files.priced()?);
    for run in &runs {
        events.extend(files.scored(run)?);
    }
    Ok(events)
}

/// The events of one attempt: its beginning, and its end where it has one.
pub fn attempt_events(
    round: &RoundFolder,
    attempt: &LedgerAttempt<'_>,
    by: Observer<'_>,
) -> Result<Vec<Event>, FileError> {
    RoundFiles::new(round, by).attempt(attempt)
}

/// A round whose events are derived.
pub(super) struct RoundFiles<'a> {
    round: &'a RoundFolder,
    name: String,
    by: Observer<'a>,
}

impl<'a> RoundFiles<'a> {
    fn new(round: &'a RoundFolder, by: Observer<'a>) -> Self {
        let name = round.name();
        Self { round, name, by }
    }

    pub(super) fn event(&self, at: Timestamp, fact: Fact) -> Result<Event, FileError> {
        let text = at.to_string();
        let at = Instant::parse(&text).ok_or_else(|| {
            let problem = format!("{text} is out of range for the log");
            FileError::folder(self.round.path(), problem)
        })?;
        Ok(Event {
            round: self.name.clone(),
            at,
            fact,
        })
    }

    fn frozen(&self) -> Result<Vec<Event>, FileError> {
        let Some(stored) = freeze::stored_digests(self.round)? else {
            return Ok(Vec::new());
        };
        let manifest = self.round.parse(layout::MANIFEST, manifest::parse)?;
        let deadline = manifest.decision_deadline.as_ref().map(WrittenInstant::at);
        let roster = manifest.roster.map(|roster| roster.model_ids);
        let label = manifest.methodology.label().unwrap_or("unnamed").to_owned();
        let freeze = Fact::Freeze {
            inputs: hashes(stored),
            deadline: deadline.and_then(|at| Instant::parse(&at.to_string())),
            roster: roster.iter().flatten().map(ModelId::to_string).collect(),
        };
        let methodology = Fact::Methodology {
            label,
            program: self.by.program.to_owned(),
        };
        let now = self.by.now;
        Ok(vec![
            self.event(now, freeze)?,
            self.event(now, methodology)?,
        ])
    }

    fn asked(&self, run: &RunFolder) -> Result<Vec<Event>, FileError> {
        let Some(plan) = RunPlan::of_run(run)? else {
            return Ok(Vec::new());
        };
        let models = plan.model_ids().into_iter().map(str::to_owned).collect();
        let slots = Fact::Slots {
            run: run.run_id().to_string(),
            kind: plan.rules.kind.as_str().to_owned(),
            calls: match plan.calls {
                Calls::Real => "real",
                Calls::Mock => "mock",
                Calls::Synthetic => "synthetic",
                Calls::Unknown => "unknown",
            }
            .to_owned(),
            models,
            replicates: plan.rules.replicates,
            max_retries: plan.max_retries,
            plan: sha256(&file_ops::read(&run.file(files::SLOTS))?),
        };
        let mut events = vec![self.event(plan.created_at.at(), slots)?];
        for planned in &plan.slots {
            for attempt in 1.. {
                let found = self.attempt(&LedgerAttempt {
                    run,
                    plan: &plan,
                    slot: &planned.slot,
                    attempt,
                })?;
                if found.is_empty() {
                    break;
                }
                events.extend(found);
            }
        }
        let repairs = repair_events(self, run, &plan)?;
        if !repairs.is_empty() {
            // A repair stands between the attempts before it and those after it.
            events.extend(repairs);
            events.sort_by_key(instant);
        }
        Ok(events)
    }

    fn attempt(&self, own: &LedgerAttempt<'_>) -> Result<Vec<Event>, FileError> {
        let LedgerAttempt {
            run,
            plan,
            slot,
            attempt,
        } = *own;
        let path = |ending: &str| ledger::attempt_path(plan, slot, attempt, ending);
        let place = Place {
            run: run.run_id().to_string(),
            model: slot.model_id.to_string(),
            replicate: slot.replicate,
        };
        let file = path("begun.json");
        let begun = run.parse_optional(&file, |bytes| {
            let begun: Begun = ledger::parse_record(bytes)?;
            let input = Hash::parse_hex(&begun.input_sha256);
            let leaving = Fact::AttemptBegin {
                place: place.clone(),
                attempt,
                input: input.ok_or_else(|| Fault::field("input_sha256", "is not a digest"))?,
                record: self.seal(run, &file, bytes),
            };
            let at = ledger::stamp("started_at_utc", &begun.started_at_utc)?;
            Ok((at, leaving))
        })?;
        if begun.is_none() {
            return Ok(Vec::new());
        }
        let answer_path = path("answer");
        let answer = run.read_optional(&answer_path)?;
        let file = path("ended.json");
        let ended = run.parse_optional(&file, |bytes| {
            let ended: Ended = ledger::parse_record(bytes)?;
            let end = Fact::AttemptEnd {
                place,
                attempt,
                status: ended.status,
                reason: ended.reason,
                answer: answer.map(|answer| self.seal(run, &answer_path, &answer)),
                record: self.seal(run, &file, bytes),
            };
            Ok((ledger::stamp("ended_at_utc", &ended.ended_at_utc)?, end))
        })?;
        let told = begun.into_iter().chain(ended);
        told.map(|(at, fact)| self.event(at.at(), fact)).collect()
    }

    /// Seals a file of the round that lies in no run.
    pub(super) fn seal_file(&self, path: &str, bytes: &[u8]) -> Sealed {
        self.by.seal(&self.name, path, bytes)
    }

    pub(super) fn seal(&self, run: &RunFolder, path: &str, bytes: &[u8]) -> Sealed {
        self.by.seal(&self.name, &run.place(path), bytes)
    }

    fn accepted(&self, run: &RunFolder) -> Result<Vec<Event>, FileError> {
        let stored = run.parse_optional(files::ACCEPTANCE, |bytes| {
            Ok((
                acceptance::parse(bytes)?,
                self.seal(run, files::ACCEPTANCE, bytes),
            ))
        })?;
        let Some((acceptance, record)) = stored else {
            return Ok(Vec::new());
        };
        let at = acceptance.accepted_at.at();
        let accepted = Fact::Accepted {
            run: run.run_id().to_string(),
            submissions: acceptance.submissions.len() as u64,
            supersedes: acceptance.supersedes.map(|run| run.to_string()),
            record,
        };
        let mut events = vec![self.event(at, accepted)?];
        for (path, digest) in acceptance.submissions {
            let bytes = file_ops::read(&run.file(&path))?;
            if Digest::of(&bytes) != digest {
                let text = "changed after it was accepted";
                return Err(Fault::new(text).in_file(&run.file(&path)));
            }
            let pick = Fact::Pick {
                run: run.run_id().to_string(),
                submission: self.seal(run, &path, &bytes),
                file: path,
            };
            events.push(self.event(at, pick)?);
        }
        Ok(events)
    }

    fn priced(&self) -> Result<Vec<Event>, FileError> {
        let record = self
            .round
            .parse_optional(layout::PROVENANCE, provenance::parse)?;
        let manifest = self.round.parse(layout::MANIFEST, manifest::parse)?;
        let answers = record.iter().flat_map(|record| &record.answers);
        let fetched = answers.map(|answer| answer.fetched_at).max();
        let at = fetched.unwrap_or(self.by.now);
        let days = record
            .map(|record| (record.from, record.to))
            .or(manifest.window.map(|window| (window.entry, window.exit)));
        let (entry, exit) = match days {
            Some((entry, exit)) => (entry.to_string(), exit.to_string()),
            None => ("unnamed".to_owned(), "unnamed".to_owned()),
        };
        let mut events = Vec::new();
        for (number, entry) in (1..).zip(corrections::of_prices(self.round)?) {
            events.push(self.correction(None, number, entry)?);
        }
        let of_round = |paths: &[&str]| present(paths, |path| self.round.read_optional(path));
        let files = of_round(&[layout::ENTRY_PRICES, layout::PROVENANCE])?;
        if files.contains_key(layout::ENTRY_PRICES) {
            let session = entry;
            events.push(self.event(at, Fact::EntryPrices { session, files })?);
        }
        let files = of_round(&[
            layout::EXIT_PRICES,
            layout::PROVENANCE,
            layout::PRICE_WINDOW,
            layout::CROSS_CHECK,
        ])?;
        if files.contains_key(layout::EXIT_PRICES) {
            let session = exit;
            events.push(self.event(at, Fact::ExitPrices { session, files })?);
        }
        Ok(events)
    }

    fn correction(
        &self,
        run: Option<String>,
        number: u64,
        entry: CorrectionLine,
    ) -> Result<Event, FileError> {
        let (old, new) = entry.digests();
        let correction = Fact::Correction {
            run,
            number,
            reason: entry.reason,
            replaced: hashes(old),
            results: hashes(new),
        };
        self.event(entry.at.at(), correction)
    }

    fn scored(&self, run: &RunFolder) -> Result<Vec<Event>, FileError> {
        let of_run = |paths: &[&str]| present(paths, |path| run.read_optional(path));
        let mut events = Vec::new();
        for (number, entry) in (1..).zip(corrections::of_run(run)?) {
            let run = Some(run.run_id().to_string());
            events.push(self.correction(run, number, entry)?);
        }
        let results = of_run(&RESULT_FILES)?;
        if results.contains_key(files::OUTCOMES) {
            let run = run.run_id().to_string();
            let score = Fact::Score { run, results };
            events.push(self.event(self.by.now, score)?);
        }
        let report = of_run(&[files::REPORT, files::CHART])?;
        if report.contains_key(files::REPORT) {
            let claim = Fact::Claim {
                statement: format!("report of {}", run.run_id()),
                files: report,
            };
            events.push(self.event(self.by.now, claim)?);
        }
        Ok(events)
    }
}

/// Hashes of those of the files that exist.
fn present(
    paths: &[&str],
    read: impl Fn(&str) -> Result<Option<Vec<u8>>, FileError>,
) -> Result<Files, FileError> {
    let mut found = Files::new();
    for path in paths {
        if let Some(bytes) = read(path)? {
            found.insert((*path).to_owned(), sha256(&bytes));
        }
    }
    Ok(found)
}

fn hashes(digests: impl IntoIterator<Item = (String, Digest)>) -> Files {
    let hash = |(path, digest): (String, Digest)| (path, Hash::new(digest.bytes()));
    digests.into_iter().map(hash).collect()
}
