//! The registered agents: asked after the models, shown after the entry close.

use capitalbench_archive::public::entrants::has_entrants;
use capitalbench_core::decision::entering::times::Times;
use capitalbench_core::league::message::MessageKind;

use super::pass::{StepKind, Work};
use super::standing::{Live, Standing, State};
use crate::asking::agents::round::{AgentOutcome, ask_and_show, has_agents};
use crate::error::Error;
use crate::proof::anchor::follow_step;

impl Work<'_> {
    /// Asks whoever was not asked yet, and shows what may be seen. A rehearsal asks nobody.
    pub(super) fn ask_agents(&mut self, standing: &Standing) {
        let rounds = self.league.rounds();
        let admits = self.league.league.entrants.is_some() && has_entrants(&rounds);
        if self.league.is_rehearsed() || !admits {
            return;
        }
        match has_agents(&rounds) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return self.problem(None, error.to_string()),
        }
        for live in &standing.live {
            let Some(times) = Times::of(&live.manifest) else {
                continue;
            };
            let now = self.now();
            let shown = format!("agents shown {}", live.name);
            let asks = now < times.deadline && live.state != State::Draft;
            let shows = now >= times.opens && !self.hints.is_done(&shown);
            if asks || shows {
                let key = format!("agents {}", live.name);
                let done = self.attempt(&key, live.about(), |work| work.ask_agents_now(live));
                if done && shows {
                    self.hints.set_done(&shown);
                }
            }
        }
    }

    fn ask_agents_now(&mut self, live: &Live) -> Result<(), Error> {
        let done = ask_and_show(self.operator, &live.folder)?;
        if done.asked.is_empty() && done.shown.is_empty() {
            return Ok(());
        }
        let valid = done.asked.iter().filter(|own| own.is_valid()).count();
        let text = if done.asked.is_empty() {
            format!("the answers of {} agents are public", done.shown.len())
        } else {
            format!("asked {} agents: {valid} valid", done.asked.len())
        };
        self.hints.set_unpublished()?;
        let command = self.commands().agents(&live.name);
        self.note(StepKind::Asked, Some(&live.name), (command, text));
        for own in done.asked.iter().filter(|own| !own.is_valid()) {
            let text = told(own);
            self.tell(MessageKind::SlotFailed, Some(&live.name), text);
        }
        follow_step(self.operator, &live.folder, &live.manifest)
    }
}

fn told(own: &AgentOutcome) -> String {
    let first = own.faults.first().map(ToString::to_string);
    format!(
        "The agent {} {}.",
        own.entrant,
        first.unwrap_or_else(|| "gave no valid answer".to_owned())
    )
}
