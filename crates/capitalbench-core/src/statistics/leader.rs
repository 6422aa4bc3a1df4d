//! What the first row of a set is worth among all that were tried.

use super::{count, values};
use crate::inference::daily::ActiveDays;
use crate::inference::sharpe::{deflated, moments};

/// What the leader's daily record is worth among all models, tracks and versions that were tried.
pub(super) fn leader_deflated(series: &[Option<ActiveDays>], versions: f64) -> Option<f64> {
    let all: Vec<_> = series
        .iter()
        .map(|series| series.as_ref().and_then(|series| moments(&values(series))))
        .collect();
    let sharpes: Vec<f64> = all.iter().flatten().map(|moments| moments.sharpe).collect();
    let leader = all.first().copied().flatten()?;
    let mean = crate::boards::mean(&sharpes)?;
    let squares: Vec<f64> = sharpes
        .iter()
        .map(|sharpe| (sharpe - mean).powi(2))
        .collect();
    let variance = crate::boards::mean(&squares)?;
    let tries = count(sharpes.len()) * 2.0 * versions;
    deflated(&leader, variance, tries)
}
