//! A round that only this process works on; it renews its lease as long as it does.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use capitalbench_archive::disk::error::FileError;
use capitalbench_archive::disk::file_ops;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::lease::{Holder, Lease, Taken, Worker, acquire};
use capitalbench_archive::round::round_folder::RoundFolder;
use capitalbench_core::round::resolution_job::{JobStatus, ResolutionJob};
use jiff::SignedDuration;

use crate::error::Error;
use crate::operator::clock::Clock;

/// How long a round stays with a worker that does not renew its lease.
pub const LEASE: Duration = Duration::from_mins(5);

/// The lease of a round, renewed by a thread until it is given back.
pub struct HeldRound {
    round: String,
    stop: Option<Sender<()>>,
    beating: Option<JoinHandle<Lease>>,
    lease: Lease,
    lost: Option<Lost>,
}

/// Raised when another worker took over the job that this round is worked on for.
pub type Lost = Arc<AtomicBool>;

/// This process as a worker.
pub fn worker(name: Option<&str>, lease: Option<Duration>) -> Worker {
    let pid = std::process::id();
    let length = SignedDuration::try_from(lease.unwrap_or(LEASE));
    Worker {
        owner: name.map_or_else(|| format!("capitalbench-{pid}"), str::to_owned),
        host: system(),
        pid,
        length: length.unwrap_or(SignedDuration::from_mins(5)),
    }
}

/// The machine, its start and its process namespace: two containers may share a name or a kernel,
/// but not all three.
fn system() -> String {
    let word = |path: &str| {
        let text = file_ops::read(Path::new(path)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text).trim().to_owned();
        if text.is_empty() {
            "unknown".to_owned()
        } else {
            text
        }
    };
    let start = word("/proc/sys/kernel/random/boot_id");
    let start = start.split('-').next().unwrap_or_default();
    let group = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let group = group.to_string_lossy();
    let group = group.trim_start_matches("pid:[").trim_end_matches(']');
    format!("{}/{start}/{group}", word("/proc/sys/kernel/hostname"))
}

/// Whether nothing is left to do for a job.
pub fn is_over(job: &ResolutionJob) -> bool {
    matches!(job.status, JobStatus::Succeeded | JobStatus::Cancelled)
}

/// Works on a round, which is held meanwhile if workers may want it too: if its job is not over.
pub fn with_awaited<T>(
    folder: &RoundFolder,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    if jobs::load(folder)?.is_none_or(|job| is_over(&job)) {
        return work();
    }
    let held = take(folder)?;
    let done = work()?;
    held.release()?;
    Ok(done)
}

/// Takes a round for a command of an operator.
pub fn take(folder: &RoundFolder) -> Result<HeldRound, Error> {
    HeldRound::take(folder, &worker(None, None))?.map_err(|holder| held_by(folder, &holder))
}

/// Why a command cannot work on a round now.
fn held_by(folder: &RoundFolder, holder: &Holder) -> Error {
    let text = format!("{} is held by {}", folder.name(), holder.who);
    let hint = format!(
        "wait until it is done; if it died, the round is free at {}",
        holder.until
    );
    Error::new(text).hint(hint)
}

impl HeldRound {
    /// Takes a round, or says who has it. A lease lives by the machine's clock: whoever works as of
    /// another instant could otherwise take a round out of the hands of a process that is alive.
    pub fn take(folder: &RoundFolder, worker: &Worker) -> Result<Result<Self, Holder>, FileError> {
        let clock = Clock::Wall;
        let lease = match acquire(folder, worker, clock.now())? {
            Taken::Busy(holder) => return Ok(Err(holder)),
            Taken::Held(lease) => lease,
        };
        let (stop, stopped) = channel();
        let pause = Duration::try_from(worker.length / 4).unwrap_or(LEASE / 4);
        let mut own = lease.clone();
        let beating = thread::spawn(move || {
            while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                // A disk that failed once may work at the next beat; a lease that stays as it was
                // expires, and `require` sees whoever takes it over.
                if matches!(own.renew(clock.now()), Ok(false)) {
                    break;
                }
            }
            own
        });
        Ok(Ok(Self {
            round: folder.name(),
            stop: Some(stop),
            beating: Some(beating),
            lease,
            lost: None,
        }))
    }

    /// The same, held only as long as a job is.
    #[must_use]
    pub fn until(mut self, lost: Option<Lost>) -> Self {
        self.lost = lost;
        self
    }

    /// Refuses to go on with a round that somebody else took over.
    pub fn require(&self) -> Result<(), Error> {
        let lost = self.lost.as_ref();
        let is_lost = lost.is_some_and(|lost| lost.load(Ordering::SeqCst));
        if !is_lost && self.lease.is_current()? {
            return Ok(());
        }
        let text = format!(
            "{} was taken over by another worker; nothing was written",
            self.round
        );
        Err(Error::new(text))
    }

    /// Gives the round back.
    pub fn release(mut self) -> Result<(), FileError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), FileError> {
        drop(self.stop.take());
        match self.beating.take().map(JoinHandle::join) {
            Some(Ok(lease)) => lease.release(Clock::Wall.now()),
            _ => Ok(()),
        }
    }
}

impl Drop for HeldRound {
    fn drop(&mut self) {
        // On the way out of an error; a lease that stays expires.
        let _ = self.end();
    }
}
