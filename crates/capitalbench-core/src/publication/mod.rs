//! Everything the public may see at one instant, computed once; pages, files and rows render it.
//!
//! A round that is not resolved at that instant has no field for a score, a rank, a regret, an
//! oracle or a final gap: [`RoundState::Open`] cannot hold them, so nothing downstream can leak them.

pub mod artifact;
pub mod boards;
pub mod names;

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::decision::submission::Submission;
use crate::evidence::inference::daily::ActiveDays;
use crate::evidence::statistics::{Statistics, statistics};
use crate::market::prices::PriceSheet;
use crate::market::universe::Universe;
use crate::publication::boards::comparison_set::{ComparisonSet, SetPolicy, comparison_sets};
use crate::publication::boards::set_round::SetRound;
use crate::publication::boards::{TrackBoards, track_boards};
use crate::result::leaderboard::{self, Scored};
use crate::result::returns::RoundReturns;
use crate::result::score::{AboveOracle, Outcome, Score, score};
use crate::round::lifecycle::{Due, due};
use crate::round::manifest::{Manifest, Stream, Track};
use crate::values::ids::{Digest, ModelId, RoundId, RunId};

pub mod compare;
pub mod facts;
pub mod figures;
pub mod standings;

use facts::{RepeatedRun, RoundFacts};

/// Everything the public may see at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Publication {
    /// The instant.
    pub as_of: Timestamp,
    /// Every round is of an invented market; such rounds never stand beside real ones.
    pub synthetic: bool,
    /// Rounds of the public record in order of their key; pilots and rehearsals are not among them.
    pub rounds: Vec<PublicRound>,
    /// Names of models for people; the id where none is known.
    pub names: BTreeMap<ModelId, String>,
    /// Boards by track; never mixed.
    pub boards: BTreeMap<Track, TrackBoards>,
    /// Fixed rosters over the rounds all their models completed.
    pub comparison_sets: Vec<ComparisonSet>,
    /// What boards and sets may claim.
    pub statistics: Statistics,
}

/// The text that orders rounds: exit day, deadline, id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct RoundKey(String);

impl RoundKey {
    /// The key of a round.
    pub fn of(manifest: &Manifest) -> Self {
        let deadline = manifest.decision_deadline.as_ref();
        let deadline = deadline.map(crate::values::time::Stamp::text);
        Self::from_parts(manifest.window, deadline, &manifest.round_id)
    }

    fn from_parts(
        window: Option<crate::round::manifest::Window>,
        deadline: Option<&str>,
        round_id: &RoundId,
    ) -> Self {
        let exit = window.map(|window| window.exit.to_string());
        let (exit, deadline) = (exit.unwrap_or_default(), deadline.unwrap_or_default());
        Self(format!("{exit}:{deadline}:{round_id}"))
    }
}

/// One round of the public record.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicRound {
    /// Its place in the order of rounds.
    pub key: RoundKey,
    /// Weekly or monthly.
    pub track: Option<Track>,
    /// The frozen rules.
    pub manifest: Manifest,
    /// The frozen options.
    pub universe: Arc<Universe>,
    /// Digests of the frozen files, once frozen.
    pub frozen: Option<Frozen>,
    /// What is known of it at the instant.
    pub state: RoundState,
}

/// The seal of a round's inputs.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Frozen {
    /// Digest of the list of digests.
    pub digest: Digest,
    /// Digest of each frozen file.
    pub files: BTreeMap<String, Digest>,
}

/// What the public knows of a round.
#[derive(Debug, Clone, PartialEq)]
pub enum RoundState {
    /// No run is the record yet: rules only.
    Draft,
    /// Decisions are public, results are not.
    Open(OpenRound),
    /// Scored.
    Resolved(ResolvedRound),
}

impl RoundState {
    /// The word in files and on pages.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Open(open) if open.due == Due::Overdue => "overdue",
            Self::Open(_) => "pending",
            Self::Resolved(_) => "resolved",
        }
    }
}

/// A round between its record and its result.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct OpenRound {
    /// The run that counts.
    pub run_id: RunId,
    /// Decisions in order of model id, so that order tells nothing.
    pub submissions: Vec<Submission>,
    /// Control entrants in their own order.
    pub controls: Vec<Submission>,
    /// Starting prices, once known.
    pub entry: Option<PriceSheet>,
    /// Provisional figures by day; never ranked.
    pub interim: Vec<facts::InterimRow>,
    /// Whether the result is late.
    pub due: Due,
}

/// A round with its result.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ResolvedRound {
    /// The run that counts.
    pub run_id: RunId,
    /// Returns of all options, the reference, cash and the oracle.
    pub returns: RoundReturns,
    /// Models in leaderboard order.
    pub models: Vec<Standing>,
    /// Control entrants in their own order; never ranked among models.
    pub controls: Vec<Standing>,
    /// What repeated calls showed.
    pub repeated: Vec<RepeatedRun>,
    /// Provisional figures while the round was open.
    pub interim: Vec<facts::InterimRow>,
    /// What random admissible portfolios returned; none where the round cannot say.
    pub chance: Option<ChanceSummary>,
}

/// What luck would have given in a round.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ChanceSummary {
    /// Return of the lowest draw.
    pub low: f64,
    /// Return of the middle draw.
    pub median: f64,
    /// Return of the highest draw.
    pub high: f64,
    /// Draws in equal bins from the lowest to the highest.
    pub bins: Vec<u32>,
}

/// A decision with its figures and its score.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Standing {
    /// Decision and outcome.
    pub scored: Scored,
    /// CapitalBench Score of this round.
    pub score: Score,
    /// Where it stands among random admissible portfolios.
    pub percentiles: Option<facts::Percentiles>,
    /// Daily gains beyond the reference; none where closes are missing.
    pub days: Option<ActiveDays>,
}

impl Standing {
    /// Who.
    pub fn model_id(&self) -> &ModelId {
        &self.scored.submission.model_id
    }
}

impl ResolvedRound {
    /// The standing of a model.
    pub fn of(&self, model_id: &ModelId) -> Option<&Standing> {
        self.models.iter().find(|m| m.model_id() == model_id)
    }
}

impl PublicRound {
    /// Its id.
    pub fn id(&self) -> &RoundId {
        &self.manifest.round_id
    }

    /// Its result, once there is one.
    pub fn resolved(&self) -> Option<&ResolvedRound> {
        match &self.state {
            RoundState::Resolved(resolved) => Some(resolved),
            RoundState::Draft | RoundState::Open(_) => None,
        }
    }

    /// The public decisions, whatever the state: in order of model id while open.
    pub fn submissions(&self) -> Vec<&Submission> {
        match &self.state {
            RoundState::Draft => Vec::new(),
            RoundState::Open(open) => open.submissions.iter().collect(),
            RoundState::Resolved(resolved) => {
                let models = resolved.models.iter();
                models.map(|m| &m.scored.submission).collect()
            }
        }
    }
}

impl Publication {
    /// A model's name for people.
    pub fn name<'a>(&'a self, model_id: &'a ModelId) -> &'a str {
        self.names.get(model_id).map_or(model_id.as_str(), |n| n)
    }

    /// A round by id.
    pub fn round(&self, id: &RoundId) -> Option<&PublicRound> {
        self.rounds.iter().find(|round| round.id() == id)
    }
}

/// Why nothing can be published.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PublishError {
    /// A figure that cannot be.
    #[error("{round_id}, {model_id}: {error}")]
    AboveOracle {
        /// The round.
        round_id: RoundId,
        /// Who.
        model_id: ModelId,
        /// Both figures.
        error: AboveOracle,
    },
    /// A loss of everything has no logarithm.
    #[error("{round_id}, {model_id}: a return of -100 % or less cannot be compounded")]
    TotalLoss {
        /// The round.
        round_id: RoundId,
        /// Who.
        model_id: ModelId,
    },
    /// Summed returns above summed oracles.
    #[error("{who} over several rounds: {error}")]
    SumAboveOracle {
        /// Who.
        who: String,
        /// Both sums.
        error: AboveOracle,
    },
}

/// Computes the publication of an instant; the same facts and instant give the same publication.
pub fn publish(
    rounds: Vec<RoundFacts>,
    names: BTreeMap<ModelId, String>,
    policy: &SetPolicy,
    as_of: Timestamp,
) -> Result<Publication, PublishError> {
    let synthetic = all_synthetic(rounds.iter().map(|facts| facts.manifest.stream));
    let stream = if synthetic {
        Stream::Synthetic
    } else {
        Stream::Primary
    };
    let mut public = Vec::with_capacity(rounds.len());
    for facts in rounds {
        let began = facts
            .manifest
            .created_at
            .as_ref()
            .map(crate::values::time::Stamp::at);
        let listed = facts.manifest.stream == stream && !facts.rehearsal;
        if listed && began.is_none_or(|began| began <= as_of) {
            public.push(public_round(facts, as_of)?);
        }
    }
    public.sort_by(|a, b| a.key.cmp(&b.key));
    let mut boards = BTreeMap::new();
    for track in [Track::Weekly, Track::Monthly] {
        boards.insert(track, track_boards(&public, track, &names)?);
    }
    let set_rounds: Vec<SetRound<'_>> = public.iter().map(SetRound::of).collect();
    let comparison_sets = comparison_sets(&set_rounds, policy, &names)?;
    let statistics = statistics(&public, &set_rounds, &boards, &comparison_sets);
    Ok(Publication {
        as_of,
        synthetic,
        rounds: public,
        statistics,
        names,
        boards,
        comparison_sets,
    })
}

/// Whether there are rounds, and all of them of an invented market.
fn all_synthetic(streams: impl IntoIterator<Item = Stream>) -> bool {
    let mut streams = streams.into_iter().peekable();
    streams.peek().is_some() && streams.all(|stream| stream == Stream::Synthetic)
}

fn public_round(facts: RoundFacts, as_of: Timestamp) -> Result<PublicRound, PublishError> {
    let key = RoundKey::of(&facts.manifest);
    let track = facts.manifest.track();
    let state = state(
        &facts.manifest,
        (facts.record, facts.result),
        (facts.entry, facts.interim, facts.repeated),
        as_of,
    )?;
    Ok(PublicRound {
        key,
        track,
        manifest: facts.manifest,
        universe: facts.universe,
        frozen: facts.frozen,
        state,
    })
}

/// What else a folder tells: starting prices, provisional figures, repeated calls.
type Beside = (Option<PriceSheet>, Vec<facts::InterimRow>, Vec<RepeatedRun>);

/// The one place that decides what may be seen.
fn state(
    manifest: &Manifest,
    (record, result): (Option<facts::Record>, Option<facts::Result>),
    (entry, mut interim, repeated): Beside,
    as_of: Timestamp,
) -> Result<RoundState, PublishError> {
    let visible = |record: &facts::Record| record.since.is_none_or(|since| since <= as_of);
    let Some(record) = record.filter(visible) else {
        return Ok(RoundState::Draft);
    };
    let window = manifest.window;
    match result {
        Some(result) if is_over(window, as_of) => {
            let resolved = resolved(manifest, record, result, (interim, repeated))?;
            Ok(RoundState::Resolved(resolved))
        }
        _ => {
            let seen = |day: Date| close_of(day).is_none_or(|close| close <= as_of);
            // A snapshot of the exit day would be the result before the result.
            let inside = |day: Date| window.is_none_or(|window| day < window.exit);
            interim.retain(|row| inside(row.day) && seen(row.day));
            let begun = window.and_then(crate::round::manifest::Window::entry_close);
            let begun = begun.is_some_and(|close| close <= as_of);
            let mut submissions = record.submissions;
            submissions.sort_by(|a, b| a.model_id.cmp(&b.model_id));
            Ok(RoundState::Open(OpenRound {
                run_id: record.run_id,
                submissions,
                controls: record.controls,
                entry: entry.filter(|_| begun),
                interim,
                due: due(window, as_of),
            }))
        }
    }
}

/// Whether the exit close has passed.
fn is_over(window: Option<crate::round::manifest::Window>, as_of: Timestamp) -> bool {
    let close = window.and_then(crate::round::manifest::Window::exit_close);
    close.is_some_and(|close| close <= as_of)
}

fn close_of(day: Date) -> Option<Timestamp> {
    let one = crate::round::manifest::Window {
        entry: day,
        exit: day,
    };
    one.exit_close()
}

fn resolved(
    manifest: &Manifest,
    record: facts::Record,
    result: facts::Result,
    (interim, repeated): (Vec<facts::InterimRow>, Vec<RepeatedRun>),
) -> Result<ResolvedRound, PublishError> {
    let chance = result.chance.as_ref();
    let returns = result.returns;
    let mut models = standings(manifest, record.submissions, result.models, &returns)?;
    let mut days = result.days.into_iter();
    for (place, standing) in models.iter_mut().enumerate() {
        standing.percentiles = chance.and_then(|chance| chance.models.get(place).copied());
        standing.days = days.next().flatten();
    }
    let ties = manifest.methodology.tie_rule();
    models.sort_by(|a, b| leaderboard::order(&a.scored, &b.scored, ties));
    let mut controls = standings(manifest, record.controls, result.controls, &returns)?;
    for (place, standing) in controls.iter_mut().enumerate() {
        standing.percentiles = chance.and_then(|chance| chance.controls.get(place).copied());
    }
    Ok(ResolvedRound {
        run_id: record.run_id,
        models,
        controls,
        returns,
        repeated,
        interim,
        chance: result.chance.map(|chance| ChanceSummary {
            low: chance.low,
            median: chance.median,
            high: chance.high,
            bins: chance.bins,
        }),
    })
}

fn standings(
    manifest: &Manifest,
    submissions: Vec<Submission>,
    outcomes: Vec<Outcome>,
    returns: &RoundReturns,
) -> Result<Vec<Standing>, PublishError> {
    let mut standings = Vec::with_capacity(submissions.len());
    for (submission, outcome) in submissions.into_iter().zip(outcomes) {
        let points = score(outcome.decision_return, returns.oracle());
        let score = points.map_err(|error| PublishError::AboveOracle {
            round_id: manifest.round_id.clone(),
            model_id: submission.model_id.clone(),
            error,
        })?;
        standings.push(Standing {
            scored: Scored {
                submission,
                outcome,
            },
            score,
            percentiles: None,
            days: None,
        });
    }
    Ok(standings)
}
