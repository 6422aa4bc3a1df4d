//! A folder of rounds → the facts a publication is made from.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use capitalbench_core::asking::run::{Calls, Run, RunKind, official_run};
use capitalbench_core::decision::submission::Submission;
use capitalbench_core::evidence::inference::daily::{Closes, active_days};
use capitalbench_core::market::prices::Side;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::boards::comparison_set::SetPolicy;
use capitalbench_core::publication::facts::{
    Chance, InterimRow, Record, RepeatedRun, Result as Figures, RoundFacts,
};
use capitalbench_core::publication::figures::RoundFigures;
use capitalbench_core::publication::names::names_of;
use capitalbench_core::publication::standings::{Standings, standings as compute_standings};
use capitalbench_core::publication::{Frozen, Publication, PublishError, publish};
use capitalbench_core::result::interim::track;
use capitalbench_core::result::returns::RoundReturns;
use capitalbench_core::result::score::Outcome;
use capitalbench_core::round::manifest::{Stream, Window};
use capitalbench_core::values::ids::{Digest, ModelId};
use capitalbench_core::values::time::Stamp;
use jiff::Timestamp;
use rayon::prelude::*;

use crate::disk::error::FileError;
use crate::disk::layout::{self, run};
use crate::format::{figures::interim, round::benchmark_sets};
use crate::prices::daily_closes::{DailySnapshots, volatility};
use crate::public::cache_key::CacheKey;
use crate::public::fact_cache::FactCache;
use crate::public::past_rounds::PastRounds;
use crate::results::scoring::{ScoringError, score_run};
use crate::round::freeze;
use crate::round::round_folder::{RoundFolder, RoundInputs, Universes, list_rounds, optional};
use crate::run::run_controls::{RunControls, as_submission};
use crate::run::run_folder::RunFolder;
use crate::run::validation::{Checked, load_parsed, validate_run};
use crate::verify::{derivation, results};

/// Why a folder of rounds could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublicationError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A round could not be scored again.
    #[error(transparent)]
    Scoring(#[from] ScoringError),
    /// Its figures cannot be.
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

impl Keeping {
    fn open(self, rounds: &Path) -> Option<FactCache> {
        match self {
            Self::Cached(key) => FactCache::open(rounds, key),
            Self::Fresh => None,
        }
    }
}

/// The publication of a folder of rounds at an instant; `tick` is called after each round.
pub fn publication(
    rounds: &Path,
    as_of: Timestamp,
    tick: &(dyn Fn() + Sync),
) -> Result<Publication, PublicationError> {
    published(rounds, as_of, Keeping::Fresh, tick)
}

/// The same publication, with facts of unchanged rounds from the folder's cache where wanted.
pub fn published(
    rounds: &Path,
    as_of: Timestamp,
    keeping: Keeping,
    tick: &(dyn Fn() + Sync),
) -> Result<Publication, PublicationError> {
    let shared = Shared::load(rounds)?;
    // A folder without rounds gets an error, and no cache.
    let folders = list_rounds(rounds)?;
    let cache = keeping.open(rounds);
    let facts: Vec<Result<RoundFacts, PublicationError>> = folders
        .into_par_iter()
        .map(|folder| {
            let facts = match &cache {
                Some(cache) => cache.facts(&folder, &shared),
                None => round_facts(folder, &shared),
            };
            tick();
            facts
        })
        .collect();
    if let Some(cache) = cache {
        cache.finish();
    }
    let facts = facts.into_iter().collect::<Result<Vec<_>, _>>()?;
    publish_facts(facts, rounds, as_of)
}

/// The comparison sets of a folder of rounds at an instant, without anything else of the rounds.
pub fn standings(
    rounds: &Path,
    as_of: Timestamp,
    keeping: Keeping,
    tick: &(dyn Fn() + Sync),
) -> Result<Standings, PublicationError> {
    let shared = Shared::load(rounds)?;
    let folders = list_rounds(rounds)?;
    let figures = if let Some(cache) = keeping.open(rounds) {
        let figures = cache.figures(&folders, &shared, tick);
        cache.finish();
        figures?
    } else {
        let figures: Vec<Result<RoundFigures, PublicationError>> = folders
            .into_par_iter()
            .map(|folder| {
                let figures = round_facts(folder, &shared).map(RoundFigures::of);
                tick();
                figures
            })
            .collect();
        figures.into_iter().collect::<Result<_, _>>()?
    };
    let policy = set_policy(rounds)?;
    let names = names_of(figures.iter().flat_map(|figures| &*figures.models));
    Ok(compute_standings(figures, names, &policy, as_of)?)
}

/// The comparison sets of rounds as they were at a checkpoint.
///
/// Daily closes and the operator's sets lie beside the rounds and in no log; they are today's.
pub fn past_standings(
    past: &PastRounds,
    as_of: Timestamp,
    tick: &(dyn Fn() + Sync),
) -> Result<Standings, PublicationError> {
    let figures = past_facts(past, tick)?.into_iter().map(RoundFigures::of);
    let figures: Vec<RoundFigures> = figures.collect();
    let policy = set_policy(past.present())?;
    let names = names_of(figures.iter().flat_map(|figures| &*figures.models));
    Ok(compute_standings(figures, names, &policy, as_of)?)
}

/// The publication of rounds as they were at a checkpoint.
pub fn past_publication(
    past: &PastRounds,
    as_of: Timestamp,
    tick: &(dyn Fn() + Sync),
) -> Result<Publication, PublicationError> {
    let facts = past_facts(past, tick)?;
    publish_facts(facts, past.present(), as_of)
}

fn past_facts(
    past: &PastRounds,
    tick: &(dyn Fn() + Sync),
) -> Result<Vec<RoundFacts>, PublicationError> {
    let shared = Shared::load(past.present())?;
    let facts: Vec<Result<RoundFacts, PublicationError>> = list_rounds(past.folder())?
        .into_par_iter()
        .map(|folder| {
            let facts = round_facts(folder, &shared);
            tick();
            facts
        })
        .collect();
    facts.into_iter().collect()
}

fn publish_facts(
    facts: Vec<RoundFacts>,
    rounds: &Path,
    as_of: Timestamp,
) -> Result<Publication, PublicationError> {
    let policy = set_policy(rounds)?;
    let records = facts.iter().filter_map(|facts| facts.record.as_ref());
    let names = names_of(records.flat_map(|record| record.submissions.iter().map(|s| &s.model_id)));
    Ok(publish(facts, names, &policy, as_of)?)
}

/// The operator's sets: `benchmark_sets.yaml` in the rounds folder or beside it.
pub fn set_policy(rounds: &Path) -> Result<SetPolicy, FileError> {
    let beside = rounds.join("..").join(layout::SETS);
    for path in [rounds.join(layout::SETS), beside] {
        let read = crate::disk::file_ops::read(&path).map_err(FileError::from);
        if let Some(bytes) = optional(read)? {
            return benchmark_sets::parse(&bytes).map_err(|fault| fault.in_file(&path));
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

/// Everything a round's folder tells.
pub fn round_facts(folder: RoundFolder, shared: &Shared) -> Result<RoundFacts, PublicationError> {
    let inputs = RoundInputs::load(folder, &shared.universes)?;
    let folder = &inputs.folder;
    let runs = folder.runs()?;
    let mut facts = RoundFacts {
        frozen: frozen(folder)?,
        rehearsal: !runs.is_empty() && runs.iter().all(is_rehearsal),
        record: None,
        entry: folder.sheet(Side::Entry)?,
        result: None,
        interim: Vec::new(),
        repeated: repeated(&inputs, &runs)?,
        universe: inputs.universe.clone(),
        manifest: inputs.manifest.clone(),
    };
    let Some(run) = record(&inputs, &runs) else {
        return Ok(facts);
    };
    let run_folder = folder.run(&run.run_id)?;
    let mut submissions: Vec<Submission>;
    let controls: Vec<Submission>;
    if run_folder.has(run::LEADERBOARD) {
        let scored = score_run(&inputs, &run_folder, run.rules)?;
        results::require(&inputs, &run_folder, &scored)?;
        let (kept, outcomes) = scored
            .outcomes
            .into_iter()
            .map(|scored| (scored.submission, scored.outcome))
            .unzip();
        submissions = kept;
        let scored_controls = scored.controls.into_iter();
        let scored_controls = scored_controls.filter_map(|(_, scored)| scored.ok());
        let (held, held_outcomes) = scored_controls
            .map(|scored| (scored.submission, scored.outcome))
            .unzip();
        controls = held;
        let closes = shared.snapshots.of_round(&inputs)?;
        facts.result = Some(figures(
            &inputs,
            &closes,
            (scored.returns, outcomes, held_outcomes),
            (&submissions, &controls),
            facts.frozen.as_ref(),
        )?);
    } else {
        derivation::require(&inputs, &run_folder)?;
        submissions = valid(&inputs, &run_folder, run)?;
        controls = open_controls(&inputs, &run_folder, run)?;
    }
    facts.interim = interim_rows(&inputs, &submissions)?;
    for submission in &mut submissions {
        submission.metadata.clear();
    }
    facts.record = Some(Record {
        run_id: run.run_id.clone(),
        since: since(run),
        submissions,
        controls,
    });
    Ok(facts)
}

/// The run that counts; invented answers are no record of a real market, nor the other way round.
fn record<'a>(inputs: &RoundInputs, runs: &'a [Run]) -> Option<&'a Run> {
    let invented = inputs.manifest.stream == Stream::Synthetic;
    let enforcement = inputs.manifest.methodology.enforcement();
    let run = official_run(runs, enforcement).ok()?;
    ((run.calls == Calls::Synthetic) == invented).then_some(run)
}

/// When a run became the record, else when it ended, else when it began.
fn since(run: &Run) -> Option<Timestamp> {
    let stamps = [&run.accepted_at, &run.completed_at, &run.created_at];
    let accepted = run.acceptance.as_ref();
    let accepted = accepted.map(|accepted| &accepted.accepted_at);
    let since = accepted.or_else(|| stamps.into_iter().find_map(Option::as_ref));
    since.map(Stamp::at)
}

/// The controls of a round that is not scored; none where the run has none.
fn open_controls(
    inputs: &RoundInputs,
    folder: &RunFolder,
    run: &Run,
) -> Result<Vec<Submission>, FileError> {
    if !folder.has(run::CONTROLS) {
        return Ok(Vec::new());
    }
    let raw = validate_run(inputs, folder, run.rules)?;
    let controls = RunControls::of_run(inputs, folder, &raw)?;
    let all = controls.iter().flat_map(|controls| &controls.controls);
    let held = all.filter_map(|control| as_submission(control, &inputs.manifest, run.rules));
    Ok(held.collect())
}

fn figures(
    inputs: &RoundInputs,
    closes: &Closes,
    (returns, models, controls): (RoundReturns, Vec<Outcome>, Vec<Outcome>),
    (submissions, held): (&[Submission], &[Submission]),
    frozen: Option<&Frozen>,
) -> Result<Figures, FileError> {
    let reference = &inputs.universe.reference().id;
    let days = submissions.iter().map(|submission| {
        let window = inputs.manifest.window?;
        active_days(&submission.decision.holdings(), reference, window, closes)
    });
    let days = days.collect();
    let volatility = volatility(inputs)?;
    let chance = frozen.and_then(|frozen| {
        Chance::of(
            &inputs.manifest,
            &inputs.universe,
            frozen.digest,
            (&returns, &volatility),
            (submissions, held),
        )
    });
    Ok(Figures {
        returns,
        models,
        controls,
        chance,
        days,
    })
}

fn is_rehearsal(run: &Run) -> bool {
    matches!(run.rules.kind, RunKind::Mock | RunKind::Smoke) || run.calls == Calls::Mock
}

fn frozen(folder: &RoundFolder) -> Result<Option<Frozen>, FileError> {
    let Some(stored) = freeze::stored_digests(folder)? else {
        return Ok(None);
    };
    Ok(Some(Frozen {
        digest: Digest::of(&folder.read(layout::HASHES)?),
        files: stored,
    }))
}

fn valid(
    inputs: &RoundInputs,
    folder: &RunFolder,
    run: &Run,
) -> Result<Vec<Submission>, ScoringError> {
    let mut submissions = Vec::new();
    for Checked { name, verdict, .. } in load_parsed(inputs, folder, run.rules)? {
        submissions.push(verdict.map_err(|problems| ScoringError::Submission {
            file: format!("{}/{}/{name}", run.run_id, run::PARSED),
            problems,
        })?);
    }
    Ok(submissions)
}

/// Provisional figures of every day between entry and exit that has a snapshot.
fn interim_rows(
    inputs: &RoundInputs,
    submissions: &[Submission],
) -> Result<Vec<InterimRow>, FileError> {
    let parsed = inputs
        .folder
        .parse(layout::INTERIM_PRICES, interim::parse_prices);
    let Some(snapshots) = optional(parsed)? else {
        return Ok(Vec::new());
    };
    let Some((_, (_, entry))) = snapshots.first_key_value() else {
        return Ok(Vec::new());
    };
    let mut by_model: BTreeMap<&ModelId, &Submission> = BTreeMap::new();
    by_model.extend(submissions.iter().map(|s| (&s.model_id, s)));
    let mut rows = Vec::new();
    for (day, (_, snapshot)) in &snapshots {
        for (model_id, submission) in &by_model {
            let reference = &inputs.universe.reference().id;
            // A day without all the prices a portfolio needs has no point for it.
            if let Ok(point) = track(submission, reference, entry, snapshot) {
                let model_id = (*model_id).clone();
                let day = *day;
                rows.push(InterimRow {
                    day,
                    model_id,
                    point,
                });
            }
        }
    }
    Ok(rows)
}

fn repeated(inputs: &RoundInputs, runs: &[Run]) -> Result<Vec<RepeatedRun>, PublicationError> {
    let mut repeated = Vec::new();
    for run in runs
        .iter()
        .filter(|run| run.rules.kind == RunKind::Consistency)
    {
        let folder = inputs.folder.run(&run.run_id)?;
        if folder.has(run::STABILITY) {
            let scored = score_run(inputs, &folder, run.rules)?;
            results::require(inputs, &folder, &scored)?;
            repeated.push(RepeatedRun {
                run_id: run.run_id.clone(),
                replicates: run.rules.replicates,
                reference: scored.returns.reference(),
                models: scored.consistency,
            });
        }
    }
    Ok(repeated)
}
