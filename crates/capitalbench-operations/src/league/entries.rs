//! What entrants brought: taken in every pass, so that each has its receipt before the deadline.

use capitalbench_archive::log::LogFolder;
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::values::ids::Digest;
use jiff::SignedDuration;

use super::pass::{About, StepKind, Work};
use super::standing::Standing;
use crate::error::Error;
use crate::proof::anchor::follow_step;
use crate::proof::entering::collecting::{Collection, collect};

/// How often a pass looks for entries while a round takes them.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_mins(10);

/// The command with the same effect.
const COLLECT: &str = "capitalbench enter collect";

impl Work<'_> {
    /// Takes what arrived, where the league admits entrants and signs its log.
    pub(super) fn collect_entries(&mut self, standing: &Standing) {
        let log = LogFolder::of_rounds(&self.league.rounds());
        let is_signed = matches!(log.verifier(), Ok(Some(_)));
        if self.league.league.entrants.is_none() || !is_signed {
            return;
        }
        self.attempt("collect entries", About::default(), |work| {
            work.collect_now(&log, standing)
        });
        let now = self.now();
        for live in &standing.live {
            let Some(times) = Times::of(&live.manifest).filter(|times| now < times.closes) else {
                continue;
            };
            let takes = now < times.deadline || now >= times.opens;
            if takes && let Ok(again) = now.checked_add(LOOK_AGAIN) {
                self.next(again);
            }
            // Just before each end, whatever lies there is taken.
            for end in [times.deadline, times.closes] {
                self.next(end.checked_sub(SignedDuration::from_mins(1)).unwrap_or(end));
            }
            self.next(times.opens);
        }
    }

    fn collect_now(&mut self, log: &LogFolder, standing: &Standing) -> Result<(), Error> {
        let done = collect(self.operator, log, &self.league.delivery()?)?;
        self.tell_refusals(&done);
        let new = done.new_files().count();
        if new > 0 {
            self.hints.set_unpublished()?;
            let text = format!(
                "{new} of {} files of entrants are in the log now, with their receipts",
                done.files.len()
            );
            self.note(StepKind::Collected, None, (COLLECT.to_owned(), text));
            for live in &standing.live {
                follow_step(self.operator, &live.folder, &live.manifest)?;
            }
        }
        Ok(())
    }

    /// Says once of each file why it was refused: it stays where it is.
    fn tell_refusals(&mut self, done: &Collection) {
        let refused = done.refused().map(|(found, refusal)| {
            let key = format!("refused {} {}", refusal.as_str(), Digest::of(&found.bytes));
            (key, format!("{} {refusal}", found.from))
        });
        let failed = done.failed.iter();
        let failed =
            failed.map(|(from, why)| (format!("not fetched {from}"), format!("{from}: {why}")));
        let told: Vec<(String, String)> = refused.chain(failed).collect();
        for (key, text) in told {
            if !self.hints.is_done(&key) {
                self.hints.set_done(&key);
                self.problem(None, text.clone());
                self.tell(MessageKind::Problem, None, text);
            }
        }
    }
}
