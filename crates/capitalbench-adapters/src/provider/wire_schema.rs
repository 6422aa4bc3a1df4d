//! Reduces a schema to what each provider's dialect accepts.
//!
//! A constraint that a dialect does not accept moves into the `description` beside it, in one form
//! for all providers. Annotations that constrain nothing (`$schema`, `title`, …) are dropped. Every
//! object is closed and requires all its fields. The full rules judge every submission in any case.

use serde_json::{Map, Value, json};

/// Keywords that do not constrain a reply.
const ANNOTATIONS: [&str; 6] = ["$schema", "$id", "$comment", "title", "default", "examples"];
const NUMBERS: [&str; 5] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];
const COUNTS: [&str; 2] = ["minItems", "maxItems"];
const LENGTHS: [&str; 2] = ["minLength", "maxLength"];
/// Keywords that no provider accepts.
const LOGIC: [&str; 7] = [
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "uniqueItems",
];
const ANTHROPIC_FORMATS: [&str; 10] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Whether a dialect does not accept a keyword with this value.
type Refuses = fn(&str, &Value) -> bool;

/// `OpenAI`'s strict dialect, which xAI shares: it accepts no lengths.
pub(super) fn openai(schema: &Value) -> Value {
    reduce(schema, |keyword, _| is_any(keyword, &[&LENGTHS, &LOGIC]))
}

/// Anthropic's dialect: no numbers, lengths or patterns, at most one required item, few formats.
pub(super) fn anthropic(schema: &Value) -> Value {
    reduce(schema, |keyword, value| match keyword {
        "minItems" => value.as_u64().is_none_or(|fewest| fewest > 1),
        "format" => !value
            .as_str()
            .is_some_and(|name| ANTHROPIC_FORMATS.contains(&name)),
        "maxItems" | "pattern" => true,
        _ => is_any(keyword, &[&NUMBERS, &LENGTHS, &LOGIC]),
    })
}

/// Google's dialect: no multiples and no patterns.
pub(super) fn google(schema: &Value) -> Value {
    reduce(schema, |keyword, _| {
        matches!(keyword, "multipleOf" | "pattern") || is_any(keyword, &[&LOGIC])
    })
}

/// What every `OpenAI`-compatible host accepts: no numbers, counts, lengths or patterns.
pub(super) fn compatible(schema: &Value) -> Value {
    reduce(schema, |keyword, _| {
        matches!(keyword, "pattern" | "format")
            || is_any(keyword, &[&NUMBERS, &COUNTS, &LENGTHS, &LOGIC])
    })
}

fn is_any(keyword: &str, lists: &[&[&str]]) -> bool {
    lists.iter().any(|list| list.contains(&keyword))
}

fn reduce(schema: &Value, refuses: Refuses) -> Value {
    let Some(keywords) = schema.as_object() else {
        return schema.clone();
    };
    let mut reduced = Map::new();
    let mut rules = Vec::new();
    for (keyword, value) in keywords {
        match keyword.as_str() {
            "properties" | "$defs" => {
                reduced.insert(keyword.clone(), reduce_fields(value, refuses));
            }
            "items" => {
                reduced.insert(keyword.clone(), reduce(value, refuses));
            }
            "anyOf" | "oneOf" => {
                let choices = value.as_array().into_iter().flatten();
                let choices: Vec<Value> = choices.map(|one| reduce(one, refuses)).collect();
                reduced.insert("anyOf".to_owned(), Value::Array(choices));
            }
            keyword if ANNOTATIONS.contains(&keyword) => {}
            _ if refuses(keyword, value) => rules.push(format!("{keyword} {value}")),
            _ => {
                reduced.insert(keyword.clone(), value.clone());
            }
        }
    }
    describe(&mut reduced, &rules);
    close(&mut reduced);
    Value::Object(reduced)
}

fn reduce_fields(fields: &Value, refuses: Refuses) -> Value {
    let fields = fields.as_object().into_iter().flatten();
    let reduced = fields.map(|(name, schema)| (name.clone(), reduce(schema, refuses)));
    Value::Object(reduced.collect())
}

fn describe(schema: &mut Map<String, Value>, rules: &[String]) {
    if rules.is_empty() {
        return;
    }
    let rule = format!("Rule: {}.", rules.join(", "));
    let text = match schema.get("description").and_then(Value::as_str) {
        Some(text) => format!("{text} {rule}"),
        None => rule,
    };
    schema.insert("description".to_owned(), json!(text));
}

fn close(schema: &mut Map<String, Value>) {
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        let names: Vec<&String> = fields.keys().collect();
        let names = json!(names);
        schema.insert("required".to_owned(), names);
        schema.insert("additionalProperties".to_owned(), json!(false));
    }
}

#[cfg(test)]
mod tests;
