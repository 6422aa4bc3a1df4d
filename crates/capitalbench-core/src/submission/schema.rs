//! The JSON Schema (draft 2020-12) of a submission, frozen with a round and given to providers.
//!
//! It describes what a model is asked to write. What is accepted is decided by
//! [`validate`](super::validate), not by this text: sums, repeated holdings and blank text are
//! beyond what every provider's schema dialect can say.

use serde_json::{Value, json};

use super::read::MODE;
use crate::ids::OptionId;
use crate::manifest::SubmissionFormat;
use crate::portfolio::Constraints;

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
mod tests {
    use super::*;
    use crate::manifest::Track;
    use crate::prompt::prompt_text;

    fn ids() -> Vec<OptionId> {
        ["CASH", "SP500"]
            .map(|id| OptionId::parse(id).unwrap())
            .to_vec()
    }

    /// The object a prompt shows as the form of the reply.
    fn template(format: SubmissionFormat) -> Value {
        let text = prompt_text(format, Track::Weekly, &Constraints::default());
        let (start, end) = (text.find("\n{").unwrap(), text.find("\n}").unwrap());
        serde_json::from_str(&text[start..end + 2]).unwrap()
    }

    fn keys(value: &Value) -> Vec<&str> {
        value
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect()
    }

    #[test]
    fn the_schema_asks_for_what_the_prompt_shows() {
        for format in [SubmissionFormat::SinglePick, SubmissionFormat::Portfolio] {
            let schema = schema(format, &Constraints::default(), &ids());
            let template = template(format);
            assert_eq!(keys(&schema["properties"]), keys(&template));
            assert_eq!(schema["required"], json!(keys(&template)));
            assert_eq!(schema["additionalProperties"], json!(false));
            let dialect = "https://json-schema.org/draft/2020-12/schema";
            assert_eq!(schema["$schema"], json!(dialect));
            assert_eq!(
                schema["properties"]["mode"]["enum"],
                json!(["closed_capability"])
            );
        }
        let portfolio = schema(SubmissionFormat::Portfolio, &Constraints::default(), &ids());
        let holding = &portfolio["properties"]["portfolio"]["items"];
        let shown = &template(SubmissionFormat::Portfolio)["portfolio"][0];
        assert_eq!(keys(&holding["properties"]), keys(shown));
    }

    #[test]
    fn limits_and_options_stand_in_the_schema() {
        let limits = Constraints {
            min_holdings: 2,
            max_holdings: 4,
            increment_pct: 10,
            min_allocation_pct: 20,
            ..Constraints::default()
        };
        let portfolio = schema(SubmissionFormat::Portfolio, &limits, &ids());
        let holdings = &portfolio["properties"]["portfolio"];
        assert_eq!(
            (&holdings["minItems"], &holdings["maxItems"]),
            (&json!(2), &json!(4))
        );
        let holding = &holdings["items"]["properties"];
        assert_eq!(holding["option_id"]["enum"], json!(["CASH", "SP500"]));
        assert_eq!(holding["allocation_pct"]["multipleOf"], json!(10));
        assert_eq!(holding["allocation_pct"]["minimum"], json!(20));
        let single = schema(SubmissionFormat::SinglePick, &limits, &ids());
        let picked = &single["properties"]["selected_option_id"];
        assert_eq!(picked["enum"], json!(["CASH", "SP500"]));
        assert!(single["properties"].get("portfolio").is_none());
    }
}
