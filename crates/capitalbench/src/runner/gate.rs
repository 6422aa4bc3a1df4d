//! How many calls of one provider may be under way at once.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

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
    /// Nothing remains of an allowance until then.
    closed_until: Option<Instant>,
}

/// One call under way; dropping it lets the next one in.
#[derive(Debug)]
pub(crate) struct Pass<'a>(&'a Gate);

impl Gate {
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self {
            most,
            state: Mutex::new(State {
                limit: most,
                inside: 0,
                closed_until: None,
            }),
            freed: Notify::new(),
        }
    }

    /// Waits for a free place.
    pub(crate) async fn enter(&self) -> Pass<'_> {
        loop {
            let freed = self.freed.notified();
            if self.with(|state| {
                let free = state.inside < state.limit;
                state.inside += usize::from(free);
                free
            }) {
                return Pass(self);
            }
            freed.await;
        }
    }

    /// Nobody goes in for so long; what was said before and lasts longer stays.
    pub(crate) fn close_for(&self, wait: Duration) {
        let until = Instant::now().checked_add(wait);
        self.with(|state| state.closed_until = state.closed_until.max(until));
    }

    /// How long nobody goes in from now on.
    pub(crate) fn closed_for(&self) -> Option<Duration> {
        let until = self.with(|state| state.closed_until)?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// The provider asked to wait.
    pub(crate) fn slow_down(&self) {
        self.with(|state| state.limit = (state.limit / 2).max(1));
    }

    /// A call went well.
    pub(crate) fn recover(&self) {
        self.with(|state| state.limit = (state.limit + 1).min(self.most));
        self.freed.notify_one();
    }

    fn with<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        // The state is two numbers; a panic elsewhere leaves them whole.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.with(|state| state.inside -= 1);
        self.0.freed.notify_one();
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

    #[test]
    fn the_limit_halves_and_recovers() {
        let gate = Gate::new(5);
        let limit = || gate.with(|state| state.limit);
        gate.slow_down();
        assert_eq!(limit(), 2);
        gate.slow_down();
        gate.slow_down();
        assert_eq!(limit(), 1);
        for _ in 0..9 {
            gate.recover();
        }
        assert_eq!(limit(), 5);
    }
}
