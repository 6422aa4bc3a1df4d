//! How many calls of one provider may be under way at once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use capitalbench_core::asking::attempt::{AttemptStatus, Reason};
use tokio::sync::Notify;
use tokio::time::Instant;

/// A limit that halves when a provider asks to wait, and recovers one by one.
#[derive(Debug)]
pub struct Gate {
    most: usize,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug)]
struct State {
    limit: usize,
    inside: usize,
    /// The gate is closed until then.
    not_before: Option<Instant>,
    /// How often the limit was halved.
    halvings: usize,
}

/// One call under way; dropping it lets the next one in.
#[derive(Debug)]
pub struct Pass<'a> {
    gate: &'a Gate,
    /// Halvings before this call: its end tells nothing about a limit that was halved since.
    halvings: usize,
}

impl Gate {
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            state: Mutex::new(State {
                limit: most,
                inside: 0,
                not_before: None,
                halvings: 0,
            }),
            freed: Notify::new(),
        }
    }

    /// Waits for a free slot.
    pub async fn enter(&self) -> Pass<'_> {
        loop {
            let freed = self.freed.notified();
            let entered = self.with(|state| {
                let free = state.inside < state.limit;
                state.inside += usize::from(free);
                free.then_some(state.halvings)
            });
            if let Some(halvings) = entered {
                return Pass {
                    gate: self,
                    halvings,
                };
            }
            freed.await;
        }
    }

    /// Closes the gate for `wait`; a longer closure wins.
    pub fn close_for(&self, wait: Duration) {
        let until = Instant::now().checked_add(wait);
        self.with(|state| state.not_before = state.not_before.max(until));
    }

    /// How long the gate stays closed from now on; none when it is open.
    pub fn closed_for(&self) -> Option<Duration> {
        let until = self.with(|state| state.not_before)?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // The state is plain numbers; a panic elsewhere leaves them whole.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state)
    }
}

impl Pass<'_> {
    /// Adapts the limit to how the call ended: a rate limit halves it and closes the gate, an answer
    /// raises it by one, other trouble leaves it. A burst that is turned away together halves once.
    pub fn learn(&self, status: &AttemptStatus, pause: Option<Duration>) {
        self.gate.with(|state| {
            let current = state.halvings == self.halvings;
            match status {
                AttemptStatus::Failed {
                    reason: Reason::RateLimit,
                    ..
                } => {
                    let until = pause.and_then(|pause| Instant::now().checked_add(pause));
                    state.not_before = state.not_before.max(until);
                    if current {
                        state.limit = (state.limit / 2).max(1);
                        state.halvings += 1;
                    }
                }
                AttemptStatus::Valid | AttemptStatus::Invalid { .. } if current => {
                    state.limit = (state.limit + 1).min(self.gate.most);
                }
                _ => {}
            }
        });
        self.gate.freed.notify_one();
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.with(|state| state.inside -= 1);
        self.gate.freed.notify_one();
    }
}

#[cfg(test)]
mod tests;
