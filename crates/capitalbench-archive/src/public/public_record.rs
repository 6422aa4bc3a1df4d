//! A folder of rounds → its publication, or only its standings.

use std::path::Path;
use std::sync::Arc;

use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::boards::comparison_set::SetPolicy;
use capitalbench_core::publication::standings::{self, Standings};
use capitalbench_core::publication::{Publication, PublishError, publish};
use capitalbench_core::round::manifest::Window;
use capitalbench_core::values::ids::Digest;
use jiff::Timestamp;
use rayon::prelude::*;

use crate::disk::error::FileError;
use crate::disk::layout;
use crate::format::round::benchmark_sets;
use crate::prices::daily_closes::DailySnapshots;
use crate::public::cache_key::CacheKey;
use crate::public::claims::claims;
use crate::public::entrants::{entries, league};
use crate::public::fact_cache::FactCache;
use crate::public::past_rounds::PastRounds;
use crate::results::scoring::ScoringError;
use crate::round::round_folder::{RoundFolder, Universes, list_rounds, parse_file};

mod calls;
mod lanes;
mod round_facts;

pub(crate) use round_facts::record;
pub use round_facts::{Depth, round_facts};

/// Why a folder of rounds could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublicationError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Scoring(#[from] ScoringError),
    #[error(transparent)]
    Publish(#[from] PublishError),
}

/// Whether facts of unchanged rounds may be taken from the folder's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Those under the secret of this machine may, and are kept for the next time.
    Cached(CacheKey),
    /// Everything is computed.
    Fresh,
}

/// Rounds to publish, and where what they share lies.
#[derive(Debug, Clone, Copy)]
pub struct RoundSource<'a> {
    rounds: &'a Path,
    /// The folder with daily closes and the operator's sets.
    beside: &'a Path,
    keeping: Keeping,
}

/// Called after each round.
type Tick<'a> = &'a (dyn Fn() + Sync);

/// The publication of a folder of rounds at an instant, without a cache.
pub fn publication(
    rounds: &Path,
    as_of: Timestamp,
    tick: Tick<'_>,
) -> Result<Publication, PublicationError> {
    RoundSource::folder(rounds, Keeping::Fresh).publication(as_of, tick)
}

impl<'a> RoundSource<'a> {
    pub fn folder(rounds: &'a Path, keeping: Keeping) -> Self {
        Self {
            rounds,
            beside: rounds,
            keeping,
        }
    }

    /// Rounds as they were at a checkpoint.
    ///
    /// Daily closes and the operator's sets lie beside the rounds and in no log; they are today's.
    pub fn past(past: &'a PastRounds) -> Self {
        Self {
            rounds: past.folder(),
            beside: past.present(),
            keeping: Keeping::Fresh,
        }
    }

    /// Everything the public may see at an instant.
    pub fn publication(
        &self,
        as_of: Timestamp,
        tick: Tick<'_>,
    ) -> Result<Publication, PublicationError> {
        let (shared, folders) = self.open()?;
        let cache = self.cache();
        let facts = each_round(folders, tick, |folder| match &cache {
            Some(cache) => cache.facts(&folder, &shared),
            None => round_facts(folder, &shared, Depth::Everything),
        });
        if let Some(cache) = cache {
            cache.finish();
        }
        let mut publication = publish(facts?, &set_policy(self.beside)?, as_of)?;
        publication.claims = claims(self.rounds, as_of)?;
        // What entrants did is only ever added to the log, and the instant decides what counts of it.
        publication.league = league(self.beside)?;
        publication.entries = entries(self.beside, &publication)?;
        Ok(publication)
    }

    /// The comparison sets of an instant: all that rankings need, in a fraction of the time.
    pub fn standings(
        &self,
        as_of: Timestamp,
        tick: Tick<'_>,
    ) -> Result<Standings, PublicationError> {
        let (shared, folders) = self.open()?;
        let outlines = if let Some(cache) = self.cache() {
            let outlines = cache.outlines(&folders, &shared, tick);
            cache.finish();
            outlines
        } else {
            each_round(folders, tick, |folder| {
                Ok(round_facts(folder, &shared, Depth::Standings)?.into())
            })
        };
        let policy = set_policy(self.beside)?;
        Ok(standings::standings(outlines?, &policy, as_of)?)
    }

    fn open(&self) -> Result<(Shared, Vec<RoundFolder>), FileError> {
        Ok((Shared::load(self.beside)?, list_rounds(self.rounds)?))
    }

    /// Opened after the rounds were listed: a folder without rounds gets an error, and no cache.
    fn cache(&self) -> Option<FactCache> {
        match self.keeping {
            Keeping::Cached(key) => FactCache::open(self.rounds, key),
            Keeping::Fresh => None,
        }
    }
}

/// What is wanted of all rounds in their order, computed side by side.
fn each_round<T: Send>(
    folders: Vec<RoundFolder>,
    tick: Tick<'_>,
    wanted: impl Fn(RoundFolder) -> Result<T, PublicationError> + Sync,
) -> Result<Vec<T>, PublicationError> {
    let ticking = |folder| {
        let found = wanted(folder);
        tick();
        found
    };
    // All of them first, so that the error of the first round in order is told.
    let all: Vec<Result<T, PublicationError>> = folders.into_par_iter().map(ticking).collect();
    all.into_iter().collect()
}

/// The operator's sets: `benchmark_sets.yaml` in the rounds folder or beside it.
pub fn set_policy(rounds: &Path) -> Result<SetPolicy, FileError> {
    let beside = rounds.join("..").join(layout::SETS);
    for path in [rounds.join(layout::SETS), beside] {
        if let Some(policy) = parse_file(&path, benchmark_sets::parse)? {
            return Ok(policy);
        }
    }
    Ok(SetPolicy::default())
}

/// What all rounds of a folder share.
#[derive(Debug)]
pub struct Shared {
    universes: Universes,
    snapshots: DailySnapshots,
}

impl Shared {
    /// Reads what lies beside the rounds.
    pub fn load(rounds: &Path) -> Result<Self, FileError> {
        Ok(Self {
            universes: Universes::default(),
            snapshots: DailySnapshots::load(rounds)?,
        })
    }

    pub(crate) fn universes(&self) -> &Universes {
        &self.universes
    }

    pub(crate) fn snapshots(&self) -> &DailySnapshots {
        &self.snapshots
    }

    /// One digest of the shared closes that a round with this window may use.
    pub(crate) fn snapshots_of(&self, window: Option<Window>) -> Digest {
        self.snapshots.digest(window)
    }

    /// The universe of this digest, where the round has it.
    pub(crate) fn universe_of(
        &self,
        digest: Digest,
        folder: &RoundFolder,
    ) -> Option<Arc<Universe>> {
        self.universes.of_digest(digest, folder)
    }
}
