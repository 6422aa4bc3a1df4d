//! The twin lanes of a round: asked after its record, until its entry close, within the budget.
//!
//! A round is whole without them, so nothing waits for a lane and nothing ends because of one.

use capitalbench_archive::disk::layout::run as files;
use capitalbench_archive::format::round::models;
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::asking::lanes::Lane;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::league::message::MessageKind;
use capitalbench_core::league::schedule::month_of;
use capitalbench_core::values::ids::RunId;

use super::begin::LAST_TRY;
use super::decide::{asked_text, dollars, waits};
use super::pass::{About, PassEnd, StepKind, Work};
use super::standing::{Live, State};
use crate::asking::closing::{close_run, has_ended};
use crate::asking::events::Silence;
use crate::asking::run::{AskRequest, Prepared, ReadyRun, Start, prepare_run};
use crate::asking::slot_end::Open;
use crate::error::Error;
use crate::operator::files::read;

/// How far a lane is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    NotBegun,
    Begun,
    Ended,
}

impl Work<'_> {
    /// Asks the lanes of a round that has its record.
    pub(super) fn ask_lanes(&mut self, live: &Live) {
        let Some(lanes) = &live.manifest.lanes else {
            return;
        };
        if !matches!(live.state_now(), Ok(State::Accepted(_))) {
            return;
        }
        for lane in lanes.asked() {
            if self.pass.end == PassEnd::Stopped {
                return;
            }
            self.ask_lane(live, lane);
        }
    }

    fn ask_lane(&mut self, live: &Live, lane: Lane) {
        let Some(deadline) = live.manifest.lane_deadline() else {
            return;
        };
        let is_late = self.now() >= deadline;
        let key = format!("lane {} of {}", lane.as_str(), live.name);
        let about = About {
            round: Some(&live.name),
            last_try: deadline.checked_sub(LAST_TRY).ok(),
        };
        let found = lane_run(lane).and_then(|run| Ok((progress(live, &run)?, run)));
        let (progress, run) = match found {
            Ok(found) => found,
            Err(error) => return self.failed(&key, about, &error),
        };
        let is_over = progress == Progress::Ended || self.hints.is_done(&key);
        if is_over || (progress == Progress::NotBegun && is_late) {
            return;
        }
        let start = match progress {
            Progress::NotBegun => Start::New,
            Progress::Begun | Progress::Ended => Start::Resume,
        };
        if is_late {
            self.hints.free(&key);
        } else {
            self.next(deadline);
        }
        self.attempt(&key, about, |work| {
            work.hints.set_unpublished()?;
            if is_late && close_run(work.operator, &live.folder, &run).is_ok() {
                return Ok(());
            }
            work.ask_lane_now(live, (lane, run), start)
        });
    }

    fn ask_lane_now(
        &mut self,
        live: &Live,
        (lane, run): (Lane, RunId),
        start: Start,
    ) -> Result<(), Error> {
        let request = self
            .league
            .ask_request(live.folder.path(), live.day(), start);
        let mut request = AskRequest {
            kind: Some(RunKind::Lane(lane)),
            run_id: Some(run),
            controls: false,
            ..request
        };
        let ready = match prepare_run(self.operator, &request)? {
            Prepared::Finished { .. } => return Ok(()),
            Prepared::Ready(ready) => *ready,
        };
        let Some(ready) = self.lane_within_budget(live, (lane, &mut request), ready)? else {
            return Ok(());
        };
        let report = ready.ask(self.operator, &request, Box::new(Silence))?;
        let command = self.commands().ask(&live.name, &request);
        let text = format!("twin lane, {}: {}", lane.what(), asked_text(&report));
        self.note(StepKind::Asked, Some(&live.name), (command, text));
        let mut ends = report.slots.iter().map(|(end, _)| end);
        if ends.any(|end| end.open == Some(Open::Stopped)) {
            self.pass.end = PassEnd::Stopped;
            return Ok(());
        }
        let waiting = report.slots.iter().filter_map(|(end, _)| waits(end));
        let waiting: Vec<String> = waiting.collect();
        if report.finished.is_some() || waiting.is_empty() {
            return Ok(());
        }
        let text = format!(
            "not every answer of the lane is there yet: {}",
            waiting.join("; ")
        );
        Err(Error::new(text).hint("open slots are asked until the entry close"))
    }

    /// A lane that never costs more than what is left once every later round of the month could be
    /// asked; none where that does not suffice, which a message tells once.
    fn lane_within_budget(
        &mut self,
        live: &Live,
        (lane, request): (Lane, &mut AskRequest),
        ready: ReadyRun,
    ) -> Result<Option<ReadyRun>, Error> {
        let models = read(&request.models, models::parse_settings)?;
        let (worst, _) = ready.worst_case();
        let answers = ready.plan.rules.replicates.max(1);
        let Some((left, span)) = self.budget_left(live, &ready, &models)? else {
            return Ok(Some(ready));
        };
        let reserve = match span {
            "month" => worst.times(self.rounds_to_come(live)).shared_by(answers),
            _ => Cost::ZERO,
        };
        let left = left.minus(reserve);
        if request.start == Start::New && worst > left {
            let text = format!(
                "The twin lane {} of {} is not asked: it may cost {}, and the budget of the {span} \
                 leaves {} for it.",
                lane.as_str(),
                live.name,
                dollars(worst),
                dollars(left)
            );
            self.hints
                .set_done(&format!("lane {} of {}", lane.as_str(), live.name));
            self.tell(MessageKind::Problem, Some(&live.name), text);
            return Ok(None);
        }
        request.max_cost_usd = Some(left.usd());
        Ok(Some(ready.capped(left)?))
    }

    /// Rounds of the same month whose models are still to be asked.
    fn rounds_to_come(&self, live: &Live) -> u32 {
        let Some((_, next)) = month_of(live.deadline) else {
            return 0;
        };
        let rounds = self.league.league.rounds_between(live.deadline, next);
        u32::try_from(rounds.len()).unwrap_or(u32::MAX)
    }
}

/// The one run of a lane that a league asks for.
fn lane_run(lane: Lane) -> Result<RunId, Error> {
    let name = format!("lane-{}", lane.as_str().replace('_', "-"));
    RunId::parse(&name).map_err(|error| Error::new(error.to_string()))
}

fn progress(live: &Live, run: &RunId) -> Result<Progress, Error> {
    if !live.folder.run_ids()?.contains(run) {
        return Ok(Progress::NotBegun);
    }
    let own = live.folder.run(run)?;
    if !own.has(files::SLOTS) {
        return Ok(Progress::NotBegun);
    }
    Ok(if has_ended(&live.folder, run)? {
        Progress::Ended
    } else {
        Progress::Begun
    })
}
