//! How a round asks for a reply: the prompt and the schema that its methodology prescribes.

use capitalbench_core::asking::prompt::prompt_text;
use capitalbench_core::decision::submission::schema::schema;
use capitalbench_core::market::universe::{Listing, Universe};
use capitalbench_core::round::manifest::{Manifest, Track};
use capitalbench_core::round::methodology::ReplyOrder;
use capitalbench_core::values::ids::OptionId;
use serde_json::Value;

use crate::format::text::json;

/// The texts of `prompt.md` and `submission_schema.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyForm {
    pub prompt: String,
    pub schema: String,
}

/// The schema of a reply that chooses among these options.
pub fn schema_of(manifest: &Manifest, options: &[OptionId]) -> Value {
    let order = manifest.methodology.reply_order();
    schema(order, manifest.format, &manifest.constraints, options)
}

/// The form that the methodology of a manifest prescribes for these options.
pub fn reply_form(manifest: &Manifest, track: Track, universe: &Universe) -> ReplyForm {
    let order = manifest.methodology.reply_order();
    let shown = universe.options().iter();
    let ids: Vec<OptionId> = shown
        .filter(|option| option.listing == Listing::Shown)
        .map(|option| option.id.clone())
        .collect();
    let schema = schema_of(manifest, &ids);
    ReplyForm {
        prompt: prompt_text(order, manifest.format, track, &manifest.constraints),
        // Rounds up to v1.1 have a sorted schema, and the bytes of a label never change.
        schema: match order {
            ReplyOrder::ConfidenceBeforeReasons => json::to_pretty(&schema),
            ReplyOrder::DecisionFirst => json::to_pretty_in_order(&schema),
        },
    }
}
