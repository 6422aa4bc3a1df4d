//! What a round's folder tells, whole; [`super::publish`] alone decides how much of it is public.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::consistency::ModelConsistency;
use crate::ids::{ModelId, RunId};
use crate::interim::InterimPoint;
use crate::manifest::Manifest;
use crate::prices::PriceSheet;
use crate::publication::Frozen;
use crate::returns::RoundReturns;
use crate::score::Outcome;
use crate::submission::Submission;
use crate::units::Return;
use crate::universe::Universe;

/// One round, with everything its folder holds.
#[derive(Debug, Clone)]
pub struct RoundFacts {
    /// The frozen rules.
    pub manifest: Manifest,
    /// The frozen options.
    pub universe: Arc<Universe>,
    /// Digests, once frozen.
    pub frozen: Option<Frozen>,
    /// Has runs, all of them rehearsals: not a round of the public record.
    pub rehearsal: bool,
    /// The run that counts.
    pub record: Option<Record>,
    /// Starting prices.
    pub entry: Option<PriceSheet>,
    /// Its result, once it was scored.
    pub result: Option<Result>,
    /// Provisional figures by day, then model.
    pub interim: Vec<InterimRow>,
    /// Scored runs of repeated calls.
    pub repeated: Vec<RepeatedRun>,
}

/// The run that counts.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its name.
    pub run_id: RunId,
    /// When it became the record, else when it ended, else when it began.
    pub since: Option<Timestamp>,
    /// What the models decided.
    pub submissions: Vec<Submission>,
    /// What the control entrants decided.
    pub controls: Vec<Submission>,
}

/// Figures of the record; `models` and `controls` run beside the record's own lists.
#[derive(Debug, Clone)]
pub struct Result {
    /// Returns of the options.
    pub returns: RoundReturns,
    /// One outcome per submission.
    pub models: Vec<Outcome>,
    /// One outcome per control.
    pub controls: Vec<Outcome>,
}

/// A provisional figure of one model on one day.
#[derive(Debug, Clone, PartialEq)]
pub struct InterimRow {
    /// The day of the snapshot.
    pub day: Date,
    /// Who.
    pub model_id: ModelId,
    /// Where it stood.
    pub point: InterimPoint,
}

/// A scored run of repeated calls.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedRun {
    /// Its name.
    pub run_id: RunId,
    /// Calls per model.
    pub replicates: u32,
    /// Return of the reference.
    pub reference: Return,
    /// One row per model.
    pub models: Vec<ModelConsistency>,
}
