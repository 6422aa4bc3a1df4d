//! How many calls of one provider may be under way at once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use capitalbench_core::attempt::{AttemptStatus, Reason};
use tokio::sync::Notify;
use tokio::time::Instant;

/// A limit that halves when a provider asks to wait, and recovers one by one.
#[derive(Debug)]
pub(crate) struct Gate {
    most: usize,
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug)]
struct State {
    limit: usize,
    inside: usize,
    /// The provider wants to hear nothing before this.
    not_before: Option<Instant>,
    /// How often the limit was halved.
    halvings: usize,
}

/// One call under way; dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    gate: &'a Gate,
    /// Halvings before this call: how it ends says nothing about the limit after later ones.
    halvings: usize,
}

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
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

    /// Waits for a free place.
    pub(crate) async fn enter(&self) -> Pass<'_> {
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

    /// Nobody goes in for so long; what was said before and lasts longer stays.
    pub(crate) fn close_for(&self, wait: Duration) {
        let until = Instant::now().checked_add(wait);
        self.with(|state| state.not_before = state.not_before.max(until));
    }

    /// How long nobody goes in from now on.
    pub(crate) fn closed_for(&self) -> Option<Duration> {
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
    /// Adapts the limit to how the call ended: half as many and a pause for all after a rate
    /// limit, one more after an answer, no change after trouble that says nothing about limits.
    /// A burst that is turned away together halves once.
    pub(crate) fn learn(&self, status: &AttemptStatus, pause: Option<Duration>) {
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
mod tests {
    use super::*;

    #[test]
    fn a_used_up_allowance_closes_the_gate_and_the_longest_wait_counts() {
        let gate = Gate::new(2);
        gate.close_for(Duration::ZERO);
        assert_eq!(gate.closed_for(), None);
        gate.close_for(Duration::from_hours(3));
        gate.close_for(Duration::from_secs(1));
        let left = gate.closed_for().expect("a closed gate");
        assert!(left > Duration::from_hours(2) && left <= Duration::from_hours(3));
    }

    fn limited() -> AttemptStatus {
        AttemptStatus::Failed {
            reason: Reason::RateLimit,
            message: String::new(),
        }
    }

    #[tokio::test]
    async fn the_limit_halves_and_recovers() {
        let gate = Gate::new(5);
        let limit = || gate.with(|state| state.limit);
        let (early, other) = (gate.enter().await, gate.enter().await);
        early.learn(&limited(), None);
        other.learn(&limited(), None);
        assert_eq!(limit(), 2, "one burst halves once");
        other.learn(&AttemptStatus::Valid, None);
        assert_eq!(limit(), 2, "an answer to an earlier call proves nothing");
        drop((early, other));
        for expected in [1, 1] {
            gate.enter().await.learn(&limited(), None);
            assert_eq!(limit(), expected);
        }
        gate.enter().await.learn(&AttemptStatus::Unknown, None);
        assert_eq!(limit(), 1);
        for _ in 0..9 {
            gate.enter().await.learn(&AttemptStatus::Valid, None);
        }
        assert_eq!(limit(), 5);
    }

    #[tokio::test]
    async fn the_longest_wait_holds_for_everybody() {
        let gate = Gate::new(5);
        assert_eq!(gate.closed_for(), None);
        let pass = gate.enter().await;
        pass.learn(&limited(), Some(Duration::from_hours(2)));
        pass.learn(&limited(), Some(Duration::from_secs(1)));
        pass.learn(&AttemptStatus::Valid, None);
        assert!(gate.closed_for() > Some(Duration::from_hours(1)));
    }
}
