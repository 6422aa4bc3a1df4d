//! Runs: their kind, whether they may count, and which one is the record of a round.

use crate::asking::acceptance::Acceptance;
use crate::asking::lanes::Lane;
use crate::round::methodology::Enforcement;
use crate::values::ids::{ModelId, RoundId, RunId};
use crate::values::time::WrittenInstant;

/// What a run is for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub enum RunKind {
    /// One call per model, for the record.
    Official,
    /// Repeated calls, to see whether a model agrees with itself.
    Consistency,
    /// No provider was asked.
    Mock,
    /// Asked after the fact.
    Retrospective,
    /// A private trial of a provider.
    Smoke,
    /// A twin of the round's question, or its own once more; never for the record.
    Lane(Lane),
}

/// What the stored words of lanes begin with.
const LANE: &str = "lane_";

impl RunKind {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Official => "official",
            Self::Consistency => "stability",
            Self::Mock => "mock",
            Self::Retrospective => "retrospective",
            Self::Smoke => "provider_smoke",
            Self::Lane(Lane::Base) => "lane_base",
            Self::Lane(Lane::Order) => "lane_order",
            Self::Lane(Lane::Masked) => "lane_masked",
            Self::Lane(Lane::NoBriefing) => "lane_no_briefing",
            Self::Lane(Lane::NoTable) => "lane_no_table",
        }
    }

    /// Reads the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(lane) = text.strip_prefix(LANE) {
            return Lane::parse(lane).map(Self::Lane);
        }
        match text {
            "official" => Some(Self::Official),
            "stability" => Some(Self::Consistency),
            "mock" => Some(Self::Mock),
            "retrospective" => Some(Self::Retrospective),
            "provider_smoke" => Some(Self::Smoke),
            _ => None,
        }
    }

    /// The lane of a run that asks one.
    pub fn lane(self) -> Option<Lane> {
        match self {
            Self::Lane(lane) => Some(lane),
            _ => None,
        }
    }

    /// The kind of a run whose manifest does not name one.
    pub fn infer(mode: &str, mock: Option<bool>) -> Self {
        match mode {
            "stability" => Self::Consistency,
            "legacy" | "mock" => Self::Mock,
            _ if mock == Some(true) => Self::Mock,
            _ => Self::Official,
        }
    }
}

/// What a submission must agree with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunRules {
    pub kind: RunKind,
    /// Calls per model.
    pub replicates: u32,
}

/// A run as its manifest tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Names the run and its folder.
    pub run_id: RunId,
    /// The round it answers.
    pub round_id: RoundId,
    /// Kind and replicates.
    pub rules: RunRules,
    /// Were providers asked, or was the run a rehearsal?
    pub calls: Calls,
    /// May it count? Already false unless official and real.
    pub eligible: bool,
    /// Where the operator put it.
    pub selection: Selection,
    /// When the run began.
    pub created_at: Option<WrittenInstant>,
    /// When it ended.
    pub completed_at: Option<WrittenInstant>,
    /// When the operator accepted it.
    pub accepted_at: Option<WrittenInstant>,
    /// Submissions as the manifest counts them.
    pub counts: Counts,
    /// Models it says it asked.
    pub model_ids: Option<Vec<ModelId>>,
    /// The acceptance beside the manifest, where there is one.
    pub acceptance: Option<Acceptance>,
}

/// Real calls or a rehearsal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Providers were asked.
    Real,
    /// Nothing left the machine.
    Mock,
    /// Nothing left the machine, and the round's market is invented: it may be the round's record.
    Synthetic,
    /// The manifest does not say.
    Unknown,
}

/// What the operator decided about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// Named as the record.
    Selected,
    /// Named as not the record.
    Withdrawn,
    /// Not named.
    Unmarked,
}

/// Submissions as a run manifest counts them; none until the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Models asked.
    pub models: Option<u64>,
    /// Valid submissions.
    pub valid: Option<u64>,
    /// Invalid submissions.
    pub invalid: Option<u64>,
}

/// What a round asks of a run that may be its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordRules {
    pub enforcement: Enforcement,
    /// The valid answers that suffice; none where every model must have one.
    pub enough: Option<u64>,
}

impl RecordRules {
    /// Every model must have a valid answer.
    pub fn all_answer(enforcement: Enforcement) -> Self {
        Self {
            enforcement,
            enough: None,
        }
    }

    /// Whether so many valid and invalid answers may be a record.
    pub fn suffice(self, valid: u64, invalid: u64) -> bool {
        match self.enough {
            Some(enough) => valid >= enough,
            None => invalid == 0,
        }
    }
}

impl Run {
    /// Eligible and with the valid answers that the round asks for: the operator's word may make it
    /// the record.
    pub fn may_count(&self, rules: RecordRules) -> bool {
        let Counts { valid, invalid, .. } = self.counts;
        self.eligible && rules.suffice(valid.unwrap_or(0), invalid.unwrap_or(0))
    }
}

/// What the operator decided about a run of a round, all acceptances taken into account.
///
/// A later acceptance that names a run withdraws it; else an own acceptance selects it; else the
/// run manifest decides, as in the rounds of the earlier public project.
pub fn selection<'a>(run: &Run, round: impl IntoIterator<Item = &'a Run>) -> Selection {
    let mut acceptances = round
        .into_iter()
        .filter_map(|other| other.acceptance.as_ref());
    if acceptances.any(|other| other.supersedes.as_ref() == Some(&run.run_id)) {
        Selection::Withdrawn
    } else if run.acceptance.is_some() {
        Selection::Selected
    } else {
        run.selection
    }
}

/// Why a round has no single official run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoOfficialRun {
    /// Nothing qualifies.
    #[error("no run is official, real, complete and eligible")]
    None,
    /// Several qualify and none, or more than one, is selected.
    #[error("several runs qualify and the operator selected not exactly one: {}", join(.0))]
    Ambiguous(Vec<RunId>),
    /// One run qualifies, but the operator has not accepted it.
    #[error("{0} is not accepted: check it with `capitalbench accept-run`")]
    NotAccepted(RunId),
}

fn join(ids: &[RunId]) -> String {
    let texts: Vec<&str> = ids.iter().map(RunId::as_str).collect();
    texts.join(", ")
}

/// The official run of a round: the operator's choice.
///
/// In rounds of the earlier public project the only eligible run needs no acceptance. Under our own
/// labels it does, because only the gate of an acceptance asks whether a run came too late.
pub fn official_run<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    rules: RecordRules,
) -> Result<&'a Run, NoOfficialRun> {
    let all: Vec<&Run> = runs.into_iter().collect();
    let mut candidates = Vec::new();
    let mut selected = Vec::new();
    for run in all.iter().copied().filter(|run| run.may_count(rules)) {
        match selection(run, all.iter().copied()) {
            Selection::Withdrawn => continue,
            Selection::Selected => selected.push(run),
            Selection::Unmarked => {}
        }
        candidates.push(run);
    }
    match (selected.as_slice(), candidates.as_slice()) {
        ([run], _) => Ok(run),
        ([], [run]) => match rules.enforcement {
            Enforcement::Reproduce => Ok(run),
            Enforcement::Refuse => Err(NoOfficialRun::NotAccepted(run.run_id.clone())),
        },
        ([], []) => Err(NoOfficialRun::None),
        (several, all) => {
            let several = if several.is_empty() { all } else { several };
            let ids = several.iter().map(|run| run.run_id.clone()).collect();
            Err(NoOfficialRun::Ambiguous(ids))
        }
    }
}

#[cfg(test)]
mod tests;
