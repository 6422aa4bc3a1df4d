//! The JSON Schema (draft 2020-12) of a submission, frozen with a round and given to providers.
//!
//! It describes what a model is asked to write. What is accepted is decided by
//! [`validate`](super::validate), not by this text: sums, repeated holdings and blank text are
//! beyond what every provider's schema dialect can say.

use serde_json::{Map, Value, json};

use super::read::MODE;
use crate::decision::portfolio::Constraints;
use crate::round::manifest::SubmissionFormat;
use crate::round::methodology::ReplyOrder;
use crate::values::ids::OptionId;

/// Fewest and most risks a model is asked for.
const RISKS: (u32, u32) = (2, 5);

/// The schema of a round's submissions; `option_ids` are the options offered, in their order.
///
/// The fields stand in the order of the methodology. Whether a file keeps that order is the
/// writer's: up to v1.1 files were written in the order of the alphabet.
pub fn schema(
    order: ReplyOrder,
    format: SubmissionFormat,
    limits: &Constraints,
    option_ids: &[OptionId],
) -> Value {
    let ids: Vec<&str> = option_ids.iter().map(OptionId::as_str).collect();
    let mut fields = vec![
        ("round_id", text()),
        ("model_id", text()),
        ("provider", text()),
        ("mode", json!({"type": "string", "enum": [MODE]})),
    ];
    let (choice, portfolio_rationale) = match format {
        SubmissionFormat::SinglePick => {
            let picked = json!({"type": "string", "enum": ids});
            (("selected_option_id", picked), None)
        }
        SubmissionFormat::Portfolio => (
            ("portfolio", portfolio(limits, &ids)),
            Some(("portfolio_rationale", text())),
        ),
    };
    fields.push(choice);
    let confidence = (
        "confidence",
        json!({"type": "number", "minimum": 0, "maximum": 1}),
    );
    let summary = ("rationale_summary", text());
    let risks = ("key_risks", risks());
    match order {
        ReplyOrder::ConfidenceBeforeReasons => {
            fields.extend([confidence, summary]);
            fields.extend(portfolio_rationale);
            fields.push(risks);
        }
        ReplyOrder::DecisionFirst => {
            fields.extend(portfolio_rationale);
            fields.extend([summary, risks, confidence]);
        }
    }
    let mut schema = Map::new();
    let dialect = json!("https://json-schema.org/draft/2020-12/schema");
    schema.insert("$schema".to_owned(), dialect);
    let title = json!(format!("CapitalBench {} submission", format.as_str()));
    schema.insert("title".to_owned(), title);
    schema.extend(object(fields));
    Value::Object(schema)
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
fn object(fields: Vec<(&str, Value)>) -> Map<String, Value> {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let required = json!(required);
    let properties: Map<String, Value> = fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    let keywords = [
        ("type", json!("object")),
        ("properties", Value::Object(properties)),
        ("required", required),
        ("additionalProperties", json!(false)),
    ];
    keywords
        .into_iter()
        .map(|(keyword, value)| (keyword.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests;
