//! [`Operator`]: on whose behalf an operation works.

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use capitalbench_archive::round::lease::Holder;
use capitalbench_database::jobs::Job;
use jiff::Timestamp;
use tokio::runtime::{Builder, Runtime};

use crate::error::Error;
use crate::league::pass::Step;
use crate::prices::fetcher::AtLimit;
use crate::prices::plan_time::PlanTime;
use crate::resolving::worker::JobEnd;
use crate::syncing::follow::Followed;
use crate::syncing::store::whole::Whole;

pub mod backoff;
pub mod clock;
pub mod configuration;
pub(crate) mod files;
pub mod program;
pub mod stops;

use clock::{Clock, now_or};
use configuration::Configuration;

/// With `still`, `--now` is the instant of everything that a command does; for rehearsals.
pub const CLOCK: &str = "CAPITALBENCH_CLOCK";
pub const STILL: &str = "still";

/// The configuration, the clock, and whoever is told what happens meanwhile.
pub struct Operator {
    pub configuration: Configuration,
    /// The instant that `--now` gives in place of the clock's.
    pub given: Option<Timestamp>,
    pub clock: Clock,
    /// The store that a pass holds, so that its log gets there before anybody sees it.
    pub(crate) whole: OnceLock<Whole>,
    listener: Box<dyn Listener>,
}

impl Operator {
    pub fn new(
        configuration: Configuration,
        given: Option<Timestamp>,
        listener: Box<dyn Listener>,
    ) -> Self {
        let stands = configuration.get(CLOCK).is_some_and(|word| word == STILL);
        let clock = match given {
            Some(at) if stands => Clock::Still(at),
            given => Clock::starting_at(given),
        };
        Self {
            configuration,
            given,
            clock,
            whole: OnceLock::new(),
            listener,
        }
    }

    /// The given instant exactly, or now. What is stored about an invented market carries it, so
    /// that the same commands give the same bytes.
    pub fn now(&self) -> Timestamp {
        now_or(self.given)
    }

    pub fn say(&self, notice: &Notice<'_>) {
        self.listener.hear(notice);
    }
}

/// What an operation announces while it works; its result is returned, not announced.
#[derive(Debug, Clone, Copy)]
pub enum Notice<'a> {
    /// Work that consists of pieces has come this far.
    Progress {
        what: &'static str,
        done: usize,
        of: usize,
    },
    /// That work is over, whether it succeeded or not.
    ProgressEnded,
    /// A fetch begins for which the plan of its source is too small at once.
    PlanTakes {
        time: &'a PlanTime,
        at_limit: AtLimit,
    },
    /// The plan of a price source allows no more; the fetch goes on after this time.
    PlanUsedUp { left: Duration },
    /// Outside clocks stamped the newest signed state.
    Stamped,
    /// They did not; the step itself is done.
    NotStamped { why: &'a str, rounds: &'a Path },
    /// Fewer witnesses cosigned than the rule asks for; the step itself is done.
    NotCosigned { why: &'a str, rounds: &'a Path },
    /// Something failed that does not end the operation.
    Failed(&'a Error),
    /// A due round stays with whoever holds it.
    HeldElsewhere { round: &'a str, holder: &'a Holder },
    /// A worker lost the database and tries again later.
    TriesAgain(&'a Error),
    /// A push waits, because somebody else holds the log of the store.
    WaitsForLog { owner: &'a str, until: Timestamp },
    /// A worker is done with a job.
    JobEnded { job: &'a Job, end: &'a JobEnd },
    /// A league made a step.
    Stepped(&'a Step),
    /// A worker brought the database up to date, or could not.
    Followed(&'a Followed),
}

/// Whoever wants to know. Called from several threads; must not take long.
pub trait Listener: Send + Sync {
    fn hear(&self, notice: &Notice<'_>);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silence;

impl Listener for Silence {
    fn hear(&self, _: &Notice<'_>) {}
}

/// Runs one future to its end; connections are served while it computes.
pub fn wait<T>(future: impl Future<Output = T>) -> Result<T, Error> {
    Ok(runtime(1)?.block_on(future))
}

pub(crate) fn runtime(threads: usize) -> Result<Runtime, Error> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .map_err(|error| Error::new(format!("cannot start the network: {error}")))
}
