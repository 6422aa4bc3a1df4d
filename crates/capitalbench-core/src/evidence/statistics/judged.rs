//! Whether a model was more or less sure than its record: said only where chance does not explain the
//! difference.

use super::RecordStatistics;
use crate::evidence::inference::reliability::{Bin, wilson};
use crate::values::sums::real;

/// What a model said of its chance to beat the reference, beside what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedConfidence {
    /// Decisions of rounds that asked for that chance.
    pub decisions: usize,
    /// Mean of the chances that it stated.
    pub stated: f64,
    /// Share of the decisions that beat the reference.
    pub came_true: f64,
    /// 95 % interval of that share, with as many trials as there are effective windows.
    pub interval: (f64, f64),
    pub side: ConfidenceSide,
}

/// How stated confidence lies beside the interval of what came true.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfidenceSide {
    More,
    Less,
    /// Chance alone explains the difference.
    Level,
}

impl RecordStatistics {
    /// None where no resolved round asked for the chance to beat the reference.
    pub fn judged_confidence(&self) -> Option<JudgedConfidence> {
        judged(&self.reliability, self.asked_windows)
    }
}

fn judged(bins: &[Bin], windows: f64) -> Option<JudgedConfidence> {
    let decisions: usize = bins.iter().map(|bin| bin.count).sum();
    if decisions == 0 {
        return None;
    }
    let mean = |of: fn(&Bin) -> f64| {
        let parts = bins.iter().map(|bin| of(bin) * real(bin.count));
        parts.sum::<f64>() / real(decisions)
    };
    let (stated, came_true) = (mean(|bin| bin.confidence), mean(|bin| bin.hit_rate));
    let interval = wilson(came_true, windows);
    let side = if stated > interval.1 {
        ConfidenceSide::More
    } else if stated < interval.0 {
        ConfidenceSide::Less
    } else {
        ConfidenceSide::Level
    };
    Some(JudgedConfidence {
        decisions,
        stated,
        came_true,
        interval,
        side,
    })
}

#[cfg(test)]
mod tests;
