//! From a frozen round to its record, or to its end without one.

use std::collections::BTreeMap;

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::{manifest, models};
use capitalbench_archive::round::round_folder::{RoundFolder, list_rounds};
use capitalbench_core::asking::acceptance::{Choice, Refusal};
use capitalbench_core::asking::attempt::AttemptStatus;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::league::schedule::month_of;
use capitalbench_core::round::ending::{Ending, Tombstone};
use capitalbench_core::values::ids::RunId;
use capitalbench_core::values::time::WrittenInstant;
use jiff::{RoundMode, Timestamp, TimestampRound, Unit};

use super::pass::{PassEnd, StepKind, Work, counted};
use super::standing::{Live, State};
use crate::accepting::{AcceptRequest, Accepted, Accepting, Scheduling, accept_run};
use crate::asking::closing::close_run;
use crate::asking::events::Silence;
use crate::asking::run::{AskRequest, Prepared, ReadyRun, RunReport, Start, prepare_run};
use crate::asking::slot_end::{Open, SlotEnd};
use crate::asking::spent::{Runs, spent_on};
use crate::error::Error;
use crate::opening::void::{VoidRequest, void_round};
use crate::operator::files::read;
use crate::proof::stamped_picks::StampedPicks;

impl Work<'_> {
    /// Asks, accepts or ends a round, as far as that is due.
    pub(super) fn decide(&mut self, live: &Live) {
        let state = match live.state_now() {
            Ok(state) => state,
            Err(error) => return self.failed(&format!("read {}", live.name), live.about(), &error),
        };
        if !matches!(state, State::Accepted(_)) {
            self.next(live.deadline);
        }
        let is_late = self.now() >= live.deadline;
        match state {
            State::Draft | State::Frozen if is_late => {
                let reason = self
                    .hints
                    .reason(&live.name)
                    .map(|why| format!("its deadline passed before it was asked: {why}"));
                let reason = reason.unwrap_or_else(|| {
                    "no pass of the league asked it before its deadline".to_owned()
                });
                let key = format!("abandon {}", live.name);
                self.attempt(&key, live.about(), |work| {
                    work.abandon(&live.folder, &reason)
                });
            }
            State::Draft => {}
            State::Frozen if !self.hints.is_done(&format!("freeze {}", live.name)) => {}
            State::Frozen => self.ask(live, Start::New),
            State::Asking(run) if is_late => self.close(live, &run),
            State::Asking(_) => self.ask(live, Start::Resume),
            State::Ended(run) => self.accept(live, &run),
            State::Accepted(run) => {
                if !self.hints.is_done(&format!("accept {}", live.name)) {
                    self.accept(live, &run);
                }
            }
        }
    }

    /// Asks what is open, and accepts what has ended.
    fn ask(&mut self, live: &Live, start: Start) {
        let (key, name) = (format!("ask {}", live.name), &live.name);
        if self.now() >= live.deadline {
            // Whatever pause is left, the deadline closes the run now.
            self.hints.free(&key);
        }
        let asked = self.attempt(&key, live.about(), |work| work.ask_now(live, start));
        if !asked || self.pass.end == PassEnd::Stopped {
            return;
        }
        match live.state_now() {
            Ok(State::Ended(run)) => self.accept(live, &run),
            Ok(_) => {}
            Err(error) => self.problem(Some(name), error.to_string()),
        }
    }

    /// After the deadline open slots have ended. An answer that is stored and was not read yet is read
    /// first, by the run that is taken up.
    fn close(&mut self, live: &Live, run: &RunId) {
        match close_run(self.operator, &live.folder, run) {
            Ok(()) => self.accept(live, run),
            Err(_) => self.ask(live, Start::Resume),
        }
    }

    fn ask_now(&mut self, live: &Live, start: Start) -> Result<(), Error> {
        let mut request = self
            .league
            .ask_request(live.folder.path(), live.day(), start);
        if let State::Asking(run) = live.state_now()? {
            request.run_id = Some(run);
        }
        let ready = match prepare_run(self.operator, &request)? {
            Prepared::Finished { .. } => return Ok(()),
            Prepared::Ready(ready) => *ready,
        };
        let ready = self.within_budget(live, &mut request, ready)?;
        let report = ready.ask(self.operator, &request, Box::new(Silence))?;
        let text = asked_text(&report);
        let command = self.commands().ask(&live.name, &request);
        self.note(StepKind::Asked, Some(&live.name), (command, text));
        self.tell_of_slots(live, &report);
        if report
            .slots
            .iter()
            .any(|(end, _)| end.open == Some(Open::Stopped))
        {
            self.pass.end = PassEnd::Stopped;
            return Ok(());
        }
        let waiting: Vec<String> = report
            .slots
            .iter()
            .filter_map(|(end, _)| waits(end))
            .collect();
        if report.finished.is_some() || waiting.is_empty() {
            return Ok(());
        }
        let text = format!("not every model has answered yet: {}", waiting.join("; "));
        Err(Error::new(text).hint(format!("open slots are asked until {}", live.deadline)))
    }

    fn tell_of_slots(&mut self, live: &Live, report: &RunReport) {
        for (end, _) in &report.slots {
            if end.attempts.last() == Some(&AttemptStatus::Valid) || end.open == Some(Open::Stopped)
            {
                continue;
            }
            let model = end.planned.slot.model_id.to_string();
            let text = format!("{model} has no valid answer in {}: {}", live.name, why(end));
            let about = (Some(model), text);
            self.tell_about_model(MessageKind::SlotFailed, Some(&live.name), about);
        }
    }

    /// A run that never costs more than what is left, or the reason why it does not begin.
    fn within_budget(
        &self,
        live: &Live,
        request: &mut AskRequest,
        ready: ReadyRun,
    ) -> Result<ReadyRun, Error> {
        let (worst, _) = ready.worst_case();
        let models = read(&request.models, models::parse_settings)?;
        let Some((left, span)) = self.budget_left(live, &ready, &models)? else {
            return Ok(ready);
        };
        if request.start == Start::New && worst > left {
            let text = format!(
                "asking {} models may cost {}, and the budget of the {span} leaves {}",
                ready.plan.model_count(),
                dollars(worst),
                dollars(left)
            );
            return Err(Error::new(text).hint("raise `budget` in league.yaml, or ask fewer models"));
        }
        request.max_cost_usd = Some(left.usd());
        ready.capped(left)
    }

    /// What the tighter of both budgets leaves for a run, and which it is; none where nothing limits it.
    pub(super) fn budget_left(
        &self,
        live: &Live,
        ready: &ReadyRun,
        models: &[models::ModelSettings],
    ) -> Result<Option<(Cost, &'static str)>, Error> {
        let budget = self.league.league.budget;
        let (_, is_known) = ready.worst_case();
        let is_priced = is_known || !self.league.is_rehearsed();
        if (budget.per_round.is_none() && budget.per_month.is_none()) || !is_priced {
            return Ok(None);
        }
        let own = spent_on(&live.folder, Runs::Except(&ready.plan.run_id), models)?;
        let of_round = budget.per_round.map(|most| most.minus(own));
        let of_month = match budget.per_month {
            None => None,
            Some(most) => {
                let spent = self.spent_in_month(live, models)?;
                Some(most.minus(spent.plus(own)))
            }
        };
        let sums = [of_round.zip(Some("round")), of_month.zip(Some("month"))];
        Ok(sums.into_iter().flatten().min())
    }

    /// What the other rounds cost whose deadline is in the month of this one.
    fn spent_in_month(&self, live: &Live, models: &[models::ModelSettings]) -> Result<Cost, Error> {
        let Some((first, next)) = month_of(live.deadline) else {
            return Ok(Cost::ZERO);
        };
        let mut sum = Cost::ZERO;
        for folder in list_rounds(&self.league.rounds())? {
            if folder.name() == live.name {
                continue;
            }
            let manifest = folder.parse(layout::MANIFEST, manifest::parse)?;
            let deadline = manifest.decision_deadline.as_ref().map(WrittenInstant::at);
            if deadline.is_some_and(|at| at >= first && at < next) {
                sum = sum.plus(spent_on(&folder, Runs::All, models)?);
            }
        }
        Ok(sum)
    }

    /// Accepts a run that has ended, or ends the round when its failure policy says so.
    fn accept(&mut self, live: &Live, run: &RunId) {
        let key = format!("accept {}", live.name);
        let mut is_settled = false;
        self.attempt(&key, live.about(), |work| {
            work.hints.set_unpublished()?;
            is_settled = work.accept_now(live, run)?;
            Ok(())
        });
        if is_settled {
            self.hints.set_done(&key);
        }
    }

    /// Whether nothing is left to do about the acceptance.
    fn accept_now(&mut self, live: &Live, run: &RunId) -> Result<bool, Error> {
        let request = AcceptRequest {
            round: live.folder.clone(),
            run_id: run.clone(),
            choice: Choice::First,
            reason: None,
            scheduling: Scheduling::WhenDue,
        };
        match accept_run(self.operator, &request)? {
            Accepting::Accepted(accepted) => {
                let command = self.commands().accept(&live.name, run);
                let text = accepted_text(&accepted);
                self.note(StepKind::Accepted, Some(&live.name), (command, text));
                self.accepted(live)?;
                let stamped = accepted.stamped.as_ref();
                Ok(stamped.is_none_or(StampedPicks::is_complete))
            }
            Accepting::Before { stamped, .. } => {
                self.accepted(live)?;
                Ok(stamped.is_none_or(|stamped| stamped.is_complete()))
            }
            Accepting::Refused { refusals, .. } if refusals == [Refusal::AcceptedBefore] => {
                self.accepted(live)?;
                Ok(true)
            }
            Accepting::Refused { refusals, .. } if refusals.iter().any(is_void) => {
                let reasons = refusals.iter().filter(|own| is_void(own));
                let reasons: Vec<String> = reasons.map(Refusal::to_string).collect();
                self.end(&live.folder, Ending::Voided, &reasons.join("; "))?;
                Ok(true)
            }
            Accepting::Refused {
                refusals,
                objections,
            } => {
                if let [Refusal::BeforeItsTime { earlier, .. }] = refusals.as_slice() {
                    self.next(minute_after(*earlier));
                    return Ok(false);
                }
                let texts = refusals.iter().map(Refusal::to_string);
                let texts = texts.chain(objections.iter().map(|own| own.text.clone()));
                let texts: Vec<String> = texts.collect();
                let text = format!("{run} is not accepted: {}", texts.join("; "));
                let hint = "look at it with `capitalbench list-runs`, or end the round with \
                            `capitalbench void-round`";
                Err(Error::new(text).hint(hint))
            }
        }
    }

    fn accepted(&mut self, live: &Live) -> Result<(), Error> {
        let text = format!("The answers of {} are its record.", live.name);
        self.tell(
            MessageKind::Asked,
            Some(&live.name),
            format!("{} was asked.", live.name),
        );
        self.tell(MessageKind::Accepted, Some(&live.name), text);
        self.stamp(live)
    }

    pub(super) fn abandon(&mut self, folder: &RoundFolder, reason: &str) -> Result<(), Error> {
        self.end(folder, Ending::Abandoned, reason)
    }

    /// Ends a round without a record.
    fn end(&mut self, folder: &RoundFolder, ending: Ending, reason: &str) -> Result<(), Error> {
        self.hints.set_unpublished()?;
        let name = folder.name();
        let request = VoidRequest {
            round: folder.path().to_owned(),
            ending,
            reason: reason.to_owned(),
        };
        let tombstone = void_round(self.operator, &request)?;
        let kind = match ending {
            Ending::Voided => StepKind::Voided,
            Ending::Abandoned => StepKind::Abandoned,
        };
        let command = self.commands().void(&name, reason);
        self.note(kind, Some(&name), (command, tombstone.reason.clone()));
        self.settle_end(folder, tombstone)
    }

    /// Signs the end of a round and tells of it, whoever ended it.
    pub(super) fn settle_end(
        &mut self,
        folder: &RoundFolder,
        tombstone: Tombstone,
    ) -> Result<(), Error> {
        let name = folder.name();
        let text = format!("{name} {}", tombstone.sentence());
        let kind = match tombstone.ending {
            Ending::Voided => MessageKind::Voided,
            Ending::Abandoned => MessageKind::Abandoned,
        };
        let request = VoidRequest {
            round: folder.path().to_owned(),
            ending: tombstone.ending,
            reason: tombstone.reason,
        };
        void_round(self.operator, &request)?;
        self.tell(kind, Some(&name), text);
        Ok(())
    }
}

/// Whether a run that has ended can never be the record, because too few models answered.
fn is_void(refusal: &Refusal) -> bool {
    ["too-few-answers", "no-models"].contains(&refusal.code())
}

/// The next whole minute: the instants of a log may not be equal.
fn minute_after(at: Timestamp) -> Timestamp {
    let whole = TimestampRound::new()
        .smallest(Unit::Minute)
        .mode(RoundMode::Trunc);
    let whole = at.round(whole).unwrap_or(at);
    whole
        .checked_add(jiff::SignedDuration::from_mins(1))
        .unwrap_or(at)
}

/// Money as people read it, never less than it is.
pub(super) fn dollars(cost: Cost) -> String {
    format!("${:.2}", (cost.usd() * 100.0).ceil() / 100.0)
}

pub(super) fn asked_text(report: &RunReport) -> String {
    let mut words: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (end, _) in &report.slots {
        *words.entry(end.state()).or_default() += 1;
    }
    let models = report.plan.model_count();
    let cost = report.bill.total();
    let cost = cost.filter(|cost| *cost > Cost::ZERO);
    let cost = cost.map_or_else(String::new, |cost| format!(", {}", dollars(cost)));
    format!("asked {models} models: {}{cost}", counted(&words))
}

fn accepted_text(accepted: &Accepted) -> String {
    let count = accepted.acceptance.submissions.len();
    match accepted.due {
        Some(due) => format!("{count} answers are the record; the result is due at {due}"),
        None => format!("{count} answers are the record"),
    }
}

/// What an open slot waits for.
pub(super) fn waits(end: &SlotEnd) -> Option<String> {
    end.is_open().then(|| {
        let model = &end.planned.slot.model_id;
        format!("{model}: {}", why(end))
    })
}

fn why(end: &SlotEnd) -> String {
    match (end.open, end.attempts.last()) {
        (Some(Open::CostCap), _) => "the budget allows no further call".to_owned(),
        (Some(Open::Deadline), None) => "it was not asked before the deadline".to_owned(),
        (_, Some(status)) => status.error().unwrap_or_else(|| end.state().to_owned()),
        (Some(Open::Rejected(reason)), None) => reason.as_str().to_owned(),
        (_, None) => end.state().to_owned(),
    }
}
