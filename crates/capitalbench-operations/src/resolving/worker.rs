//! Takes due jobs out of the database and resolves their rounds, as a service.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use capitalbench_archive::round::round_folder::{RoundFolder, Universes};
use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::jobs::{Job, Jobs};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::crew::{Crew, crew};
use super::held_round::{Lost, worker};
use super::resolve::{Resolution, Resolver};
use super::shared_jobs::open_jobs;
use super::store_worker;
use crate::error::Error;
use crate::operator::files::absolute;
use crate::operator::{Notice, Operator};
use crate::prices::fetcher::AtLimit;
use crate::prices::sources::{Fetchers, PriceChoice};
use crate::proof::record::record;
use crate::publishing::boards;
use crate::syncing::follow::follow_folder;
use crate::syncing::store::local::Here;

/// How a worker works.
#[derive(Debug)]
pub struct WorkerRequest {
    pub rounds: PathBuf,
    pub prices: PriceChoice,
    pub name: Option<String>,
    pub lease: Duration,
    /// How long to wait when no job is due.
    pub poll: Duration,
    pub concurrency: u16,
    /// End when no job is due, in place of waiting.
    pub once: bool,
    /// Most rounds that a worker of a store takes.
    pub max: Option<usize>,
    /// Where the boards go; by default beside the rounds.
    pub boards: Option<PathBuf>,
}

/// How the work on a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    Resolved,
    /// The folder had the result already.
    WasResolved,
    /// A price plan is used up.
    Waits {
        until: Timestamp,
        reason: String,
    },
    /// Another process works on the folder.
    Busy {
        holder: String,
    },
    /// The worker was stopped.
    GivenBack,
    Failed {
        error: String,
        is_given_up: bool,
    },
    /// Another worker claimed the job meanwhile.
    TakenOver,
}

/// What the workers of this process share.
struct Service<'a> {
    operator: &'a Operator,
    request: &'a WorkerRequest,
    rounds: PathBuf,
    /// Where the rounds are, if not in that folder.
    store: Option<store_worker::Service<'a>>,
    database: DatabaseUrl,
    /// Something was resolved, perhaps by a process that died, and the boards do not show it yet.
    unpublished: AtomicBool,
    publishing: Mutex<()>,
    failed: AtomicBool,
}

/// Works until the operator or the machine asks to stop; false when something failed.
pub fn work(operator: &Operator, request: &WorkerRequest) -> Result<bool, Error> {
    work_on(operator, request, None)
}

/// The same for jobs whose rounds are in a store.
pub fn work_with_store(
    operator: &Operator,
    request: &WorkerRequest,
    address: &str,
    home: &Path,
) -> Result<bool, Error> {
    let store = store_worker::Service::open(operator, request, address, home)?;
    work_on(operator, request, Some(store))
}

fn work_on(
    operator: &Operator,
    request: &WorkerRequest,
    store: Option<store_worker::Service<'_>>,
) -> Result<bool, Error> {
    let database = operator.configuration.required_database()?;
    let rounds = absolute(&request.rounds)?;
    let service = Service {
        operator,
        request,
        rounds,
        store,
        database,
        unpublished: AtomicBool::new(true),
        publishing: Mutex::new(()),
        failed: AtomicBool::new(false),
    };
    crew(request.concurrency, &|crew| service.work(crew))?;
    Ok(!service.failed.load(Ordering::SeqCst))
}

impl Service<'_> {
    /// One worker, until it is asked to stop or nothing is left.
    fn work(&self, crew: &Crew<'_>) -> Result<(), Error> {
        let number = crew.number;
        let prices = &self.request.prices;
        let mut own = worker(self.request.name.as_deref(), Some(self.request.lease));
        own.owner = format!("{}-{number}", own.owner);
        let store = self.store.as_ref();
        let here = store.map(store_worker::Service::place).transpose()?;
        let rounds = here
            .as_ref()
            .map_or(&*self.rounds, |here| here.checkout.rounds());
        let resolver = Resolver {
            operator: self.operator,
            fetchers: Fetchers::open(self.operator, prices, rounds, AtLimit::Stop)?,
            worker: own,
            universes: Universes::default(),
        };
        let here = store.zip(here.as_ref());
        while !crew.stopping() {
            match self.serve(crew, &resolver, here) {
                Ok(()) if self.request.once => break,
                Ok(()) => {}
                Err(error) if self.request.once => return Err(error.into()),
                Err(error) => self.operator.say(&Notice::TriesAgain(&error.into())),
            }
            crew.pause(self.request.poll);
        }
        Ok(())
    }

    /// Connects, and works until no job is due.
    fn serve(
        &self,
        crew: &Crew<'_>,
        resolver: &Resolver<'_>,
        store: Option<(&store_worker::Service<'_>, &Here)>,
    ) -> Result<(), GatewayError> {
        let runtime = crew.runtime;
        let jobs = Arc::new(runtime.block_on(Jobs::connect(&self.database))?);
        if crew.number == 1 {
            let plans = match store {
                Some((store, here)) => store.open_jobs(here, &runtime.block_on(jobs.all())?),
                None => open_jobs(self.operator, &self.rounds),
            };
            match plans {
                Ok(plans) => runtime.block_on(jobs.schedule(&plans))?,
                Err(error) => self.operator.say(&Notice::Failed(&error)),
            }
        }
        let name = format!("{} on {}", resolver.worker.owner, resolver.worker.host);
        let seconds = i32::try_from(self.request.lease.as_secs()).unwrap_or(i32::MAX);
        while !crew.stopping() {
            let Some(job) = runtime.block_on(jobs.claim(&name, seconds))? else {
                self.publish();
                return Ok(());
            };
            let lost = Lost::default();
            let beating = runtime.spawn(beat(
                Arc::clone(&jobs),
                job.clone(),
                self.request.lease,
                Arc::clone(&lost),
            ));
            let claimed = self.claimed(&job);
            let resolution = match store {
                Some((store, here)) => {
                    store.resolve_job(crew, (resolver, here), (&job, &claimed), lost)
                }
                None => crew.unless_stopped(self.resolve(resolver, &job, &claimed, lost)),
            };
            beating.abort();
            let end = runtime.block_on(self.settle(&jobs, &job, resolution))?;
            self.operator.say(&Notice::JobEnded {
                job: &job,
                end: &end,
            });
        }
        Ok(())
    }

    /// Resolves the round of a job.
    async fn resolve(
        &self,
        resolver: &Resolver<'_>,
        job: &Job,
        claimed: &ResolutionJob,
        lost: Lost,
    ) -> Result<Resolution, Error> {
        let folder = RoundFolder::open(&self.rounds.join(job.round_id.as_str()))?;
        resolver.resolve_claimed(&folder, claimed, lost).await
    }

    /// A job of the database in the form that a folder takes.
    fn claimed(&self, job: &Job) -> ResolutionJob {
        let mut claimed = ResolutionJob::schedule(
            job.round_id.clone(),
            job.run_id.clone(),
            job.due_at,
            self.operator.clock.now(),
        );
        claimed.attempts = job.attempts.saturating_sub(1);
        claimed.max_attempts = job.max_attempts;
        claimed
    }

    /// Tells the database what came of a job.
    async fn settle(
        &self,
        jobs: &Jobs,
        job: &Job,
        resolution: Option<Result<Resolution, Error>>,
    ) -> Result<JobEnd, GatewayError> {
        let done = |how: Value| json!({"lease_number": job.lease_number, "result": how});
        let (end, kept) = match resolution {
            None => {
                let kept = jobs.defer(job, "its worker was stopped", None).await?;
                (JobEnd::GivenBack, kept)
            }
            Some(Ok(Resolution::Resolved { warnings })) => {
                self.unpublished.store(true, Ordering::SeqCst);
                let outcome = done(json!({"warnings": warnings}));
                (JobEnd::Resolved, jobs.finish(job, &outcome).await?)
            }
            Some(Ok(Resolution::Waiting { until, reason })) => {
                let kept = jobs.defer(job, &reason, Some(until)).await?;
                (JobEnd::Waits { until, reason }, kept)
            }
            Some(Ok(Resolution::Busy(holder))) => {
                let reason = format!("the folder is with {}", holder.who);
                let kept = jobs.defer(job, &reason, Some(holder.until)).await?;
                (JobEnd::Busy { holder: holder.who }, kept)
            }
            Some(Ok(Resolution::NotDue)) => match self.sign_result(job) {
                Ok(()) => {
                    self.unpublished.store(true, Ordering::SeqCst);
                    let kept = jobs.finish(job, &done(json!("found"))).await?;
                    (JobEnd::WasResolved, kept)
                }
                Err(error) => self.failed(jobs, job, error.to_string()).await?,
            },
            Some(Ok(Resolution::Failed { error, .. })) => self.failed(jobs, job, error).await?,
            Some(Err(error)) => self.failed(jobs, job, error.to_string()).await?,
        };
        Ok(if kept { end } else { JobEnd::TakenOver })
    }

    /// Signs the result that the folder has: the process that made it may have died before that.
    fn sign_result(&self, job: &Job) -> Result<(), Error> {
        if self.store.is_some() {
            // A round has its result in a store only together with the log that tells of it; whether it has
            // one was asked while it was held.
            return Ok(());
        }
        let folder = RoundFolder::open(&self.rounds.join(job.round_id.as_str()))?;
        store_worker::require_completed(&folder)?;
        record(self.operator, &folder, self.operator.clock.now()).map(drop)
    }

    async fn failed(
        &self,
        jobs: &Jobs,
        job: &Job,
        error: String,
    ) -> Result<(JobEnd, bool), GatewayError> {
        self.failed.store(true, Ordering::SeqCst);
        let status = jobs.fail(job, &error).await?;
        let is_given_up = status.as_deref() == Some("given_up");
        Ok((JobEnd::Failed { error, is_given_up }, status.is_some()))
    }

    /// Rebuilds the boards and syncs, once for everything that was resolved; what failed is tried
    /// again the next time.
    fn publish(&self) {
        let Ok(_one_at_a_time) = self.publishing.lock() else {
            return;
        };
        // A worker of a store has no folder of all rounds.
        if !self.unpublished.swap(false, Ordering::SeqCst) || self.store.is_some() {
            return;
        }
        let output = boards::folder(&self.rounds, self.request.boards.as_deref());
        let rebuilt = boards::rebuild(&self.rounds, &output, self.operator.clock.now());
        if let Err(error) = &rebuilt {
            self.operator.say(&Notice::Failed(error));
        }
        let followed = follow_folder(self.operator, &self.rounds);
        self.operator.say(&Notice::Followed(&followed));
        if rebuilt.is_err() || followed.is_failed() {
            self.unpublished.store(true, Ordering::SeqCst);
            self.failed.store(true, Ordering::SeqCst);
        }
    }
}

/// Renews the lease of a job four times in its length; raises `lost` when another worker has it, or
/// when the database did not answer for more than half of it.
async fn beat(jobs: Arc<Jobs>, job: Job, lease: Duration, lost: Lost) {
    let seconds = i32::try_from(lease.as_secs()).unwrap_or(i32::MAX);
    let mut heard = tokio::time::Instant::now();
    loop {
        tokio::time::sleep(lease / 4).await;
        match tokio::time::timeout(lease / 4, jobs.heartbeat(&job, seconds)).await {
            Ok(Ok(true)) => heard = tokio::time::Instant::now(),
            Ok(Ok(false)) => break,
            Ok(Err(_)) | Err(_) if heard.elapsed() > lease / 2 => break,
            Ok(Err(_)) | Err(_) => {}
        }
    }
    lost.store(true, Ordering::SeqCst);
}
