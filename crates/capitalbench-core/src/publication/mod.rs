//! Everything the public may see at one instant, computed once; pages, files and rows render it.
//!
//! A round that is not resolved at that instant has no field for a score, a rank, a regret, an
//! oracle or a final gap: [`RoundState::Open`] cannot hold them, so nothing downstream can leak them.

pub mod artifact;
pub mod boards;
pub mod calls;
pub mod entrants;
pub mod names;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::evidence::claims::record::ClaimRecord;
use crate::evidence::statistics::{Statistics, statistics};
use crate::market::reference_name::ReferenceName;
use crate::publication::boards::comparison_set::{ComparisonSet, SetPolicy, comparison_sets};
use crate::publication::boards::set_round::SetRound;
use crate::publication::boards::{TrackBoards, name_in, track_boards};
use crate::result::score::AboveOracle;
use crate::round::manifest::Track;
use crate::values::ids::{ModelId, RoundId};

pub mod compare;
pub mod facts;
pub mod outline;
mod public_round;
pub mod renames;
mod round_at;
pub mod standings;
pub mod visible;

pub use public_round::{
    ChanceSummary, Frozen, NotStated, OpenRound, PublicRound, ResolvedRound, RoundKey, RoundState,
    Standing,
};

use entrants::PublicEntry;
use facts::RoundFacts;
use names::{give, names_of};
use renames::continue_records;
use round_at::rounds_at;

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
    /// Claims that were registered before their first day, in the order of the log.
    pub claims: Vec<ClaimRecord>,
    /// The name of the league's log, where it admits entrants from outside.
    pub league: Option<String>,
    /// Entries from outside, in the order of the log; never among the models.
    pub entries: Vec<PublicEntry>,
}

impl Publication {
    /// A model's name for people.
    pub fn name<'a>(&'a self, model_id: &'a ModelId) -> &'a str {
        name_in(&self.names, model_id)
    }

    /// What the reference of its rounds is called.
    pub fn reference(&self) -> ReferenceName {
        let names = self.rounds.iter();
        ReferenceName::shared(names.map(|round| round.universe.reference().name.as_str()))
    }

    /// The currency that its rounds are quoted in; none where they have none or several.
    pub fn currency(&self) -> Option<&str> {
        let mut all = self.rounds.iter().map(|round| round.universe.currency());
        let first = all.next()?;
        all.all(|own| own == first).then_some(first)
    }

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
        round_id: RoundId,
        model_id: ModelId,
        /// Both figures.
        error: AboveOracle,
    },
    /// A loss of everything has no logarithm.
    #[error("{round_id}, {model_id}: a return of -100 % or less cannot be compounded")]
    TotalLoss {
        round_id: RoundId,
        model_id: ModelId,
    },
    /// The same of an entry from outside.
    #[error("{round_id}, entrant {entrant}: {error}")]
    EntryAboveOracle {
        round_id: RoundId,
        entrant: String,
        /// Both figures.
        error: AboveOracle,
    },
    /// Summed returns above summed oracles.
    #[error("{who} over several rounds: {error}")]
    SumAboveOracle {
        who: String,
        /// Both sums.
        error: AboveOracle,
    },
}

/// Computes the publication of an instant; the same facts and instant give the same publication.
/// Claims and entries follow from the log beside the rounds, so whoever has it adds them.
pub fn publish(
    facts: Vec<RoundFacts>,
    policy: &SetPolicy,
    as_of: Timestamp,
) -> Result<Publication, PublishError> {
    let records = facts.iter().filter_map(|facts| facts.record.as_ref());
    let submissions = records.flat_map(|record| &record.submissions);
    let mut names = names_of(submissions.map(|submission| &submission.model_id));
    let (mut rounds, synthetic) = rounds_at(facts, as_of)?;
    let renames = continue_records(&mut rounds);
    let set_rounds: Vec<SetRound<'_>> = rounds.iter().map(SetRound::of).collect();
    give(&mut names, &set_rounds, &renames);
    let comparison_sets = comparison_sets(&set_rounds, policy, (&names, &renames))?;
    let mut boards = BTreeMap::new();
    for track in [Track::Weekly, Track::Monthly] {
        boards.insert(track, track_boards(&rounds, track, &names)?);
    }
    Ok(Publication {
        as_of,
        synthetic,
        statistics: statistics(&rounds, &set_rounds, &boards, &comparison_sets),
        rounds,
        names,
        boards,
        comparison_sets,
        claims: Vec::new(),
        league: None,
        entries: Vec::new(),
    })
}
