//! Takes due rounds out of an object store and resolves them, without a shared folder or a database:
//! the heads of the rounds are the jobs, and a conditional write is the lease.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::round::manifest;
use capitalbench_archive::round::jobs;
use capitalbench_archive::round::round_folder::{RoundFolder, Universes};
use capitalbench_archive::store::head::Head;
use capitalbench_archive::store::unit::{ROUND_HEADS, Unit};
use capitalbench_database::jobs::Job;
use jiff::SignedDuration;

use super::held_round::worker;
use super::resolve::{Resolution, Resolver};
use super::worker::{Crew, JobEnd, WorkerRequest, crew};
use crate::error::Error;
use crate::operator::{Notice, Operator};
use crate::prices::fetcher::AtLimit;
use crate::prices::sources::Fetchers;
use crate::syncing::store::Store;
use crate::syncing::store::claim::{Beating, Claim, Claimed};
use crate::syncing::store::local::{Here, Purpose};
use crate::syncing::store::log_desk::{Handed, LogDesk};
use crate::syncing::store::push::Pusher;

/// Among so many of the longest waiting rounds a worker picks one by chance, so that workers seldom meet.
const CHOICE: usize = 16;

/// What the workers of this process share.
struct Service<'a> {
    operator: &'a Operator,
    request: &'a WorkerRequest,
    store: Arc<Store>,
    desk: LogDesk<'a>,
    home: &'a Path,
    /// Heads as they were seen last, with their tags.
    heads: Mutex<BTreeMap<String, (String, Head)>>,
    failed: AtomicBool,
}

/// Works until the operator or the machine asks to stop; false when something failed.
pub fn work_in_store(
    operator: &Operator,
    request: &WorkerRequest,
    address: &str,
    home: &Path,
) -> Result<bool, Error> {
    let store = Arc::new(Store::open(&operator.configuration, address)?);
    let service = Service {
        operator,
        request,
        store: Arc::clone(&store),
        desk: LogDesk::open(&store, operator, home)?,
        home,
        heads: Mutex::default(),
        failed: AtomicBool::new(false),
    };
    crew(request.concurrency, &|crew| service.work(crew))?;
    Ok(!service.failed.load(Ordering::SeqCst))
}

impl Service<'_> {
    /// One worker, until it is asked to stop or nothing is left.
    fn work(&self, crew: &Crew<'_>) -> Result<(), Error> {
        let here = self.store.own_checkout(self.home, Purpose::Rounds)?;
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
                Ok(true) => taken += 1,
                Ok(false) if self.request.once => break,
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

    /// Takes a due round and resolves it; false when none is due.
    fn serve(
        &self,
        crew: &Crew<'_>,
        resolver: &Resolver<'_>,
        here: &Here,
        skipped: &mut BTreeSet<Unit>,
    ) -> Result<bool, Error> {
        let Some(unit) = self.next_due(skipped)? else {
            return Ok(false);
        };
        let length = SignedDuration::try_from(self.request.lease);
        let length = length.unwrap_or(SignedDuration::from_mins(5));
        let name = format!("{} on {}", resolver.worker.owner, resolver.worker.host);
        let claim = match self.store.claim(&unit, &name, length)? {
            Claimed::Held(claim) => claim,
            Claimed::Busy(_) | Claimed::Lost => return Ok(true),
        };
        let beating = Beating::start(&self.store, &claim);
        let end = self.resolve(crew, resolver, here, (&claim, &beating));
        drop(beating);
        let (job, end) = match end {
            Ok(ended) => ended,
            Err(error) => {
                skipped.insert(unit);
                self.failed.store(true, Ordering::SeqCst);
                self.store.give_back(&claim)?;
                self.operator.say(&Notice::Failed(&error));
                return Ok(true);
            }
        };
        self.operator.say(&Notice::JobEnded {
            job: &job,
            end: &end,
        });
        Ok(true)
    }

    /// The round of a claim from the store and back.
    fn resolve(
        &self,
        crew: &Crew<'_>,
        resolver: &Resolver<'_>,
        here: &Here,
        (claim, beating): (&Claim, &Beating),
    ) -> Result<(Job, JobEnd), Error> {
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
        let job = jobs::load(&folder)?;
        let job = job.ok_or_else(|| Error::new(format!("{} has no job", folder.name())))?;
        let told = Job {
            round_id: job.round_id.clone(),
            run_id: job.run_id.clone(),
            due_at: job.due_at,
            next_attempt_at: job.next_attempt(),
            status: "running".to_owned(),
            attempts: job.attempts,
            max_attempts: job.max_attempts,
            last_error: job.last_error.clone(),
            lease_number: claim.fence.cast_signed(),
            lease_holder: Some(claim.owner.clone()),
            lease_until: None,
            completed_at: job.completed_at,
        };
        let work = resolver.resolve(&folder);
        let Some(resolution) = crew.unless_stopped(work) else {
            self.store.give_back(claim)?;
            return Ok((told, JobEnd::GivenBack));
        };
        let resolution = resolution?;
        if beating.lost.load(Ordering::SeqCst) {
            return Ok((told, JobEnd::TakenOver));
        }
        let pusher = Pusher {
            operator: self.operator,
            here,
            claim: Some(claim),
        };
        let resolution = match self.desk.push(&pusher, &claim.unit)? {
            Handed::Pushed => resolution,
            Handed::Refused(error) => self.fail(&pusher, &folder, resolution, &error)?,
        };
        self.store.give_back(claim)?;
        Ok((told, self.end_of(resolution)))
    }

    /// Notes in a round as the store has it that an attempt failed: what the attempt wrote contradicts the
    /// log, so only its job tells of it.
    fn fail(
        &self,
        pusher: &Pusher<'_>,
        folder: &RoundFolder,
        resolution: Resolution,
        refused: &Error,
    ) -> Result<Resolution, Error> {
        let unit = Unit::round(&folder.name());
        let unit = unit.ok_or_else(|| Error::new("a round without a name"))?;
        self.store.pull_own(pusher.here, &unit)?;
        let job = jobs::load(folder)?;
        let mut job = job.ok_or_else(|| Error::new(format!("{} has no job", folder.name())))?;
        // Why it failed is worth more than that the log refuses to sign what failed.
        let error = match resolution {
            Resolution::Failed { error, .. } => error,
            _ => refused.to_string(),
        };
        let now = self.operator.clock.now();
        job.begin(now);
        job.fail(&error, now);
        jobs::store(folder, &job)?;
        self.desk.push_untold(pusher, &unit)?;
        Ok(Resolution::Failed {
            error,
            next: job.next_attempt(),
        })
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

    /// A round that waits for its resolution and that nobody holds; only heads that changed are read.
    fn next_due(&self, skipped: &BTreeSet<Unit>) -> Result<Option<Unit>, Error> {
        let listed = self.store.list(ROUND_HEADS)?;
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |key: &str, tag: &str| heads.get(key).is_none_or(|(own, _)| own != tag);
        let changed: Vec<String> = listed
            .into_iter()
            .filter(|own| is_new(&own.key, &own.tag))
            .map(|own| own.key)
            .collect();
        let found = self.store.each(&changed, |key| self.store.head(key))?;
        for (key, found) in changed.into_iter().zip(found) {
            if let Some((head, tag)) = found {
                heads.insert(key, (tag, head));
            }
        }
        let now = self.operator.clock.now();
        let mut due = Vec::new();
        for (key, (_, head)) in heads
            .iter()
            .filter(|(_, (_, head))| head.holder(now).is_none())
        {
            let next = head
                .content
                .as_ref()
                .and_then(|own| own.next_attempt_at_utc);
            let unit = Unit::of_key(key).filter(|unit| !skipped.contains(unit));
            if let (Some(next), Some(unit)) = (next.filter(|next| *next <= now), unit) {
                due.push((next, unit));
            }
        }
        due.sort_unstable();
        due.truncate(CHOICE);
        if due.is_empty() {
            return Ok(None);
        }
        let mut chance = [0];
        getrandom::fill(&mut chance)
            .map_err(|error| Error::new(format!("the system gives no randomness: {error}")))?;
        let own = usize::from(chance[0]) % due.len();
        Ok(Some(due.swap_remove(own).1))
    }
}
