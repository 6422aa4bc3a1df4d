//! Does a run follow from its answers? Answer → reply → raw submission → parsed file → acceptance.
//!
//! `verify` reports what does not follow; scoring and publishing refuse it.

use std::collections::BTreeSet;

use capitalbench_core::asking::acceptance::Acceptance;
use capitalbench_core::asking::missing_answer::MissingAnswer;
use capitalbench_core::values::ids::Digest;
use capitalbench_core::values::time::WrittenInstant;

use super::finding::{Code, Findings};
use super::{RunState, unreadable};
use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::format::run::submission;
use crate::results::scoring::ScoringError;
use crate::round::round_folder::{RoundInputs, names_in};
use crate::run::acceptance::submission_digests;
use crate::run::ledger::derive::{raw_submission, text_of};
use crate::run::ledger::{
    AnswerHead, AttemptRecord, Begun, Ended, OTHER_ANSWER, PlannedSlot, RunPlan, attempt_path,
    attempts_of, parse_record,
};
use crate::run::missing_answers::{missing_answers, raw_files};
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, validate_run};

mod answer;

use answer::{again, hidden_decision, unfounded};

/// A run, with everything needed to derive it again.
#[derive(Clone, Copy)]
pub(crate) struct DerivedRun<'a> {
    pub(crate) inputs: &'a RoundInputs,
    pub(crate) folder: &'a RunFolder,
    /// Its raw files, validated again.
    pub(crate) checked: &'a [Checked],
    pub(crate) acceptance: Option<&'a Acceptance>,
    /// Whether every file that follows from the ledger must be there.
    pub(crate) finished: bool,
}

impl<'a> DerivedRun<'a> {
    /// The run of a round that is being verified.
    pub(super) fn of(state: &'a RunState, inputs: &'a RoundInputs) -> Self {
        let own = &state.record.run;
        Self {
            inputs,
            folder: &state.folder,
            checked: &state.checked,
            acceptance: own.acceptance.as_ref(),
            finished: own.completed_at.is_some() || own.eligible || own.acceptance.is_some(),
        }
    }

    fn place(&self, relative: &str) -> String {
        self.folder.place(relative)
    }

    /// Reports every file of the run that does not follow from the one before it.
    pub(super) fn check(&self, findings: &mut Findings) {
        self.answers(findings);
        self.raw_files(findings);
        self.parsed_files(findings);
        self.accepted(findings);
    }

    /// Files of the ledger must have the content that the program writes, and answers the digest in
    /// their head; a head without its answer is not checked.
    fn answers(&self, findings: &mut Findings) {
        let names = names_in(&self.folder.file(run::ATTEMPTS)).unwrap_or_default();
        for name in names {
            let place = format!("{}/{name}", run::ATTEMPTS);
            let Ok(Some(bytes)) = self.folder.read_optional(&place) else {
                continue;
            };
            let told = if name.ends_with(".begun.json") {
                parse_record::<Begun>(&bytes).map(|_| None)
            } else if name.ends_with(".ended.json") {
                parse_record::<Ended>(&bytes).map(|_| None)
            } else if name.ends_with(".head.json") {
                parse_record::<AnswerHead>(&bytes).map(Some)
            } else {
                continue;
            };
            match told {
                Err(fault) => {
                    findings.add(Code::UnreadableFile, self.place(&place), fault.to_string());
                }
                Ok(None) => {}
                Ok(Some(head)) => {
                    let answer = place.replace(".head.json", ".answer");
                    let body = self.folder.read_optional(&answer).ok().flatten();
                    if body.is_some_and(|body| !head.is_of(&body)) {
                        findings.add(Code::ReplyDigestMismatch, self.place(&answer), OTHER_ANSWER);
                    }
                }
            }
        }
    }

    /// The raw files must be exactly those that the ledger gives.
    fn raw_files(&self, findings: &mut Findings) {
        let told = |error: &FileError| unreadable(&self.inputs.folder, error);
        let plan = match RunPlan::of_run(self.folder) {
            Ok(Some(plan)) => plan,
            Ok(None) => return,
            Err(error) => return findings.push(told(&error)),
        };
        let mut stored: BTreeSet<&str> = self.checked.iter().map(|file| &*file.name).collect();
        for planned in &plan.slots {
            let name = format!("{}.json", planned.slot.stem(plan.rules.replicates));
            stored.remove(&*name);
            match attempts_of(self.folder, &plan, &planned.slot) {
                Ok(attempts) => self.slot(&plan, planned, &attempts, findings),
                Err(error) => findings.push(told(&error)),
            }
        }
        for name in stored {
            let place = self.place(&format!("{}/{name}", run::RAW));
            let text = "belongs to no slot of the run";
            findings.add(Code::RawSubmissionDiffers, place, text);
        }
    }

    fn slot(
        &self,
        plan: &RunPlan,
        planned: &PlannedSlot,
        attempts: &[AttemptRecord],
        findings: &mut Findings,
    ) {
        let deadline = self.inputs.manifest.decision_deadline.as_ref();
        let deadline = deadline.map(WrittenInstant::at);
        for attempt in attempts {
            let number = attempt.begun.attempt;
            let path = |ending: &str| attempt_path(plan, &planned.slot, number, ending);
            // The answer is public; its head names an account and is not.
            let answer = self.folder.read_optional(&path("answer")).ok().flatten();
            let ended = attempt.ended.as_ref();
            let problem = ended.and_then(|ended| {
                let answer = answer.as_deref();
                let hidden = || hidden_decision(ended, answer, planned, deadline);
                unfounded(ended, answer).or_else(hidden)
            });
            if let Some(problem) = problem {
                let place = self.place(&path("ended.json"));
                findings.add(Code::AnswerDiffers, place, problem);
            }
        }
        let stem = planned.slot.stem(plan.rules.replicates);
        let path = format!("{}/{stem}.json", run::RAW);
        let name = format!("{stem}.json");
        let stored = self.checked.iter().find(|file| file.name == name);
        let last = attempts.last();
        let problem = match (stored, last) {
            (None, None) => None,
            (Some(_), None) => Some("has no attempt in the ledger"),
            (None, Some(_)) => self
                .finished
                .then_some("is missing, although the ledger has its answer"),
            (Some(file), Some(_)) => {
                let expected = raw_submission(plan, planned, last);
                (file.payload.as_ref() != again(&expected).as_ref())
                    .then_some("does not follow from the attempts in the ledger")
            }
        };
        let mut differs = |path: &str, text: &str| {
            findings.add(Code::RawSubmissionDiffers, self.place(path), text);
        };
        if let Some(problem) = problem {
            differs(&path, problem);
        }
        let reply = format!("{}/{stem}.txt", run::REPLIES);
        let stored = self.folder.read_optional(&reply).ok().flatten();
        if stored.is_some_and(|stored| stored != text_of(last).as_bytes()) {
            differs(&reply, "is not the text of the last attempt in the ledger");
        }
    }

    fn parsed_files(&self, findings: &mut Findings) {
        let stored = self.folder.submission_names(run::PARSED);
        let stored = BTreeSet::from_iter(stored.unwrap_or_default());
        let mut expected = BTreeSet::new();
        for file in self.checked {
            let name = file.parsed_name();
            let path = format!("{}/{name}", run::PARSED);
            let mut add = |code, text: &str| findings.add(code, self.place(&path), text);
            match (&file.verdict, stored.contains(&name)) {
                (Err(_), false) => {}
                (Err(_), true) => {
                    let reason = file.reason();
                    let text = format!("exists although the raw file is invalid: {reason}");
                    add(Code::VerdictDiffers, &text);
                }
                (Ok(_), false) => {
                    let text = "is missing although the raw file is valid";
                    add(Code::VerdictDiffers, text);
                }
                (Ok(valid), true) => {
                    let bytes = self.folder.read_optional(&path).ok().flatten();
                    if bytes.as_deref() != Some(submission::render(valid).as_bytes()) {
                        let text = "does not follow from the raw file";
                        add(Code::ParsedSubmissionDiffers, text);
                    }
                }
            }
            expected.insert(name);
        }
        for name in stored.difference(&expected) {
            let place = self.place(&format!("{}/{name}", run::PARSED));
            findings.add(Code::ParsedWithoutRaw, place, "has no raw file");
        }
    }

    /// The files must be those that were accepted.
    fn accepted(&self, findings: &mut Findings) {
        let Some(acceptance) = self.acceptance else {
            return;
        };
        let mut differs = |place: String, text: &str| {
            findings.add(Code::AcceptanceDiffers, place, text);
        };
        let log = self.folder.read_optional(run::RUN_LOG).ok().flatten();
        if log.is_none_or(|bytes| Digest::of(&bytes) != acceptance.run_log) {
            differs(self.place(run::RUN_LOG), "changed after it was accepted");
        }
        let hashes = self.inputs.folder.read_optional(layout::HASHES);
        let hashes = hashes.ok().flatten();
        if hashes.is_none_or(|bytes| Digest::of(&bytes) != acceptance.hashes) {
            let text = format!("changed after {} was accepted", self.folder.run_id());
            differs(layout::HASHES.to_owned(), &text);
        }
        let now = match submission_digests(self.folder) {
            Ok(now) => now,
            Err(error) => return findings.push(unreadable(&self.inputs.folder, &error)),
        };
        for (path, digest) in &acceptance.submissions {
            let text = match now.get(path) {
                Some(present) if present == digest => continue,
                Some(_) => "changed after it was accepted",
                None => "was accepted, but is missing",
            };
            differs(self.place(path), text);
        }
        let without = raw_files(&acceptance.missing);
        let added = |path: &&String| {
            !acceptance.submissions.contains_key(*path) && !without.contains(*path)
        };
        for path in now.keys().filter(added) {
            differs(self.place(path), "was added after the acceptance");
        }
        self.missing(acceptance, findings);
    }

    /// The acceptance lists exactly the models whose ledger holds no valid answer.
    fn missing(&self, acceptance: &Acceptance, findings: &mut Findings) {
        let found = match missing_answers(self.folder) {
            Ok(found) => found,
            Err(error) => return findings.push(unreadable(&self.inputs.folder, &error)),
        };
        if found == acceptance.missing {
            return;
        }
        let list = |all: &[MissingAnswer]| -> String {
            let one = |own: &MissingAnswer| format!("{} ({})", own.model_id, own.why.as_str());
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "lists [{}] without a valid answer; the ledger gives [{}]",
            list(&acceptance.missing),
            list(&found)
        );
        findings.add(
            Code::MissingAnswersDiffer,
            self.place(run::ACCEPTANCE),
            text,
        );
    }
}

/// Refuses a run with a ledger whose files do not follow from its answers.
///
/// Runs of the earlier project have no ledger and are accepted as they are.
pub fn require(inputs: &RoundInputs, folder: &RunFolder) -> Result<(), ScoringError> {
    if !folder.has(run::SLOTS) {
        return Ok(());
    }
    let record = folder.record()?;
    let checked = validate_run(inputs, folder, record.run.rules)?;
    let derived = DerivedRun {
        inputs,
        folder,
        checked: &checked,
        acceptance: record.run.acceptance.as_ref(),
        finished: true,
    };
    let mut findings = Findings::default();
    derived.check(&mut findings);
    let Some(first) = findings.0.into_iter().next() else {
        return Ok(());
    };
    Err(ScoringError::NotDerived {
        round: inputs.folder.name(),
        file: first.place,
        problem: first.detail,
    })
}
