//! The listener of a terminal: a line per model and one for the run, redrawn while calls last.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use capitalbench_archive::run::ledger::{Ended, PlannedSlot};
use capitalbench_core::asking::cost::Cost;
use capitalbench_core::values::ids::ModelId;
use capitalbench_operations::asking::events::{Event, Listener, Totals};
use capitalbench_operations::asking::seats::Seat;
use capitalbench_operations::operator::clock::Clock;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use jiff::Timestamp;

/// How often the lines are drawn again, so that seconds are seen to pass.
const TICK: Duration = Duration::from_millis(200);

/// What is known about the slots of one model.
#[derive(Debug, Default)]
struct Model {
    slots: usize,
    done: usize,
    under_way: usize,
    attempt: u32,
    since: Option<Timestamp>,
    waiting: Option<(&'static str, Timestamp)>,
    last: Option<String>,
    tokens: (u64, u64),
    totals: Totals,
}

impl Model {
    fn text(&self, now: Timestamp) -> String {
        let seconds = |from: Timestamp, to: Timestamp| to.duration_since(from).as_secs_f64();
        let mut text = match (self.under_way, self.waiting) {
            (0, Some((reason, until))) if self.done < self.slots => {
                format!("waits {:.0} s: {reason}", seconds(now, until).max(0.0))
            }
            (0, _) if self.done == self.slots => self.last.clone().unwrap_or_default(),
            (0, _) => "queued".to_owned(),
            _ => {
                let since = self.since.map_or(0.0, |since| seconds(since, now).max(0.0));
                format!("attempt {}  {since:.0} s", self.attempt)
            }
        };
        if self.slots > 1 {
            let _ = write!(text, "  {}/{}", self.done, self.slots);
        }
        let (input, output) = self.tokens;
        if input.saturating_add(output) > 0 {
            let _ = write!(text, "  {input} + {output} tokens");
        }
        if self.totals.cost > Cost::ZERO {
            let _ = write!(text, "  {:.4} USD", self.totals.cost.usd());
        }
        text
    }

    fn ended(&mut self, attempt: u32, ended: &Ended) {
        self.under_way = self.under_way.saturating_sub(1);
        let (input, output) = self.tokens;
        self.tokens = (
            input.saturating_add(ended.input_tokens.unwrap_or(0)),
            output.saturating_add(ended.output_tokens.unwrap_or(0)),
        );
        self.totals.pay(ended);
        let reason = ended.reason.as_deref();
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        let seconds = ended.latency_seconds;
        let status = &ended.status;
        self.last = Some(format!(
            "{status}{reason}  attempt {attempt}  {seconds:.1} s"
        ));
    }
}

/// The sum of all models on one line.
fn total_text(models: &[Shared], slots: usize, left: Option<Duration>) -> String {
    let mut sum = Totals::default();
    for model in models {
        let totals = locked(model).totals;
        sum.valid += totals.valid;
        sum.invalid += totals.invalid;
        sum.open += totals.open;
        sum.cost = sum.cost.plus(totals.cost);
    }
    let (valid, invalid) = (sum.valid, sum.invalid);
    let done = valid + invalid + sum.open;
    let usd = sum.cost.usd();
    let mut text = format!("{done}/{slots}  {valid} valid  {invalid} invalid  {usd:.4} USD");
    if let Some(left) = left {
        let seconds = left.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let _ = write!(text, "  deadline in {hours}:{minutes:02}:{seconds:02}");
    }
    text
}

type Shared = Arc<Mutex<Model>>;

fn locked(model: &Shared) -> MutexGuard<'_, Model> {
    // Numbers and words for the screen; a panic elsewhere leaves them whole.
    model.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Live lines on standard error.
pub(super) struct Bars {
    models: BTreeMap<ModelId, (Shared, ProgressBar)>,
    total: ProgressBar,
}

impl Bars {
    /// A line for every model of these seats, and one for the run until its deadline.
    pub(super) fn new(seats: &[Seat], clock: Clock, deadline: Option<Timestamp>) -> Self {
        let screen = MultiProgress::new();
        let mut known: Vec<(ModelId, Shared)> = Vec::new();
        for seat in seats {
            let id = &seat.planned.slot.model_id;
            if !known.iter().any(|(other, _)| other == id) {
                known.push((id.clone(), Shared::default()));
            }
            for (other, model) in &known {
                locked(model).slots += usize::from(other == id);
            }
        }
        let width = known.iter().map(|(id, _)| id.as_str().len()).max();
        let width = width.unwrap_or(0);
        let shared: Vec<Shared> = known.iter().map(|(_, model)| Arc::clone(model)).collect();
        let models = known.into_iter().map(|(id, model)| {
            let seen = Arc::clone(&model);
            let name = format!("{:width$}", id.as_str());
            let slots = locked(&model).slots as u64;
            let bar = screen.add(ProgressBar::new(slots));
            bar.set_style(style("{spinner} {bar:10} {text}", move || {
                format!("{name}  {}", locked(&seen).text(clock.now()))
            }));
            bar.enable_steady_tick(TICK);
            (id, (model, bar))
        });
        let models = models.collect();
        let slots = seats.len();
        let total = screen.add(ProgressBar::new(slots as u64));
        total.set_style(style("  {bar:10} {text}", move || {
            let left = deadline.map(|deadline| deadline.duration_since(clock.now()));
            let left = left.map(|left| Duration::try_from(left).unwrap_or_default());
            total_text(&shared, slots, left)
        }));
        total.enable_steady_tick(TICK);
        Self { models, total }
    }

    fn change(&self, slot: &PlannedSlot, change: impl FnOnce(&mut Model)) {
        if let Some((model, bar)) = self.models.get(&slot.slot.model_id) {
            change(&mut locked(model));
            bar.tick();
            self.total.tick();
        }
    }

    /// One more slot is done; a model whose slots all are comes to rest.
    fn advance(&self, slot: &PlannedSlot) {
        self.total.inc(1);
        if let Some((model, bar)) = self.models.get(&slot.slot.model_id) {
            bar.inc(1);
            let is_done = {
                let model = locked(model);
                model.done == model.slots
            };
            if is_done {
                bar.finish();
            }
        }
    }
}

/// A line whose text is made anew each time it is drawn.
fn style(
    template: &str,
    text: impl Fn() -> String + Clone + Send + Sync + 'static,
) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    style.with_key(
        "text",
        move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(&text());
        },
    )
}

impl Listener for Bars {
    fn hear(&self, at: Timestamp, event: &Event<'_>) {
        match event {
            Event::SlotStarted { slot } => self.change(slot, |_| {}),
            Event::AttemptBegun { slot, attempt } => self.change(slot, |model| {
                model.under_way += 1;
                model.attempt = *attempt;
                model.since = Some(at);
                model.waiting = None;
            }),
            Event::AttemptEnded {
                slot,
                attempt,
                ended,
            } => self.change(slot, |model| model.ended(*attempt, ended)),
            Event::Waiting {
                slot,
                reason,
                until,
            } => self.change(slot, |model| {
                model.waiting = Some((reason.as_str(), *until));
            }),
            Event::SlotEnded { end } => {
                self.change(&end.planned, |model| {
                    model.done += 1;
                    model.totals.count(end);
                    if model.last.is_none() || end.is_open() {
                        model.last = Some(end.state().to_owned());
                    }
                });
                self.advance(&end.planned);
            }
            Event::Stopping => {
                let text = "stopping: no new call begins; Ctrl-C again leaves at once";
                self.total.println(text);
            }
            // The table takes the place of the lines.
            Event::RunEnded { .. } => {
                for (_, bar) in self.models.values() {
                    bar.finish_and_clear();
                }
                self.total.finish_and_clear();
            }
        }
    }
}

#[cfg(test)]
mod tests;
