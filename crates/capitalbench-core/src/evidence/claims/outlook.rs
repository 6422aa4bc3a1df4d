//! What a set would still need: how long a claim about its first row would take.

use super::pair::PairRecord;
use super::planning::{Design, years_until};
use super::terms::{Second, USUAL_SPREAD, WIDE_SPREAD};
use crate::evidence::statistics::EDGES;
use crate::publication::Publication;
use crate::publication::boards::comparison_set::ComparisonSet;
use crate::values::ids::ModelId;

/// The edge a year that is asked about: the largest of the planner.
pub const EDGE: f64 = EDGES[2];
/// Evidence that establishes a claim at a level of 5 %.
const NEEDED: f64 = 20.0;

/// How long it would take to know that a model is [`EDGE`] a year ahead of the reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlook {
    pub model_id: ModelId,
    /// Years in four of five cases; none where the planner's longest time is not enough.
    pub years: Option<f64>,
}

/// The outlook of a set, as `plan-evidence` has it for rounds as they are now; none where the record
/// of its first row is too short to tell how much its days vary.
pub fn outlook(publication: &Publication, set: &ComparisonSet) -> Option<Outlook> {
    let first = &set.rows.first()?.model_id;
    let track = set.definition.track;
    let record = PairRecord::of(publication, track, (first, &Second::Reference))?;
    let mut rounds = publication.rounds.iter();
    let is_wide = rounds.any(|own| own.track == Some(track) && own.manifest.market.never_closes());
    let spread = if is_wide { WIDE_SPREAD } else { USUAL_SPREAD };
    Some(Outlook {
        model_id: first.clone(),
        years: years(record.deviation, record.distance * spread),
    })
}

fn years(deviation: f64, bound: f64) -> Option<f64> {
    let [years] = years_until(&Design::of(deviation, bound), [EDGE], NEEDED);
    years
}

#[cfg(test)]
mod tests;
