//! The JSON Schema of `publication.json`, from the same descriptions that write it.

use serde_json::{Map, Value, json};

use crate::publication_v1::{FORMAT, VERSION};
use crate::table::{Column, Kind, Presence, Table};
use crate::tables::{
    behaviour, boards, claims, decisions, entrants, interim, market, outcomes, rounds, sensitivity,
    sets, statistics,
};

/// States of a round without a result.
const OPEN: [&str; 5] = ["draft", "pending", "overdue", "voided", "abandoned"];

pub fn schema() -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer"});
    let method = closed(vec![
        ("version", text.clone()),
        ("interval_level", json!({"type": "number"})),
        ("null_label", text.clone()),
        ("null_draws", count.clone()),
        ("bootstrap_draws", count),
    ]);
    let board = closed(vec![
        ("track", json!({"enum": ["weekly", "monthly"]})),
        ("latest_round_id", json!({"type": ["string", "null"]})),
        ("cumulative", rows(&boards::CUMULATIVE)),
        ("consistency", rows(&boards::CONSISTENCY)),
        ("behaviour", rows(&behaviour::BEHAVIOUR)),
        ("exposures", rows(&behaviour::EXPOSURES)),
        ("statistics", rows(&statistics::STATISTICS)),
        ("sensitivity", rows(&sensitivity::SENSITIVITY)),
    ]);
    let mut whole = closed(vec![
        ("format", json!({"const": FORMAT})),
        ("version", json!({"const": VERSION})),
        ("as_of", json!({"type": "string", "format": "date-time"})),
        (
            "synthetic",
            json!({"type": "boolean", "description": "An invented market; nothing here is real"}),
        ),
        ("method", method),
        ("models", rows(&rounds::MODELS)),
        ("options", rows(&market::OPTIONS)),
        (
            "rounds",
            list(&json!({"oneOf": [open_round(), resolved_round()]})),
        ),
        ("boards", list(&board)),
        ("comparison_sets", list(&comparison_set())),
        ("claims", rows(&claims::CLAIMS)),
        ("entries", rows(&entrants::ENTRIES)),
    ]);
    if let Value::Object(members) = &mut whole {
        let mut head = Map::new();
        head.insert(
            "$schema".into(),
            "https://json-schema.org/draft/2020-12/schema".into(),
        );
        head.insert("title".into(), "CapitalBench publication".into());
        head.append(members);
        *members = head;
    }
    whole
}

fn open_round() -> Value {
    let mut members = round_members();
    members.push(("state", json!({"enum": OPEN})));
    closed(members)
}

fn resolved_round() -> Value {
    let mut result = columns(&outcomes::ROUND_RESULTS);
    let bins = json!({"type": ["array", "null"], "items": {"type": "integer"}});
    result.extend([
        ("random_histogram", bins),
        ("exit_prices", rows(&market::PRICES)),
        ("option_returns", rows(&market::OPTION_RETURNS)),
        ("outcomes", rows(&outcomes::OUTCOMES)),
        ("control_outcomes", rows(&outcomes::CONTROL_OUTCOMES)),
        ("repeated_calls", rows(&outcomes::REPEATED_CALLS)),
    ]);
    let mut members = round_members();
    members.push(("state", json!({"const": "resolved"})));
    members.push(("result", closed(result)));
    closed(members)
}

fn round_members() -> Vec<(&'static str, Value)> {
    let decided = |table: &Table| {
        let mut members = columns(table);
        members.push(("holdings", rows(&decisions::HOLDINGS)));
        list(&closed(members))
    };
    let mut members = columns(&rounds::ROUNDS);
    members.extend([
        ("artifact_hashes", rows(&rounds::ARTIFACT_HASHES)),
        ("submissions", decided(&decisions::SUBMISSIONS)),
        ("missing_answers", rows(&decisions::MISSING_ANSWERS)),
        ("explanations", rows(&decisions::EXPLANATIONS)),
        ("lane_answers", rows(&sensitivity::LANE_ANSWERS)),
        ("controls", decided(&decisions::CONTROLS)),
        ("entry_prices", rows(&market::PRICES)),
        ("interim", rows(&interim::INTERIM_POINTS)),
    ]);
    members
}

fn comparison_set() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let excluded = closed(vec![
        ("round_id", json!({"type": "string"})),
        ("reason", json!({"const": sets::EXCLUDED})),
        ("missing_model_ids", texts.clone()),
    ]);
    let mut members = columns(&sets::COMPARISON_SETS);
    members.extend([
        ("model_ids", texts.clone()),
        ("included_round_ids", texts),
        ("excluded_rounds", list(&excluded)),
        ("rows", rows(&sets::SET_ROWS)),
        ("market", rows(&sets::SET_ROWS)),
        ("pairs", rows(&statistics::PAIRS)),
        ("claim", json!({"type": ["string", "null"]})),
    ]);
    closed(members)
}

/// The schema of one row of a table.
pub fn row(table: &Table) -> Value {
    closed(columns(table))
}

fn rows(table: &Table) -> Value {
    list(&closed(columns(table)))
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items})
}

/// An object with exactly these members; a later one of the same name replaces an earlier one.
fn closed(members: Vec<(&'static str, Value)>) -> Value {
    let mut properties = Map::new();
    for (name, schema) in members {
        properties.insert(name.to_owned(), schema);
    }
    let required: Vec<String> = properties.keys().cloned().collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn columns(table: &Table) -> Vec<(&'static str, Value)> {
    let columns = table.columns.iter();
    columns
        .map(|column| (column.name, column_schema(column)))
        .collect()
}

fn column_schema(column: &Column) -> Value {
    let (kind, format) = match column.kind {
        Kind::Text => ("string", None),
        Kind::Integer => ("integer", None),
        Kind::Real => ("number", None),
        Kind::Flag => ("boolean", None),
        Kind::Day => ("string", Some("date")),
        Kind::Instant => ("string", Some("date-time")),
    };
    let kind = match column.presence {
        Presence::Always => json!(kind),
        Presence::Maybe => json!([kind, "null"]),
    };
    let mut schema = json!({"type": kind, "description": column.meaning});
    if let Some(format) = format {
        schema["format"] = format.into();
    }
    schema
}
