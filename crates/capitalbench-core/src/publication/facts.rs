//! What a round's folder tells, whole; [`super::publish`] alone decides how much of it is public.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;

use crate::decision::submission::Submission;
use crate::evidence::inference::daily::ActiveDays;
use crate::evidence::inference::null::{Null, Volatility};
use crate::market::prices::PriceSheet;
use crate::market::universe::Universe;
use crate::publication::Frozen;
use crate::result::consistency::ModelConsistency;
use crate::result::interim::InterimPoint;
use crate::result::returns::RoundReturns;
use crate::result::score::{Outcome, portfolio_return};
use crate::round::manifest::Manifest;
use crate::values::ids::{Digest, ModelId, OptionId, RunId};
use crate::values::units::Return;

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
    /// What luck would have given; none where the round cannot say.
    pub chance: Option<Chance>,
    /// Daily gains beyond the reference, one series per submission; none where closes are missing.
    pub days: Vec<Option<ActiveDays>>,
}

/// Random admissible portfolios of a round, summed up, and where the decisions stand among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Chance {
    /// Return of the lowest draw.
    pub low: f64,
    /// Return of the middle draw.
    pub median: f64,
    /// Return of the highest draw.
    pub high: f64,
    /// Draws in equal bins from the lowest to the highest.
    pub bins: Vec<u32>,
    /// One per submission.
    pub models: Vec<Percentiles>,
    /// One per control.
    pub controls: Vec<Percentiles>,
}

/// Where a decision stands among random ones.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Percentiles {
    /// Share of all draws below it.
    pub all: f64,
    /// Share of the draws nearest in volatility below it; none where volatility is unknown.
    pub matched: Option<f64>,
}

/// Bins of a round's histogram.
const BINS: usize = 40;

impl Chance {
    /// Draws the null of a round and places its decisions; none where the round has none.
    pub fn of(
        manifest: &Manifest,
        universe: &Universe,
        freeze: Digest,
        (returns, volatility): (&RoundReturns, &Volatility),
        (models, controls): (&[Submission], &[Submission]),
    ) -> Option<Self> {
        let limits = manifest.limits();
        let rules = (manifest.format, &limits);
        let null = Null::draw(universe, rules, freeze, returns, volatility).ok()?;
        let place = |submission: &Submission| {
            let holdings = submission.decision.holdings();
            let value = |id: &OptionId| returns.get(id).map(|option| option.value);
            let value = portfolio_return(&holdings, value).map_or(0.0, Return::get);
            Percentiles {
                all: null.percentile(value),
                matched: null.matched_percentile(&holdings, volatility, universe, value),
            }
        };
        Some(Self {
            low: null.quantile(0.0),
            median: null.median(),
            high: null.quantile(1.0),
            bins: null.histogram(BINS),
            models: models.iter().map(place).collect(),
            controls: controls.iter().map(place).collect(),
        })
    }
}

/// A provisional figure of one model on one day.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct InterimRow {
    /// The day of the snapshot.
    pub day: Date,
    /// Who.
    pub model_id: ModelId,
    /// Where it stood.
    pub point: InterimPoint,
}

/// A scored run of repeated calls.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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
