//! [`PublicRound`] holds what the public may know of one round; the state of an open round has no
//! field for a result, so nothing downstream can leak one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::calls::ModelCalls;
use super::facts::{self, LaneAnswer, RepeatedRun};
use crate::asking::missing_answer::MissingAnswer;
use crate::asking::option_order::{OptionOrder, order_seed};
use crate::decision::submission::Submission;
use crate::evidence::inference::daily::ActiveDays;
use crate::evidence::inference::excess::Excess;
use crate::evidence::inference::reliability::Stated;
use crate::market::prices::PriceSheet;
use crate::market::universe::Universe;
use crate::result::leaderboard::Scored;
use crate::result::returns::RoundReturns;
use crate::result::score::Score;
use crate::round::ending::{Ending, ExceptionNote, Tombstone};
use crate::round::lifecycle::{Due, Stage};
use crate::round::manifest::{Manifest, Track};
use crate::round::methodology::ConfidenceQuestion;
use crate::values::ids::{Digest, ModelId, RoundId, RunId};

/// The text that orders rounds: exit day, deadline, id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct RoundKey(String);

impl RoundKey {
    /// The key of a round.
    pub fn of(manifest: &Manifest) -> Self {
        let exit = manifest.window.map(|window| window.exit.to_string());
        let deadline = manifest.decision_deadline.as_ref();
        let deadline = deadline.map_or("", crate::values::time::WrittenInstant::text);
        let (exit, id) = (exit.unwrap_or_default(), &manifest.round_id);
        Self(format!("{exit}:{deadline}:{id}"))
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
    /// The operator's signed explanations, in their order; they change nothing that counts.
    pub exceptions: Vec<ExceptionNote>,
    /// Models of this round whose record goes on under another id, with that id.
    pub continued: BTreeMap<ModelId, ModelId>,
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
    /// It ended without a record, and says why.
    Ended(Tombstone),
    /// Decisions are public, results are not.
    Open(OpenRound),
    /// Scored.
    Resolved(ResolvedRound),
}

impl RoundState {
    /// As far as the public sees it.
    pub(crate) fn stage(&self) -> Stage {
        match self {
            Self::Draft => Stage::Draft,
            Self::Ended(tombstone) => match tombstone.ending {
                Ending::Voided => Stage::Voided,
                Ending::Abandoned => Stage::Abandoned,
            },
            Self::Open(open) if open.due == Due::Overdue => Stage::Overdue,
            Self::Open(_) => Stage::Pending,
            Self::Resolved(_) => Stage::Resolved,
        }
    }

    /// The word in files and on pages.
    pub fn as_str(&self) -> &'static str {
        self.stage().as_str()
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
    /// How the models were asked, in order of model id; only of models whose ledger tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCalls>,
    /// Models without a valid answer, in order of model id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingAnswer>,
    /// What models answered in twin lanes, which no record holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneAnswer>,
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
    /// How the models were asked, in order of model id; only of models whose ledger tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ModelCalls>,
    /// Models without a valid answer, in order of model id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingAnswer>,
    /// What models answered in twin lanes, which no record holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<LaneAnswer>,
    /// What random admissible portfolios returned; none where the round cannot say.
    pub chance: Option<ChanceSummary>,
    /// Daily returns of the reference itself; empty where closes are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reference_days: ActiveDays,
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
    /// How far it lies from random portfolios; none where the round froze no daily returns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excess: Option<Excess>,
}

/// Why a decision does not count among those with a stated chance to beat the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotStated {
    /// The round asked something else, or nothing.
    OtherQuestion,
    /// It returned what the reference did, so neither of both was ahead.
    Level,
}

/// Returns this close are the same: their last digits depend on the order of sums.
const LEVEL_WITHIN: f64 = 1e-12;

impl Standing {
    pub fn model_id(&self) -> &ModelId {
        &self.scored.submission.model_id
    }
}

impl PublicRound {
    pub fn id(&self) -> &RoundId {
        &self.manifest.round_id
    }

    /// Its result, once there is one.
    pub fn resolved(&self) -> Option<&ResolvedRound> {
        match &self.state {
            RoundState::Resolved(resolved) => Some(resolved),
            RoundState::Draft | RoundState::Ended(_) | RoundState::Open(_) => None,
        }
    }

    /// The order in which its options were listed, where it was drawn.
    pub fn option_order(&self) -> Option<OptionOrder> {
        let frozen = self.frozen.as_ref()?;
        let is_drawn = self.manifest.methodology.draws_option_order();
        is_drawn.then(|| OptionOrder::draw(order_seed(&frozen.files), &self.universe))
    }

    /// The result of a model, under the id that it had here or has today.
    pub fn standing(&self, model_id: &ModelId) -> Option<&Standing> {
        let id = self.stored(model_id);
        self.resolved()?.models.iter().find(|m| m.model_id() == id)
    }

    /// What a decision said of its chance to beat the reference, and whether it did.
    pub(crate) fn stated(&self, standing: &Standing) -> Result<Stated, NotStated> {
        let asked = self.manifest.methodology.confidence_question();
        let window = self.manifest.window.ok_or(NotStated::OtherQuestion)?;
        if asked != ConfidenceQuestion::BeatReference {
            return Err(NotStated::OtherQuestion);
        }
        let outcome = &standing.scored.outcome;
        if outcome.alpha.get().abs() <= LEVEL_WITHIN {
            return Err(NotStated::Level);
        }
        Ok(Stated {
            confidence: standing.scored.submission.confidence,
            beat: outcome.beats_reference,
            window,
        })
    }

    /// The public decisions, whatever the state: in order of model id while open.
    pub fn submissions(&self) -> Vec<&Submission> {
        match &self.state {
            RoundState::Draft | RoundState::Ended(_) => Vec::new(),
            RoundState::Open(open) => open.submissions.iter().collect(),
            RoundState::Resolved(resolved) => {
                let models = resolved.models.iter();
                models.map(|m| &m.scored.submission).collect()
            }
        }
    }

    /// How models were asked, in order of model id; empty where no ledger tells.
    pub fn calls(&self) -> &[ModelCalls] {
        match &self.state {
            RoundState::Draft | RoundState::Ended(_) => &[],
            RoundState::Open(open) => &open.calls,
            RoundState::Resolved(resolved) => &resolved.calls,
        }
    }

    /// What models answered in twin lanes, as far as it is public.
    pub fn lanes(&self) -> &[LaneAnswer] {
        match &self.state {
            RoundState::Draft | RoundState::Ended(_) => &[],
            RoundState::Open(open) => &open.lanes,
            RoundState::Resolved(resolved) => &resolved.lanes,
        }
    }

    /// Models of the record without a valid answer, in order of model id.
    pub fn missing(&self) -> &[MissingAnswer] {
        match &self.state {
            RoundState::Draft | RoundState::Ended(_) => &[],
            RoundState::Open(open) => &open.missing,
            RoundState::Resolved(resolved) => &resolved.missing,
        }
    }

    pub fn missing_of(&self, model_id: &ModelId) -> Option<&MissingAnswer> {
        let id = self.stored(model_id);
        self.missing().iter().find(|own| own.model_id == *id)
    }

    /// Why it ended without a record, where it did.
    pub fn tombstone(&self) -> Option<&Tombstone> {
        match &self.state {
            RoundState::Ended(tombstone) => Some(tombstone),
            _ => None,
        }
    }

    pub fn calls_of(&self, model_id: &ModelId) -> Option<&ModelCalls> {
        let (calls, id) = (self.calls(), self.stored(model_id));
        let place = calls.binary_search_by(|own| own.model_id.cmp(id));
        place.ok().map(|place| &calls[place])
    }
}
