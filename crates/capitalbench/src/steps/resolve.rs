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
use capitalbench_archive::run::run_folder::RunFolder;
use capitalbench_archive::verify::derivation;
use capitalbench_core::asking::run::{RunRules, official_run};
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use jiff::Timestamp;

use super::asking::Asking;
use super::fetch_prices::{
    FetchPlan, Fetched, Other, fetch_prices, options, require_final_rows, window,
};
use super::held_round::{HeldRound, Lost};
use super::record;
use super::report;
use super::score::{Writing, refuse_changed_inputs, score};
use crate::clock::Clock;
use crate::error::CommandError;

/// Who resolves, and with which prices.
pub(crate) struct Resolver<'a> {
    pub(crate) asking: Asking<'a>,
    pub(crate) other: Option<Other<'a>>,
    pub(crate) worker: Worker,
    pub(crate) clock: Clock,
    pub(crate) universes: Universes,
}

/// What came of a due round.
#[derive(Debug)]
pub(crate) enum Resolution {
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

/// How an attempt ended that did not fail.
enum Attempt {
    Resolved { warnings: usize },
    Stopped { until: Timestamp, reason: String },
}

impl Resolver<'_> {
    /// Resolves a round whose job is due, unless another worker has it or had it.
    pub(crate) async fn resolve(&self, folder: &RoundFolder) -> Result<Resolution, CommandError> {
        let due = || -> Result<Option<ResolutionJob>, CommandError> {
            let job = jobs::load(folder)?;
            Ok(job.filter(|job| job.is_due(self.clock.now())))
        };
        self.work(folder, &due, None).await
    }

    /// Resolves a round whose job was claimed elsewhere, which decides when; the job in the folder
    /// follows it, and only one that succeeded or was cancelled stays as it is.
    pub(crate) async fn resolve_claimed(
        &self,
        folder: &RoundFolder,
        claimed: &ResolutionJob,
        lost: Lost,
    ) -> Result<Resolution, CommandError> {
        let due = || -> Result<Option<ResolutionJob>, CommandError> {
            let job = jobs::load(folder)?;
            let over = |job: &ResolutionJob| {
                matches!(job.status, JobStatus::Succeeded | JobStatus::Cancelled)
            };
            Ok(match job {
                Some(job) if over(&job) && job.run_id == claimed.run_id => None,
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
        due: &dyn Fn() -> Result<Option<ResolutionJob>, CommandError>,
        lost: Option<Lost>,
    ) -> Result<Resolution, CommandError> {
        if due()?.is_none() {
            return Ok(Resolution::NotDue);
        }
        let held = match HeldRound::take(folder, &self.worker)? {
            Ok(held) => held.until(lost),
            Err(holder) => return Ok(Resolution::Busy(holder)),
        };
        // What was true before the round was ours may not be true any more.
        let Some(mut job) = due()? else {
            held.release()?;
            return Ok(Resolution::NotDue);
        };
        job.begin(self.clock.now());
        jobs::store(folder, &job)?;
        let attempted = self.attempt(folder, &job, &held).await;
        held.require()?;
        let resolution = match attempted {
            Ok(Attempt::Resolved { warnings }) => {
                job.succeed(self.clock.now());
                Resolution::Resolved { warnings }
            }
            Ok(Attempt::Stopped { until, reason }) => {
                job.defer(&reason, until);
                Resolution::Waiting { until, reason }
            }
            Err(error) => {
                job.fail(&error.to_string(), self.clock.now());
                Resolution::Failed {
                    error: job.last_error.clone(),
                    next: job.next_attempt(),
                }
            }
        };
        jobs::store(folder, &job)?;
        let recorded = record::record(folder, self.clock.now());
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
    ) -> Result<Attempt, CommandError> {
        let inputs = RoundInputs::load(folder.clone(), &self.universes)?;
        refuse_changed_inputs(&inputs)?;
        let (run, rules) = record_of(folder, job)?;
        // Before any price is fetched: what is refused later would be fetched again every time.
        derivation::require(&inputs, &run)?;
        for unfinished in [folder.file(layout::PRICES), run.file(run::RESULTS)] {
            file_ops::remove_unfinished(&unfinished)?;
        }
        if !has_usable_prices(&inputs, (&run, rules))?
            && let Some(stopped) = self.fetch(&inputs, held).await?
        {
            return Ok(stopped);
        }
        held.require()?;
        let writing = Writing::Write {
            correct: None,
            accept_cross_check: None,
            accept_unproved: None,
        };
        let scored = score(&inputs, (&run, rules), self.clock.now(), &writing)?;
        held.require()?;
        report::publish(&inputs, &run, self.clock.now())?;
        Ok(Attempt::Resolved {
            warnings: scored.result.price_problems.len(),
        })
    }

    /// Fetches both sides of the whole universe; some when a limit ended it.
    async fn fetch(
        &self,
        inputs: &RoundInputs,
        held: &HeldRound,
    ) -> Result<Option<Attempt>, CommandError> {
        let plan = FetchPlan {
            inputs,
            window: window(inputs, None, None)?,
            purpose: Purpose::Final,
            coverage: Coverage::FullUniverse,
            options: options(inputs, Coverage::FullUniverse, None)?,
            correct: Some(NOT_USABLE.to_owned()),
            other_source: None,
        };
        require_final_rows(&plan, self.clock.now())?;
        let fetched = fetch_prices(&plan, &self.asking, self.other.as_ref(), held).await?;
        Ok(match fetched {
            Fetched::Stored { .. } => None,
            Fetched::Stopped {
                source,
                at,
                done,
                of,
            } => Some(Attempt::Stopped {
                until: at,
                reason: format!("the plan of {source} is used up after {done} of {of} options"),
            }),
        })
    }
}

/// Why the worker itself replaces prices that are there.
const NOT_USABLE: &str =
    "the prices that were there were not those of one whole fetch, or gave no result";

/// The run that the job names, as long as it is the record.
fn record_of(
    folder: &RoundFolder,
    job: &ResolutionJob,
) -> Result<(RunFolder, RunRules), CommandError> {
    let runs = folder.runs()?;
    let official = official_run(&runs, folder.enforcement()?).map_err(|reason| {
        CommandError::new(format!("{} has no record: {reason}", folder.name()))
    })?;
    if official.run_id != job.run_id {
        let text = format!(
            "the job names {}, but the record is {}",
            job.run_id, official.run_id
        );
        return Err(CommandError::new(text).hint("schedule it anew with `automation-retry`"));
    }
    Ok((folder.run(&official.run_id)?, official.rules))
}

/// Whether the prices that are there are those of one whole fetch and give a result.
///
/// Anything less is fetched again: a worker may have died between two of their files, and a vendor
/// may have corrected what was refused.
fn has_usable_prices(
    inputs: &RoundInputs,
    (run, rules): (&RunFolder, RunRules),
) -> Result<bool, CommandError> {
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
    Ok(whole && score_run(inputs, run, rules).is_ok())
}
