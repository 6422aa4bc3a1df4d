//! One colour and one shape per model, the same in every chart, table and image.
//!
//! They follow from the rounds before a model's first one and from that round, so a model keeps its
//! own when others come and go.

use std::collections::BTreeMap;

use capitalbench_core::publication::Publication;
use capitalbench_core::publication::names::by_decision;
use capitalbench_core::values::ids::ModelId;

use crate::charts::{COLOURS, Look, SHAPES};

/// The looks of all models with a public decision.
#[derive(Debug, Default)]
pub(crate) struct Looks<'a>(BTreeMap<&'a ModelId, Look>);

impl<'a> Looks<'a> {
    pub(crate) fn of(publication: &'a Publication) -> Self {
        let mut looks = Self::default();
        for round in by_decision(&publication.rounds) {
            let ids = round.submissions().into_iter();
            // A model that continues another is the same contestant, so both have one look.
            let mut ids: Vec<&ModelId> = ids.map(|s| round.contestant(&s.model_id)).collect();
            ids.sort_unstable();
            for &id in &ids {
                if !looks.0.contains_key(id) {
                    let look = looks.free(&ids);
                    looks.0.insert(id, look);
                }
            }
        }
        looks
    }

    pub(crate) fn get(&self, id: &ModelId) -> Look {
        self.0.get(id).copied().unwrap_or(Look::OTHER)
    }

    /// A pair that no model has yet, where there is one: first a colour that the fewest models beside
    /// it have, then a shape.
    fn free(&self, beside: &[&ModelId]) -> Look {
        let near = || beside.iter().filter_map(|id| self.0.get(*id));
        let all = || self.0.values();
        let colour = (0..COLOURS).min_by_key(|colour| {
            let has = |look: &&Look| look.colour == *colour;
            (near().filter(has).count(), all().filter(has).count())
        });
        let colour = colour.unwrap_or_default();
        let shape = (0..SHAPES).min_by_key(|shape| {
            let same = Look::new(colour, *shape);
            let shaped = |look: &&Look| look.shape == *shape;
            (
                all().filter(|look| **look == same).count(),
                near().filter(shaped).count(),
                (*shape + SHAPES - colour) % SHAPES,
            )
        });
        Look::new(colour, shape.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests;
