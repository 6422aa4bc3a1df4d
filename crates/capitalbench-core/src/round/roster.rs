//! The models a round expects, frozen with it.

use jiff::Timestamp;

use crate::asking::run::RunKind;
use crate::round::methodology::Methodology;
use crate::values::ids::{Digest, ModelId, RoundId};
use crate::values::time::WrittenInstant;

/// The roster a manifest freezes.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Roster {
    /// Version text: a prefix and twelve digits of a digest over the ids.
    pub version: String,
    /// When the roster was frozen.
    pub frozen_at: WrittenInstant,
    /// The models, in configuration order.
    pub model_ids: Vec<ModelId>,
}

impl Roster {
    /// Freezes these models at an instant.
    pub fn new(
        model_ids: Vec<ModelId>,
        frozen_at: WrittenInstant,
        methodology: &Methodology,
    ) -> Self {
        Self {
            version: version(&model_ids, methodology),
            frozen_at,
            model_ids,
        }
    }

    /// The version text that these models should have under a methodology.
    pub fn expected_version(&self, methodology: &Methodology) -> String {
        version(&self.model_ids, methodology)
    }
}

fn version(model_ids: &[ModelId], methodology: &Methodology) -> String {
    let mut ids: Vec<&str> = model_ids.iter().map(ModelId::as_str).collect();
    ids.sort_unstable();
    let digest = Digest::of(ids.join("\n").as_bytes()).to_hex();
    format!("{}{}", methodology.roster_prefix(), &digest[..12])
}

/// One configured contestant: who it is and when it may take part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contestant {
    pub model_id: ModelId,
    /// Whose model it is.
    pub provider: String,
    /// The name the provider knows it by.
    pub api_model_name: String,
    /// Switched on?
    pub enabled: bool,
    /// Not before this round, in order of id.
    pub first_eligible_round: Option<String>,
    /// Not for decisions before this instant.
    pub first_eligible_at: Option<WrittenInstant>,
    /// Not for decisions at or after this instant.
    pub retired_at: Option<WrittenInstant>,
}

impl Contestant {
    /// Whether the model takes part in a new round with this deadline; rounds before
    /// its first one are never filled in.
    pub fn is_active(&self, round_id: &RoundId, deadline: Timestamp) -> bool {
        self.enabled && self.has_begun(round_id, deadline) && !self.has_retired(deadline)
    }

    fn has_begun(&self, round_id: &RoundId, deadline: Timestamp) -> bool {
        let (round, instant) = (&self.first_eligible_round, &self.first_eligible_at);
        let begun = round
            .as_deref()
            .is_none_or(|first| round_id.as_str() >= first);
        begun && instant.as_ref().is_none_or(|first| deadline >= first.at())
    }

    fn has_retired(&self, deadline: Timestamp) -> bool {
        let end = self.retired_at.as_ref();
        end.is_some_and(|end| deadline >= end.at())
    }
}

/// Why a configured model is not asked in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Switched off.
    Disabled,
    /// Not on the frozen roster.
    NotExpected,
    /// The round is older than the model's first one.
    TooEarly,
    /// Retired at or before the deadline.
    Retired,
}

impl Skipped {
    /// In words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NotExpected => "not on the frozen roster",
            Self::TooEarly => "not yet eligible",
            Self::Retired => "retired",
        }
    }
}

impl Contestant {
    /// Whether the model is asked in a run of a round; a frozen roster decides alone, and a
    /// retrospective run may ask a model that has retired since.
    pub fn takes_part(
        &self,
        round_id: &RoundId,
        deadline: Timestamp,
        roster: Option<&Roster>,
        kind: RunKind,
    ) -> Result<(), Skipped> {
        let retrospective = kind == RunKind::Retrospective;
        if !self.enabled {
            return Err(Skipped::Disabled);
        }
        if let Some(roster) = roster.filter(|_| !retrospective) {
            let expected = roster.model_ids.contains(&self.model_id);
            return expected.then_some(()).ok_or(Skipped::NotExpected);
        }
        if !self.has_begun(round_id, deadline) {
            Err(Skipped::TooEarly)
        } else if !retrospective && self.has_retired(deadline) {
            Err(Skipped::Retired)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests;
