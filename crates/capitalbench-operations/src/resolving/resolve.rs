//! One due round from its job to its report: prices, score, report, each picked up where a worker
//! that died left it.

use capitalbench_archive::disk::file_ops;
use capitalbench_archive::disk::layout::{self, run};
use capitalbench_archive::format::prices::provenance::{Coverage, Purpose};
use capitalbench_archive::prices::price_record::PriceRecord;
use capitalbench_archive::prices::unproved_prices;
use capitalbench_archive::results::scoring::score_run;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::{Holder, Worker};
use capitalbench_archive::round::round_folder::{RoundFolder, RoundInputs, Universes};
use capitalbench_archive::verify::derivation;
use capitalbench_core::round::resolution_job::ResolutionJob;
use jiff::Timestamp;

use super::held_round::{HeldRound, Lost, is_over};
use super::score::{Reasons, RuledRun, Writing, refuse_changed_inputs, score};
use crate::error::Error;
use crate::operator::Operator;
use crate::prices::fetch::{Fetched, fetch_prices};
use crate::prices::fetcher::Stopped;
use crate::prices::plan::{FetchPlan, options, require_final_rows, window};
use crate::prices::sources::Fetchers;
use crate::proof::record::record;
use crate::publishing::report;

/// A worker, with the prices it resolves by.
pub struct Resolver<'a> {
    pub operator: &'a Operator,
    pub fetchers: Fetchers<'a>,
    pub worker: Worker,
    pub universes: Universes,
}

/// What came of a due round.
#[derive(Debug)]
pub enum Resolution {
    /// It has its result.
    Resolved { warnings: usize },
    /// A plan is used up; it goes on at this instant.
    Waiting { until: Timestamp, reason: String },
    /// The attempt failed; the next one is at this instant, if there is one.
    Failed {
        error: String,
        next: Option<Timestamp>,
    },
    /// Another worker has it.
    Busy(Holder),
    /// Another worker was quicker.
    NotDue,
}

impl Resolver<'_> {
    /// Resolves a round whose job is due, unless another worker has it or had it.
    pub async fn resolve(&self, folder: &RoundFolder) -> Result<Resolution, Error> {
        let due = || -> Result<Option<ResolutionJob>, Error> {
            let job = jobs::load(folder)?;
            Ok(job.filter(|job| job.is_due(self.operator.clock.now())))
        };
        self.work(folder, &due, None).await
    }

    /// Resolves a round whose job was claimed elsewhere, which decides when; the job in the folder
    /// follows it, and only one that succeeded or was cancelled stays as it is.
    pub async fn resolve_claimed(
        &self,
        folder: &RoundFolder,
        claimed: &ResolutionJob,
        lost: Lost,
    ) -> Result<Resolution, Error> {
        let due = || -> Result<Option<ResolutionJob>, Error> {
            let job = jobs::load(folder)?;
            Ok(match job {
                Some(job) if is_over(&job) && job.run_id == claimed.run_id => None,
                Some(job) => Some(ResolutionJob {
                    created_at: job.created_at,
                    ..claimed.clone()
                }),
                None => Some(claimed.clone()),
            })
        };
        self.work(folder, &due, Some(lost)).await
    }

    async fn work(
        &self,
        folder: &RoundFolder,
        due: &dyn Fn() -> Result<Option<ResolutionJob>, Error>,
        lost: Option<Lost>,
    ) -> Result<Resolution, Error> {
        if due()?.is_none() {
            return Ok(Resolution::NotDue);
        }
        let held = match HeldRound::take(folder, &self.worker)? {
            Ok(held) => held.until(lost),
            Err(holder) => return Ok(Resolution::Busy(holder)),
        };
        // Another worker may have finished before the round was ours.
        let Some(mut job) = due()? else {
            held.release()?;
            return Ok(Resolution::NotDue);
        };
        job.begin(self.operator.clock.now());
        jobs::store(folder, &job)?;
        let attempted = self.attempt(folder, &job, &held).await;
        held.require()?;
        let now = self.operator.clock.now();
        match &attempted {
            Ok(Resolution::Waiting { until, reason }) => job.defer(reason, *until),
            Ok(_) => job.succeed(now),
            Err(error) => job.fail(&error.to_string(), now),
        }
        let resolution = attempted.unwrap_or_else(|_| Resolution::Failed {
            error: job.last_error.clone(),
            next: job.next_attempt(),
        });
        jobs::store(folder, &job)?;
        let recorded = record(self.operator, folder, self.operator.clock.now());
        // Why it failed is worth more than that the log refuses to sign what failed.
        if !matches!(resolution, Resolution::Failed { .. }) {
            recorded?;
        }
        held.release()?;
        Ok(resolution)
    }

    async fn attempt(
        &self,
        folder: &RoundFolder,
        job: &ResolutionJob,
        held: &HeldRound,
    ) -> Result<Resolution, Error> {
        let inputs = RoundInputs::load(folder.clone(), &self.universes)?;
        refuse_changed_inputs(&inputs)?;
        let run = record_of(folder, job)?;
        // Before any price is fetched: what is refused later would be fetched again every time.
        derivation::require(&inputs, &run.folder)?;
        for unfinished in [folder.file(layout::PRICES), run.folder.file(run::RESULTS)] {
            file_ops::remove_unfinished(&unfinished)?;
        }
        if !has_usable_prices(&inputs, &run)?
            && let Some(stopped) = self.fetch(&inputs, held).await?
        {
            return Ok(Resolution::Waiting {
                until: stopped.at,
                reason: stopped.to_string(),
            });
        }
        held.require()?;
        let now = || self.operator.clock.now();
        let writing = Writing::Write(Reasons::default());
        let scored = score(self.operator, &inputs, &run, now(), &writing)?;
        held.require()?;
        report::publish(self.operator, &inputs, &run.folder, now())?;
        Ok(Resolution::Resolved {
            warnings: scored.result.price_problems.len(),
        })
    }

    /// Fetches both sides of the whole universe; some when a limit ended it.
    async fn fetch(
        &self,
        inputs: &RoundInputs,
        held: &HeldRound,
    ) -> Result<Option<Stopped>, Error> {
        let window = window(inputs, None, None)?;
        let plan = FetchPlan {
            inputs,
            window,
            purpose: Purpose::Final,
            coverage: Coverage::FullUniverse,
            options: options(inputs, window.exit, Coverage::FullUniverse, None)?,
            correct: Some(NOT_USABLE.to_owned()),
            other_source: None,
            accept_moves: None,
        };
        require_final_rows(&plan, self.operator.clock.now())?;
        Ok(match fetch_prices(&plan, &self.fetchers, held).await? {
            Fetched::Stored { .. } => None,
            Fetched::Stopped(stopped) => Some(stopped),
        })
    }
}

/// Why the worker itself replaces prices that are there.
const NOT_USABLE: &str =
    "the prices that were there were not those of one whole fetch, or gave no result";

/// The run that the job names, as long as it is the record.
fn record_of(folder: &RoundFolder, job: &ResolutionJob) -> Result<RuledRun, Error> {
    let official = RuledRun::official(folder)?
        .map_err(|reason| Error::new(format!("{} has no record: {reason}", folder.name())))?;
    let run_id = official.folder.run_id();
    if *run_id != job.run_id {
        let text = format!("the job names {}, but the record is {run_id}", job.run_id);
        return Err(Error::new(text).hint("schedule it again with `automation-retry`"));
    }
    Ok(official)
}

/// Whether the prices that are there are those of one whole fetch and give a result.
///
/// Anything less is fetched again: a worker may have died between two of their files, and a vendor
/// may have corrected what was refused.
fn has_usable_prices(inputs: &RoundInputs, run: &RuledRun) -> Result<bool, Error> {
    let folder = &inputs.folder;
    if !folder.file(layout::EXIT_PRICES).is_file() {
        return Ok(false);
    }
    let whole = match PriceRecord::load(folder) {
        Ok(None) => unproved_prices::is_accepted(folder)?,
        Ok(Some(record)) => {
            let provenance = &record.provenance;
            provenance.purpose == Purpose::Final && provenance.coverage == Coverage::FullUniverse
        }
        Err(_) => false,
    };
    Ok(whole && score_run(inputs, &run.folder, run.rules).is_ok())
}
