//! Resolves every round whose job is due, one after the other.

use std::path::{Path, PathBuf};
use std::time::Duration;

use capitalbench_archive::disk::{file_ops, layout};
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, Universes, list_rounds};

use super::held_round::{HeldRound, is_over, worker};
use super::resolve::{Resolution, Resolver};
use crate::error::Error;
use crate::operator::files::absolute;
use crate::operator::{Operator, wait};
use crate::prices::fetcher::AtLimit;
use crate::prices::sources::{Fetchers, PriceChoice};
use crate::proof::given_instant::note_given_instant;
use crate::proof::record::record_all;
use crate::publishing::boards::{self, Boards, BoardsDirty};

/// What an operator wants resolved, and how.
#[derive(Debug)]
pub struct DueRequest {
    pub rounds: PathBuf,
    pub prices: PriceChoice,
    pub worker: Option<String>,
    pub lease: Duration,
    /// Most rounds to try.
    pub max: Option<usize>,
    /// Where the boards go; by default beside the rounds.
    pub boards: Option<PathBuf>,
    pub at_limit: AtLimit,
}

/// Rounds whose job is due, and jobs that cannot be read.
#[derive(Debug)]
pub struct DueRounds {
    /// The longest waiting first.
    pub due: Vec<RoundFolder>,
    pub unreadable: Vec<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct DueReport {
    /// Every round that was looked at.
    pub rounds: Vec<(String, Resolution)>,
    pub unreadable: Vec<String>,
    /// None when the boards did not have to be rebuilt.
    pub boards: Option<Result<Boards, Error>>,
}

impl DueReport {
    pub fn is_failed(&self) -> bool {
        let failed = |resolution: &Resolution| matches!(resolution, Resolution::Failed { .. });
        !self.unreadable.is_empty()
            || self.rounds.iter().any(|(_, own)| failed(own))
            || matches!(self.boards, Some(Err(_)))
    }
}

/// Finds the rounds whose job is due.
pub fn due_rounds(operator: &Operator, rounds: &Path) -> Result<DueRounds, Error> {
    let now = operator.clock.now();
    let (mut due, mut unreadable) = (Vec::new(), Vec::new());
    for folder in list_rounds(rounds)? {
        match jobs::load(&folder) {
            Err(error) => unreadable.push(error.to_string()),
            Ok(Some(job)) if job.is_due(now) => due.push((job.next_attempt(), folder)),
            Ok(_) => {}
        }
    }
    due.sort_by_key(|(next, folder)| (*next, folder.name()));
    let due = due.into_iter().map(|(_, folder)| folder).collect();
    Ok(DueRounds { due, unreadable })
}

/// Resolves them, and rebuilds the boards when one has a result.
pub fn resolve_due(operator: &Operator, request: &DueRequest) -> Result<DueReport, Error> {
    let DueRounds { due, unreadable } = due_rounds(operator, &request.rounds)?;
    let dirty = BoardsDirty::of(&request.rounds);
    let was_dirty = dirty.is_set();
    if was_dirty {
        record_all(operator, &request.rounds, operator.clock.now())?;
    }
    if !due.is_empty() {
        dirty.set()?;
    }
    let rounds = resolve_all(operator, request, &due)?;
    tidy_finished(request)?;
    let is_resolved = |own: &Resolution| matches!(own, Resolution::Resolved { .. });
    let renewed = was_dirty || rounds.iter().any(|(_, own)| is_resolved(own));
    let boards = renewed.then(|| {
        let output = boards::folder(&request.rounds, request.boards.as_deref());
        boards::rebuild(&request.rounds, &output, operator.clock.now())
    });
    let mut report = DueReport {
        rounds,
        unreadable: Vec::new(),
        boards,
    };
    // A round may have failed after its result was stored.
    if !report.is_failed() {
        dirty.clear()?;
    }
    report.unreadable = unreadable;
    Ok(report)
}

/// A worker that was killed after it stored a result may have left a temporary file, and nobody
/// takes a finished round again. Taking it once removes the file.
fn tidy_finished(request: &DueRequest) -> Result<(), Error> {
    let worker = worker(request.worker.as_deref(), Some(request.lease));
    for folder in list_rounds(&request.rounds)? {
        if !file_ops::has_unfinished(&folder.file(layout::AUTOMATION)) {
            continue;
        }
        let is_finished = matches!(jobs::load(&folder), Ok(Some(job)) if is_over(&job));
        if is_finished && let Ok(held) = HeldRound::take(&folder, &worker)? {
            held.release()?;
        }
    }
    Ok(())
}

fn resolve_all(
    operator: &Operator,
    request: &DueRequest,
    due: &[RoundFolder],
) -> Result<Vec<(String, Resolution)>, Error> {
    if due.is_empty() {
        return Ok(Vec::new());
    }
    for folder in due {
        note_given_instant(operator, folder, "resolve-due")?;
    }
    let rounds = absolute(&request.rounds)?;
    let resolver = Resolver {
        operator,
        fetchers: Fetchers::open(operator, &request.prices, &rounds, request.at_limit)?,
        worker: worker(request.worker.as_deref(), Some(request.lease)),
        universes: Universes::default(),
    };
    wait(work(&resolver, due, request.max))
}

async fn work(
    resolver: &Resolver<'_>,
    due: &[RoundFolder],
    max: Option<usize>,
) -> Vec<(String, Resolution)> {
    let mut done = Vec::new();
    let mut tried = 0;
    for folder in due {
        if max.is_some_and(|max| tried >= max) {
            break;
        }
        let resolution = match resolver.resolve(folder).await {
            Ok(Resolution::NotDue) => continue,
            Ok(resolution) => resolution,
            // Its job could not even be written; others may fare better.
            Err(error) => Resolution::Failed {
                error: error.to_string(),
                next: None,
            },
        };
        if !matches!(resolution, Resolution::Busy(_)) {
            tried += 1;
        }
        let closed = matches!(resolution, Resolution::Waiting { .. });
        done.push((folder.name(), resolution));
        if closed {
            // All rounds share the allowance of the source.
            break;
        }
    }
    done
}
