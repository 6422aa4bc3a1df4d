//! What a run asks: the frozen question of its round, or a twin of it.

use capitalbench_archive::disk::layout;
use capitalbench_archive::format::text::json;
use capitalbench_archive::round::lane_form::LaneForm;
use capitalbench_archive::round::model_input::{assembled, option_order};
use capitalbench_archive::round::reply_form::schema_of;
use capitalbench_archive::round::round_folder::RoundInputs;
use capitalbench_core::asking::run::RunKind;
use serde_json::Value;

use crate::error::Error;

/// Everything that models are given, before the lines that name one of them.
pub(super) struct Question {
    /// The rules, with the options as the text names them.
    pub(super) inputs: RoundInputs,
    pub(super) text: String,
    /// The form of a reply, where the round has one.
    pub(super) schema: Option<Value>,
}

impl Question {
    pub(super) fn of(inputs: RoundInputs, kind: RunKind) -> Result<Self, Error> {
        if let Some(lane) = kind.lane() {
            let form = LaneForm::of(&inputs, lane)?;
            return Ok(Self {
                inputs: form.inputs,
                text: form.text,
                schema: Some(form.schema),
            });
        }
        Ok(Self {
            text: frozen_text(&inputs)?,
            schema: schema(&inputs)?,
            inputs,
        })
    }
}

fn frozen_text(inputs: &RoundInputs) -> Result<String, Error> {
    match inputs.folder.read_optional(layout::MODEL_INPUT)? {
        None => Ok(assembled(inputs)?),
        Some(bytes) => String::from_utf8(bytes)
            .map_err(|_| Error::new(format!("{} is not text", layout::MODEL_INPUT))),
    }
}

/// The form of a reply that is sent: the frozen one, where the round has one, with the options in the
/// order that was drawn for the round.
fn schema(inputs: &RoundInputs) -> Result<Option<Value>, Error> {
    if let Some(order) = option_order(inputs)? {
        return Ok(Some(schema_of(&inputs.manifest, order.ids())));
    }
    let parse = |bytes: &[u8]| Ok(json::parse(bytes)?);
    let folder = &inputs.folder;
    if !folder.file(layout::SCHEMA).is_file() {
        return Ok(None);
    }
    Ok(Some(folder.parse(layout::SCHEMA, parse)?))
}
