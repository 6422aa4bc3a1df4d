//! The candidates of a judgment round, chosen mechanically from the frozen context tables.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::REFERENCE_ID;
use crate::round::manifest::Track;

impl Track {
    /// The columns of the context table that count: active return, prior return and volume.
    pub fn judgment_columns(self) -> [&'static str; 3] {
        match self {
            Self::Weekly => [
                "active_return_5s",
                "prior_16s_active_return",
                "volume_zscore_5v60",
            ],
            Self::Monthly => [
                "active_return_21s",
                "prior_105s_active_return",
                "volume_zscore_20v120",
            ],
        }
    }
}

/// One option of the context table; a blank cell reads as `None`.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextRow {
    pub option_id: String,
    /// Return minus the reference's, recent sessions.
    pub active: Option<f64>,
    /// The same for the sessions before.
    pub prior: Option<f64>,
    /// Recent volume against its past.
    pub volume: Option<f64>,
}

/// Why an option is a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// Fell most against the reference.
    ShockReversal,
    /// Was strong before.
    MediumStrength,
    /// Rose most against the reference.
    ShortContinuation,
    /// Good quality evidence.
    QualityPullback,
    /// Unusual volume.
    VolumeDislocation,
    /// The reference.
    Benchmark,
}

impl Lane {
    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShockReversal => "shock_reversal",
            Self::MediumStrength => "medium_strength",
            Self::ShortContinuation => "short_continuation",
            Self::QualityPullback => "quality_pullback",
            Self::VolumeDislocation => "volume_dislocation",
            Self::Benchmark => "benchmark",
        }
    }
}

/// One candidate and its lanes, in lane order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub option_id: String,
    /// Why it is on the slate.
    pub lanes: Vec<Lane>,
}

/// Why there is no slate.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SlateError {
    /// Too little quality evidence.
    #[error("quality evidence covers {0} of the options; at least 0.90 is required")]
    Coverage(f64),
    /// Outside 10 to 16 candidates.
    #[error("the slate has {0} candidates; 10 to 16 are expected")]
    Size(usize),
}

/// The candidates in order of first appearance, the reference last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slate {
    candidates: Vec<Candidate>,
}

/// How equal metrics are ordered.
#[derive(Clone, Copy)]
enum Order {
    Ascending,
    Descending,
    DescendingIdsAscending,
}

impl Slate {
    /// Fills the lanes from the context rows and the quality scores.
    pub fn new(
        rows: &[ContextRow],
        quality: &BTreeMap<String, f64>,
        coverage: f64,
    ) -> Result<Self, SlateError> {
        if coverage < 0.90 {
            return Err(SlateError::Coverage(coverage));
        }
        let lanes = lanes(rows, quality);
        let mut candidates: Vec<Candidate> = Vec::new();
        for (lane, take, mut values, order) in lanes {
            values.sort_by(|a, b| compare(*a, *b, order));
            for (id, _) in values.into_iter().take(take) {
                match candidates.iter_mut().find(|c| c.option_id == id) {
                    Some(candidate) => candidate.lanes.push(lane),
                    None => candidates.push(Candidate {
                        option_id: id.to_owned(),
                        lanes: vec![lane],
                    }),
                }
            }
        }
        candidates.push(Candidate {
            option_id: REFERENCE_ID.to_owned(),
            lanes: vec![Lane::Benchmark],
        });
        if !(10..=16).contains(&candidates.len()) {
            return Err(SlateError::Size(candidates.len()));
        }
        Ok(Self { candidates })
    }

    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    pub fn option_ids(&self) -> Vec<&str> {
        self.candidates
            .iter()
            .map(|c| c.option_id.as_str())
            .collect()
    }

    pub fn get(&self, option_id: &str) -> Option<&Candidate> {
        self.candidates.iter().find(|c| c.option_id == option_id)
    }
}

/// One lane: how many options it takes, from which values, in which order.
type LaneValues<'a> = (Lane, usize, Vec<(&'a str, f64)>, Order);

fn lanes<'a>(rows: &'a [ContextRow], quality: &BTreeMap<String, f64>) -> [LaneValues<'a>; 5] {
    let metric = |pick: &dyn Fn(&ContextRow) -> Option<f64>| -> Vec<(&'a str, f64)> {
        rows.iter()
            .filter(|row| !matches!(row.option_id.as_str(), "CASH" | REFERENCE_ID))
            .filter_map(|row| Some((row.option_id.as_str(), pick(row)?)))
            .collect()
    };
    let active = metric(&|row| row.active);
    let prior = metric(&|row| row.prior);
    let scored = metric(&|row| quality.get(&row.option_id).copied());
    let volume = metric(&|row| row.volume.map(f64::abs));
    [
        (Lane::ShockReversal, 5, active.clone(), Order::Ascending),
        (Lane::MediumStrength, 3, prior, Order::Descending),
        (Lane::ShortContinuation, 2, active, Order::Descending),
        (
            Lane::QualityPullback,
            3,
            scored,
            Order::DescendingIdsAscending,
        ),
        (Lane::VolumeDislocation, 2, volume, Order::Descending),
    ]
}

fn compare(a: (&str, f64), b: (&str, f64), order: Order) -> Ordering {
    let ascending = a.1.total_cmp(&b.1).then_with(|| a.0.cmp(b.0));
    match order {
        Order::Ascending => ascending,
        Order::Descending => ascending.reverse(),
        Order::DescendingIdsAscending => b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)),
    }
}
