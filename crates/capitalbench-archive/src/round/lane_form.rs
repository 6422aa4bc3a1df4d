//! What a twin lane asks: the frozen question with one thing changed. It follows from the frozen
//! inputs alone, so nothing of it is stored and anybody makes it again.

use std::sync::Arc;

use capitalbench_core::asking::lanes::{Lane, Mask};
use capitalbench_core::asking::option_order::OptionOrder;
use capitalbench_core::asking::run::RunKind;
use capitalbench_core::decision::portfolio::Holding;
use capitalbench_core::market::universe::Universe;
use serde_json::Value;

use super::model_input::{InputTexts, option_order};
use super::reply_form::schema_of;
use crate::disk::error::{Fault, FileError};
use crate::disk::layout;
use crate::round::round_folder::RoundInputs;

/// The label of the lot for the other order.
const OTHER_ORDER: &str = "order-v1 twin";
/// The label of the lot for the numbers of masked options.
const MASK: &str = "mask-v1";
/// What stands where a part was left out.
const NO_BRIEFING: &str = "No briefing is part of this message.";
const NO_TABLE: &str = "No market table is part of this message.";

/// The question of a lane.
#[derive(Debug, Clone)]
pub struct LaneForm {
    /// The rules of the round, with the options as the lane names them.
    pub inputs: RoundInputs,
    /// The text that models are sent, before the lines that name them.
    pub text: String,
    /// The form of a reply.
    pub schema: Value,
    mask: Option<Mask>,
}

impl LaneForm {
    /// The question of a lane of a round whose methodology may have one.
    pub fn of(inputs: &RoundInputs, lane: Lane) -> Result<Self, FileError> {
        let mut texts = InputTexts::of(inputs)?;
        let order = texts.order.take().ok_or_else(|| no_lanes(inputs))?;
        let mask = match lane {
            Lane::Masked => Some(mask(inputs, &order)?),
            _ => None,
        };
        let order = match (lane, &mask) {
            (Lane::Order, _) => OptionOrder::draw_as(order.seed(), OTHER_ORDER, &inputs.universe),
            (_, Some(mask)) => order.renamed(|id| mask.masked(id)),
            _ => order,
        };
        if let Some(mask) = &mask {
            texts.briefing = mask.text(&texts.briefing);
            texts.table = texts.table.map(|table| mask.table(&table));
        }
        match lane {
            Lane::NoBriefing => NO_BRIEFING.clone_into(&mut texts.briefing),
            Lane::NoTable => texts.table = Some(NO_TABLE.to_owned()),
            Lane::Base | Lane::Order | Lane::Masked => {}
        }
        let universe = mask.as_ref().map(|mask| Arc::new(mask.universe().clone()));
        let universe = universe.unwrap_or_else(|| Arc::clone(&inputs.universe));
        let schema = schema_of(&inputs.manifest, order.ids());
        texts.order = Some(order);
        Ok(Self {
            text: texts.assemble(&inputs.manifest, &universe),
            schema,
            inputs: RoundInputs {
                universe,
                ..inputs.clone()
            },
            mask,
        })
    }

    /// Holdings under the ids of the round.
    pub fn unmask(&self, holdings: Vec<Holding>) -> Vec<Holding> {
        match &self.mask {
            Some(mask) => mask.unmask(&holdings),
            None => holdings,
        }
    }
}

/// The options as a run of this kind names them; none where it names them as the round does.
///
/// Options that are masked already keep their masks: the numbers follow from their places.
pub(crate) fn masked_universe(
    inputs: &RoundInputs,
    kind: RunKind,
) -> Result<Option<Universe>, FileError> {
    if kind != RunKind::Lane(Lane::Masked) {
        return Ok(None);
    }
    let order = option_order(inputs)?.ok_or_else(|| no_lanes(inputs))?;
    Ok(Some(mask(inputs, &order)?.universe().clone()))
}

fn mask(inputs: &RoundInputs, order: &OptionOrder) -> Result<Mask, FileError> {
    let numbers = OptionOrder::draw_as(order.seed(), MASK, &inputs.universe);
    Mask::new(&inputs.universe, numbers.ids()).map_err(|error| {
        let fault = Fault::new(format!("cannot be masked: {error}"));
        fault.in_file(&inputs.folder.file(layout::OPTIONS))
    })
}

fn no_lanes(inputs: &RoundInputs) -> FileError {
    let fault = Fault::field("methodology_version", "has no twin lanes; v1.2 has them");
    fault.in_file(&inputs.folder.file(layout::MANIFEST))
}
