//! Takes due rounds out of an object store and resolves them, without a shared folder or a database:
//! the heads of the rounds are the jobs, and a conditional write is the lease.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::Holder;
use capitalbench_archive::round::round_folder::{RoundFolder, Universes};
use capitalbench_archive::store::unit::Unit;
use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_database::jobs::{Job, Plan};
use jiff::SignedDuration;

use super::crew::{Crew, crew};
use super::held_round::{Lost, worker};
use super::resolve::{Resolution, Resolver};
use super::shared_jobs::plan;
use super::store_waiting::Waiting;
use super::worker::{JobEnd, WorkerRequest};
use crate::error::Error;
use crate::operator::{Notice, Operator};
use crate::prices::fetcher::AtLimit;
use crate::prices::sources::Fetchers;
use crate::syncing::store::Store;
use crate::syncing::store::claim::{Beating, Claim, Claimed};
use crate::syncing::store::local::{Here, Purpose};
use crate::syncing::store::log_desk::{Handed, LogDesk};
use crate::syncing::store::push::Pusher;

/// What the workers of this process share.
pub(super) struct Service<'a> {
    operator: &'a Operator,
    request: &'a WorkerRequest,
    store: Arc<Store>,
    desk: LogDesk<'a>,
    home: &'a Path,
    waiting: Waiting,
    failed: AtomicBool,
}

/// A round that is claimed in the store, and brought here.
struct Taken {
    claim: Claim,
    beating: Beating,
    folder: RoundFolder,
}

/// What came of looking for a due round.
enum Served {
    Took,
    /// Another worker claimed it first.
    Lost,
    NothingDue,
}

/// How the work on a claimed round ended.
enum Ended {
    GivenBack,
    TakenOver,
    Done(Resolution),
}

/// Works until the operator or the machine asks to stop; false when something failed.
pub fn work_in_store(
    operator: &Operator,
    request: &WorkerRequest,
    address: &str,
    home: &Path,
) -> Result<bool, Error> {
    let service = Service::open(operator, request, address, home)?;
    crew(request.concurrency, &|crew| service.work(crew))?;
    if request.once {
        for (round, holder) in service.waiting.held(operator.clock.now()) {
            let (round, holder) = (&round, &holder);
            operator.say(&Notice::HeldElsewhere { round, holder });
        }
    }
    Ok(!service.failed.load(Ordering::SeqCst))
}

impl<'a> Service<'a> {
    pub(super) fn open(
        operator: &'a Operator,
        request: &'a WorkerRequest,
        address: &str,
        home: &'a Path,
    ) -> Result<Self, Error> {
        let store = Arc::new(Store::open(&operator.configuration, address)?);
        Ok(Self {
            operator,
            request,
            desk: LogDesk::open(&store, operator, home)?,
            store,
            home,
            waiting: Waiting::default(),
            failed: AtomicBool::new(false),
        })
    }

    /// Where one worker of this process works.
    pub(super) fn place(&self) -> Result<Here, Error> {
        self.store.own_checkout(self.home, Purpose::Rounds)
    }

    /// One worker, until it is asked to stop or nothing is left.
    fn work(&self, crew: &Crew<'_>) -> Result<(), Error> {
        let here = self.place()?;
        let mut own = worker(self.request.name.as_deref(), Some(self.request.lease));
        own.owner = format!("{}-{}", own.owner, crew.number);
        let prices = &self.request.prices;
        let rounds = here.checkout.rounds();
        let resolver = Resolver {
            operator: self.operator,
            fetchers: Fetchers::open(self.operator, prices, rounds, AtLimit::Stop)?,
            worker: own,
            universes: Universes::default(),
        };
        // What could not be taken is left alone until the next pause.
        let mut skipped = BTreeSet::new();
        let mut taken = 0;
        while !crew.stopping() && self.request.max.is_none_or(|most| taken < most) {
            match self.serve(crew, &resolver, &here, &mut skipped) {
                Ok(Served::Took) => taken += 1,
                Ok(Served::Lost) => {}
                Ok(Served::NothingDue) if self.request.once => break,
                Err(error) if self.request.once => return Err(error),
                ended => {
                    if let Err(error) = ended {
                        self.operator.say(&Notice::TriesAgain(&error));
                    }
                    skipped.clear();
                    crew.pause(self.request.poll);
                }
            }
        }
        Ok(())
    }

    /// Takes a due round and resolves it.
    fn serve(
        &self,
        crew: &Crew<'_>,
        resolver: &Resolver<'_>,
        here: &Here,
        skipped: &mut BTreeSet<Unit>,
    ) -> Result<Served, Error> {
        let now = self.operator.clock.now();
        let Some(unit) = self.waiting.next_due(&self.store, now, skipped)? else {
            return Ok(Served::NothingDue);
        };
        let Claimed::Held(claim) = self.claim(&unit, resolver)? else {
            return Ok(Served::Lost);
        };
        let done = self.held(here, &claim, |taken| {
            let job = told(&taken.folder, &claim)?;
            let ended = self.resolve(crew, here, taken, resolver.resolve(&taken.folder))?;
            Ok((job, ended))
        });
        let (job, ended) = match done {
            Ok(done) => done,
            Err(error) => {
                skipped.insert(unit);
                self.failed.store(true, Ordering::SeqCst);
                self.operator.say(&Notice::Failed(&error));
                return Ok(Served::Took);
            }
        };
        let end = match ended {
            Ended::GivenBack => JobEnd::GivenBack,
            Ended::TakenOver => JobEnd::TakenOver,
            Ended::Done(resolution) => self.end_of(resolution),
        };
        self.operator.say(&Notice::JobEnded {
            job: &job,
            end: &end,
        });
        Ok(Served::Took)
    }

    /// Resolves the round of a job that a database gave out; none when the worker was asked to stop. The
    /// database says whose turn it is, and the claim in the store keeps a worker that lost it from pushing.
    pub(super) fn resolve_job(
        &self,
        crew: &Crew<'_>,
        (resolver, here): (&Resolver<'_>, &Here),
        (job, claimed): (&Job, &ResolutionJob),
        lost: Lost,
    ) -> Option<Result<Resolution, Error>> {
        let resolved = || -> Result<Ended, Error> {
            let unit = Unit::round(job.round_id.as_str());
            let unit = unit.ok_or_else(|| no_unit(job.round_id.as_str()))?;
            let claim = match self.claim(&unit, resolver)? {
                Claimed::Held(claim) => claim,
                Claimed::Lost => return Ok(Ended::TakenOver),
                Claimed::Busy(term) => {
                    let (who, until) = (term.owner, term.expires_at_utc);
                    return Ok(Ended::Done(Resolution::Busy(Holder { who, until })));
                }
            };
            self.held(here, &claim, |taken| {
                let work = resolver.resolve_claimed(&taken.folder, claimed, lost);
                let ended = self.resolve(crew, here, taken, work)?;
                if matches!(ended, Ended::Done(Resolution::NotDue)) {
                    require_completed(&taken.folder)?;
                }
                Ok(ended)
            })
        };
        match resolved() {
            Ok(Ended::GivenBack) => None,
            Ok(Ended::Done(resolution)) => Some(Ok(resolution)),
            Ok(Ended::TakenOver) => {
                let text = format!("{} was taken over by another worker", job.round_id);
                Some(Err(Error::new(text)))
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn claim(&self, unit: &Unit, resolver: &Resolver<'_>) -> Result<Claimed, Error> {
        let length = SignedDuration::try_from(self.request.lease);
        let length = length.unwrap_or(SignedDuration::from_mins(5));
        let name = format!("{} on {}", resolver.worker.owner, resolver.worker.host);
        self.store.claim(unit, &name, length)
    }

    /// Brings a claimed round here, works on it and gives it back, however that ends.
    fn held<T>(
        &self,
        here: &Here,
        claim: &Claim,
        work: impl FnOnce(&Taken) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let beating = Beating::start(&self.store, claim);
        let done = self
            .bring(here, claim, beating)
            .and_then(|taken| work(&taken));
        self.store.give_back(claim)?;
        done
    }

    fn bring(&self, here: &Here, claim: &Claim, beating: Beating) -> Result<Taken, Error> {
        self.store.pull_claimed(here, &claim.unit)?;
        let folder = RoundFolder::open(&here.checkout.rounds().join(claim.unit.name()))?;
        // What a round promises is judged by its events; other rounds need no log to be resolved.
        if !folder
            .parse(layout::MANIFEST, manifest::parse)?
            .proof
            .is_none()
        {
            self.store.pull_own(here, &Unit::Log)?;
        }
        Ok(Taken {
            claim: claim.clone(),
            beating,
            folder,
        })
    }

    /// Works on a round and pushes what came of it.
    fn resolve(
        &self,
        crew: &Crew<'_>,
        here: &Here,
        taken: &Taken,
        work: impl Future<Output = Result<Resolution, Error>>,
    ) -> Result<Ended, Error> {
        let Some(resolution) = crew.unless_stopped(work) else {
            return Ok(Ended::GivenBack);
        };
        let resolution = resolution?;
        if taken.beating.lost.load(Ordering::SeqCst) {
            return Ok(Ended::TakenOver);
        }
        let pusher = Pusher {
            operator: self.operator,
            here,
            claim: Some(&taken.claim),
        };
        let stopping = || crew.stopping();
        let resolution = match self.desk.push(&pusher, &taken.claim.unit, &stopping)? {
            Handed::Pushed => resolution,
            Handed::Refused(error) => self.fail(&pusher, taken, resolution, &error)?,
            Handed::Stopped => return Ok(Ended::GivenBack),
        };
        Ok(Ended::Done(resolution))
    }

    /// Notes in a round as the store has it that an attempt failed: what the attempt wrote contradicts the
    /// log, so only its job tells of it.
    fn fail(
        &self,
        pusher: &Pusher<'_>,
        taken: &Taken,
        resolution: Resolution,
        refused: &Error,
    ) -> Result<Resolution, Error> {
        self.store.pull_own(pusher.here, &taken.claim.unit)?;
        let mut job = job_of(&taken.folder)?;
        // Why it failed is worth more than that the log refuses to sign what failed.
        let error = match resolution {
            Resolution::Failed { error, .. } => error,
            _ => refused.to_string(),
        };
        // Where this machine keeps the round is nobody's business, and the job is public.
        let own = format!("{}/", pusher.here.checkout.rounds().display());
        let error = error.replace(&own, "");
        let now = self.operator.clock.now();
        job.begin(now);
        job.fail(&error, now);
        jobs::store(&taken.folder, &job)?;
        self.desk.push_untold(pusher, &taken.claim.unit)?;
        Ok(Resolution::Failed {
            error,
            next: job.next_attempt(),
        })
    }

    /// The jobs of rounds that wait in the store and that a database does not know.
    pub(super) fn open_jobs(&self, here: &Here, known: &[Job]) -> Result<Vec<Plan>, Error> {
        let known: BTreeSet<&str> = known.iter().map(|job| job.round_id.as_str()).collect();
        let mut plans = Vec::new();
        for (unit, _) in self.waiting.free(&self.store, self.operator.clock.now())? {
            if known.contains(unit.name()) {
                continue;
            }
            self.store.pull_own(here, &unit)?;
            let folder = RoundFolder::open(&here.checkout.rounds().join(unit.name()))?;
            plans.push(plan(&job_of(&folder)?));
        }
        Ok(plans)
    }

    fn end_of(&self, resolution: Resolution) -> JobEnd {
        match resolution {
            Resolution::Resolved { .. } => JobEnd::Resolved,
            Resolution::NotDue => JobEnd::WasResolved,
            Resolution::Waiting { until, reason } => JobEnd::Waits { until, reason },
            Resolution::Busy(holder) => JobEnd::Busy { holder: holder.who },
            Resolution::Failed { error, next } => {
                self.failed.store(true, Ordering::SeqCst);
                let is_given_up = next.is_none();
                JobEnd::Failed { error, is_given_up }
            }
        }
    }
}

fn job_of(folder: &RoundFolder) -> Result<ResolutionJob, Error> {
    let job = jobs::load(folder)?;
    job.ok_or_else(|| Error::new(format!("{} has no job", folder.name())))
}

/// Refuses a round without a result whose job is over: it was cancelled.
pub(super) fn require_completed(folder: &RoundFolder) -> Result<(), Error> {
    if jobs::load(folder)?.is_some_and(|stored| stored.completed_at.is_some()) {
        return Ok(());
    }
    let text = format!("the job in {} is cancelled", folder.name());
    Err(Error::new(text).hint("use automation-retry or automation-cancel"))
}

fn no_unit(round: &str) -> Error {
    Error::new(format!("{round} cannot be the name of a round in a store"))
}

/// The job of a claimed round, as a listener is told of it.
fn told(folder: &RoundFolder, claim: &Claim) -> Result<Job, Error> {
    let job = job_of(folder)?;
    Ok(Job {
        next_attempt_at: job.next_attempt(),
        round_id: job.round_id,
        run_id: job.run_id,
        due_at: job.due_at,
        status: "running".to_owned(),
        attempts: job.attempts,
        max_attempts: job.max_attempts,
        last_error: job.last_error,
        lease_number: claim.fence.cast_signed(),
        lease_holder: Some(claim.owner.clone()),
        lease_until: None,
        completed_at: job.completed_at,
    })
}
