//! `worker`: takes due jobs out of the database and resolves their rounds, as a service.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anstream::adapter::strip_str;
use capitalbench_archive::round::round_folder::{RoundFolder, Universes};
use capitalbench_core::round::resolution_job::ResolutionJob;
use capitalbench_database::direct::DatabaseUrl;
use capitalbench_database::gateway::GatewayError;
use capitalbench_database::jobs::{Job, Jobs};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

use super::Exit;
use super::price_source::{asking, open_counted, open_second, state_folder};
use crate::cli;
use crate::clock::Clock;
use crate::console::{DIM, ERROR, GOOD, WARNING, document, line, paint, remark};
use crate::error::CommandError;
use crate::steps::asking::AtLimit;
use crate::steps::boards;
use crate::steps::fetch_prices::Other;
use crate::steps::held_round::{Lost, worker};
use crate::steps::public_store::{Target, follow_folder, told};
use crate::steps::record;
use crate::steps::resolve::{Resolution, Resolver};
use crate::steps::shared_jobs::open_jobs;
use crate::steps::stopped;

/// What the workers of this process share.
struct Service {
    arguments: cli::Worker,
    rounds: PathBuf,
    database: DatabaseUrl,
    clock: Clock,
    stop: watch::Receiver<bool>,
    /// Something was resolved, perhaps by a process that died, and the boards do not show it yet.
    unpublished: AtomicBool,
    publishing: Mutex<()>,
    failed: AtomicBool,
}

pub(crate) fn run(arguments: &cli::Worker) -> Result<Exit, CommandError> {
    let fault = |error: std::io::Error| CommandError::new(error.to_string());
    let database = Target::owner()?;
    let folder = &arguments.rounds.folder;
    let rounds = std::fs::canonicalize(folder)
        .map_err(|error| CommandError::new(format!("{}: {error}", folder.display())))?;
    let mut runtime = Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(fault)?;
    let (tell, stop) = watch::channel(false);
    let service = Arc::new(Service {
        arguments: arguments.clone(),
        rounds,
        database,
        clock: Clock::starting_at(None),
        stop,
        unpublished: AtomicBool::new(true),
        publishing: Mutex::new(()),
        failed: AtomicBool::new(false),
    });
    let ended = runtime.block_on(async {
        let asked = stopped()?;
        tokio::spawn(async move {
            asked.await;
            tell.send(true)
        });
        let workers: Vec<_> = (1..=arguments.concurrency)
            .map(|number| {
                let service = Arc::clone(&service);
                tokio::task::spawn_blocking(move || service.work(number))
            })
            .collect();
        let mut ended = Ok(());
        for worker in workers {
            let own = worker.await;
            let own = own.map_err(|error| CommandError::new(error.to_string()));
            ended = ended.and(own.and_then(|own| own));
        }
        ended
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    ended?;
    let failed = arguments.once && service.failed.load(Ordering::SeqCst);
    Ok(Exit::of(!failed))
}

impl Service {
    fn stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Waits, or not when the end is asked for.
    fn pause(&self, runtime: &Handle) {
        let mut stop = self.stop.clone();
        runtime.block_on(async {
            let asked = stop.wait_for(|stop| *stop);
            let _ = tokio::time::timeout(self.arguments.poll, asked).await;
        });
    }

    /// One worker, until the end is asked for or nothing is left.
    fn work(&self, number: u16) -> Result<(), CommandError> {
        let runtime = Handle::current();
        let state = state_folder(&self.rounds)?;
        let choice = &self.arguments.source;
        let opened = open_counted(choice.source, choice.histories.as_deref())?;
        let cross_check = &self.arguments.cross_check;
        let second = open_second(cross_check)?;
        let given = self.arguments.name.as_deref();
        let mut own = worker(given, Some(self.arguments.lease));
        own.owner = format!("{}-{number}", own.owner);
        let resolver = Resolver {
            asking: asking(&opened, &state, self.clock, AtLimit::Stop),
            other: second.as_ref().map(|opened| Other {
                asking: asking(opened, &state, self.clock, AtLimit::Stop),
                tolerance_bps: cross_check.tolerance_bps,
            }),
            worker: own,
            clock: self.clock,
            universes: Universes::default(),
        };
        while !self.stopping() {
            let ended = self.serve(&runtime, &resolver, number == 1);
            match ended {
                Ok(()) if self.arguments.once => break,
                Ok(()) => self.pause(&runtime),
                Err(error) if self.arguments.once => return Err(told(&error)),
                Err(error) => {
                    remark(format!("{} {error}", paint(WARNING, "warning:")));
                    self.pause(&runtime);
                }
            }
        }
        Ok(())
    }

    /// Connects, and works until no job is due.
    fn serve(
        &self,
        runtime: &Handle,
        resolver: &Resolver<'_>,
        is_first: bool,
    ) -> Result<(), GatewayError> {
        let jobs = Arc::new(runtime.block_on(Jobs::connect(&self.database))?);
        if is_first {
            match open_jobs(&self.rounds) {
                Ok(plans) => runtime.block_on(jobs.schedule(&plans))?,
                Err(error) => error.report(),
            }
        }
        let name = format!("{} on {}", resolver.worker.owner, resolver.worker.host);
        let seconds = i32::try_from(self.arguments.lease.as_secs()).unwrap_or(i32::MAX);
        while !self.stopping() {
            let Some(job) = runtime.block_on(jobs.claim(&name, seconds))? else {
                self.publish();
                return Ok(());
            };
            let lost = Lost::default();
            let beating = runtime.spawn(beat(
                Arc::clone(&jobs),
                job.clone(),
                self.arguments.lease,
                Arc::clone(&lost),
            ));
            let resolution = runtime.block_on(self.resolve(resolver, &job, lost));
            beating.abort();
            runtime.block_on(self.report(&jobs, &job, resolution))?;
        }
        Ok(())
    }

    /// Resolves the round of a job; none when the end was asked for meanwhile.
    async fn resolve(
        &self,
        resolver: &Resolver<'_>,
        job: &Job,
        lost: Lost,
    ) -> Option<Result<Resolution, CommandError>> {
        let mut stop = self.stop.clone();
        let work = async {
            let folder = RoundFolder::open(&self.rounds.join(job.round_id.as_str()))?;
            let mut claimed = ResolutionJob::schedule(
                job.round_id.clone(),
                job.run_id.clone(),
                job.due_at,
                self.clock.now(),
            );
            claimed.attempts = job.attempts.saturating_sub(1);
            claimed.max_attempts = job.max_attempts;
            resolver.resolve_claimed(&folder, &claimed, lost).await
        };
        tokio::select! {
            resolution = work => Some(resolution),
            _ = stop.wait_for(|stop| *stop) => None,
        }
    }

    /// Tells the database and the operator what came of a job.
    async fn report(
        &self,
        jobs: &Jobs,
        job: &Job,
        resolution: Option<Result<Resolution, CommandError>>,
    ) -> Result<(), GatewayError> {
        let done = |how: Value| json!({"lease_number": job.lease_number, "result": how});
        let (word, kept) = match resolution {
            None => {
                let reason = "its worker was stopped";
                (
                    "given back".to_owned(),
                    jobs.defer(job, reason, None).await?,
                )
            }
            Some(Ok(Resolution::Resolved { warnings })) => {
                self.unpublished.store(true, Ordering::SeqCst);
                let outcome = done(json!({"warnings": warnings}));
                (paint(GOOD, "resolved"), jobs.finish(job, &outcome).await?)
            }
            Some(Ok(Resolution::Waiting { until, reason })) => {
                let word = format!("{} until {until}: {reason}", paint(WARNING, "waits"));
                (word, jobs.defer(job, &reason, Some(until)).await?)
            }
            Some(Ok(Resolution::Busy(holder))) => {
                let reason = format!("the folder is with {}", holder.who);
                let kept = jobs.defer(job, &reason, Some(holder.until)).await?;
                (paint(DIM, reason), kept)
            }
            Some(Ok(Resolution::NotDue)) => {
                self.found_over(jobs, job, done(json!("found"))).await?
            }
            Some(Ok(Resolution::Failed { error, .. })) => self.failed(jobs, job, &error).await?,
            Some(Err(error)) => self.failed(jobs, job, &error.to_string()).await?,
        };
        let word = if kept {
            word
        } else {
            paint(WARNING, "another worker has taken it over")
        };
        if self.arguments.output.json {
            let told = strip_str(&word).to_string();
            document(
                &json!({"round_id": job.round_id.as_str(), "attempt": job.attempts, "told": told}),
            );
        } else {
            line(format!("{}: {word}", job.round_id));
        }
        Ok(())
    }

    /// The folder says that the round is resolved, or that nobody shall resolve it.
    async fn found_over(
        &self,
        jobs: &Jobs,
        job: &Job,
        outcome: Value,
    ) -> Result<(String, bool), GatewayError> {
        match self.signed_result(job) {
            Ok(true) => {}
            Ok(false) => {
                let reason =
                    "the job in the folder is cancelled; use automation-retry or automation-cancel";
                return self.failed(jobs, job, reason).await;
            }
            Err(error) => return self.failed(jobs, job, &error.to_string()).await,
        }
        self.unpublished.store(true, Ordering::SeqCst);
        let kept = jobs.finish(job, &outcome).await?;
        Ok(("was resolved already".to_owned(), kept))
    }

    /// Whether the folder has the result; who made it may have died before it was signed.
    fn signed_result(&self, job: &Job) -> Result<bool, CommandError> {
        let folder = RoundFolder::open(&self.rounds.join(job.round_id.as_str()))?;
        let stored = capitalbench_archive::round::jobs::load(&folder)?;
        let succeeded = stored.is_some_and(|stored| stored.completed_at.is_some());
        if succeeded {
            record::record(&folder, self.clock.now())?;
        }
        Ok(succeeded)
    }

    async fn failed(
        &self,
        jobs: &Jobs,
        job: &Job,
        error: &str,
    ) -> Result<(String, bool), GatewayError> {
        self.failed.store(true, Ordering::SeqCst);
        let status = jobs.fail(job, error).await?;
        let next = match status.as_deref() {
            Some("given_up") => " (given up)",
            _ => "",
        };
        let word = format!("{}{next}: {error}", paint(ERROR, "failed"));
        Ok((word, status.is_some()))
    }

    /// Makes the boards anew and syncs, once for everything that was resolved; what failed is tried
    /// again the next time.
    fn publish(&self) {
        let Ok(_one_at_a_time) = self.publishing.lock() else {
            return;
        };
        if !self.unpublished.swap(false, Ordering::SeqCst) {
            return;
        }
        let beside = self.rounds.join("../boards");
        let output = self.arguments.boards_dir.as_deref().unwrap_or(&beside);
        let rebuilt = boards::rebuild(&self.rounds, output, self.clock.now());
        if let Err(error) = &rebuilt {
            error.report();
        }
        let synced = follow_folder(&self.rounds, self.clock.now());
        if rebuilt.is_err() || synced != Exit::Success {
            self.unpublished.store(true, Ordering::SeqCst);
            self.failed.store(true, Ordering::SeqCst);
        }
    }
}

/// Renews the lease of a job four times in its length; raises `lost` when it is somebody else's, or
/// when the database was not heard of for more than half of it.
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
