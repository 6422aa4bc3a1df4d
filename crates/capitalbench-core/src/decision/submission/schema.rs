//! The JSON Schema (draft 2020-12) of a submission, frozen with a round and given to providers.
//!
//! It describes what a model is asked to write. What is accepted is decided by
//! [`validate`](super::validate), not by this text: sums, repeated holdings and blank text are
//! beyond what every provider's schema dialect can say.

use serde_json::{Value, json};

use super::read::MODE;
use crate::decision::portfolio::Constraints;
use crate::round::manifest::SubmissionFormat;
use crate::values::ids::OptionId;

/// Fewest and most risks a model is asked for.
const RISKS: (u32, u32) = (2, 5);

/// The schema of a round's submissions; `option_ids` are the options offered, in their order.
pub fn schema(format: SubmissionFormat, limits: &Constraints, option_ids: &[OptionId]) -> Value {
    let ids: Vec<&str> = option_ids.iter().map(OptionId::as_str).collect();
    let (choice, portfolio_rationale) = match format {
        SubmissionFormat::SinglePick => {
            let picked = json!({"type": "string", "enum": ids});
            (("selected_option_id", picked), None)
        }
        SubmissionFormat::Portfolio => {
            let holdings = portfolio(limits, &ids);
            (
                ("portfolio", holdings),
                Some(("portfolio_rationale", text())),
            )
        }
    };
    let mut fields = vec![
        ("round_id", text()),
        ("model_id", text()),
        ("provider", text()),
        ("mode", json!({"type": "string", "enum": [MODE]})),
        choice,
        (
            "confidence",
            json!({"type": "number", "minimum": 0, "maximum": 1}),
        ),
        ("rationale_summary", text()),
    ];
    fields.extend(portfolio_rationale);
    fields.push(("key_risks", risks()));
    let mut schema = object(fields);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!(format!("CapitalBench {} submission", format.as_str()));
    schema
}

fn portfolio(limits: &Constraints, ids: &[&str]) -> Value {
    let holding = object(vec![
        ("option_id", json!({"type": "string", "enum": ids})),
        (
            "allocation_pct",
            json!({
                "type": "integer",
                "minimum": limits.min_allocation_pct,
                "maximum": 100,
                "multipleOf": limits.increment_pct,
            }),
        ),
        ("rationale", text()),
    ]);
    json!({
        "type": "array",
        "minItems": limits.min_holdings,
        "maxItems": limits.max_holdings,
        "items": holding,
    })
}

fn risks() -> Value {
    let (fewest, most) = RISKS;
    json!({"type": "array", "minItems": fewest, "maxItems": most, "items": text()})
}

fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}

/// An object that has exactly these fields, all of them required.
fn object(fields: Vec<(&str, Value)>) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties: serde_json::Map<String, Value> = fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests;
