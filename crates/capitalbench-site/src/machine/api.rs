//! `/api/v1`: the tables of the export as rows, single rounds and models, and a list of all paths.
//!
//! The server hands path and query over unchanged and sends the answer.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use capitalbench_core::publication::Publication;
use capitalbench_core::values::ids::ModelId;
use capitalbench_core::values::similar::closest;
use capitalbench_export::publication_v1;
use capitalbench_export::table::Table;
use capitalbench_export::tables::{ALL, outcomes, rounds};
use serde_json::{Map, Value, json};

mod selection;

/// Rows of an answer by default and at most.
const ROWS: usize = 100;
const MOST_ROWS: usize = 1000;

/// Answers from one publication. Rows that belong to a round are made on request, to save memory.
#[derive(Debug)]
pub struct Api {
    publication: Arc<Publication>,
    /// The rows of tables that need all rounds, made on the first request.
    made: [OnceLock<Vec<Vec<Value>>>; ALL.len()],
    /// For the other tables, the number of rows before each round and, last, of all rounds.
    counted: [OnceLock<Vec<usize>>; ALL.len()],
}

impl Api {
    pub fn new(publication: impl Into<Arc<Publication>>) -> Self {
        Self {
            publication: publication.into(),
            made: std::array::from_fn(|_| OnceLock::new()),
            counted: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    pub fn publication(&self) -> &Publication {
        &self.publication
    }

    /// Status and body for the path after `/api/v1` and the query.
    pub fn reply(&self, rest: &str, query: &str) -> (u16, Vec<u8>) {
        let parts: Vec<String> = rest
            .split('/')
            .filter(|part| !part.is_empty())
            .map(decoded)
            .collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let answered = match parts.as_slice() {
            [] => no_parameters(query).map(|()| index()),
            ["metadata"] => no_parameters(query).map(|()| metadata(self)),
            [table] => rows(self, table, query),
            ["rounds", id] => no_parameters(query).and_then(|()| round(self, id)),
            ["models", id] => no_parameters(query).and_then(|()| model(self, id)),
            _ => {
                let message = "there is nothing at this path; /api/v1 lists what there is";
                let path = ("path", rest);
                Err(Refusal::new(NOT_FOUND, "not_found", path, message))
            }
        };
        let (status, body) = match answered {
            Ok(body) => (200, body),
            Err(refusal) => (refusal.status, refusal.body),
        };
        (status, format!("{body}\n").into_bytes())
    }
}

const NOT_FOUND: u16 = 404;
const BAD_REQUEST: u16 = 400;

/// An error answer.
struct Refusal {
    status: u16,
    body: Value,
}

impl Refusal {
    fn new(status: u16, word: &str, name: (&str, &str), message: &str) -> Self {
        let mut body = json!({"error": word, "message": message});
        body[name.0] = name.1.into();
        Self { status, body }
    }
}

fn index() -> Value {
    let tables = ALL.iter().map(|table| {
        let columns = table.columns.iter().map(|column| column.name);
        json!({
            "name": table.name,
            "href": format!("/api/v1/{}", table.name),
            "about": table.about,
            "columns": columns.collect::<Vec<_>>(),
        })
    });
    json!({
        "metadata": "/api/v1/metadata",
        "round": "/api/v1/rounds/{round_id}",
        "model": "/api/v1/models/{model_id}",
        "description": "/openapi.json",
        "tables": tables.collect::<Vec<_>>(),
    })
}

fn metadata(api: &Api) -> Value {
    let publication = api.publication();
    let counts = ALL.iter().enumerate();
    let counts = counts.map(|(place, table)| (table.name.to_owned(), api.count(place).into()));
    let counts: Map<String, Value> = counts.collect();
    json!({
        "format": publication_v1::FORMAT,
        "version": publication_v1::VERSION,
        "as_of": publication.as_of.to_string(),
        "synthetic": publication.synthetic,
        "row_counts": counts,
    })
}

fn place_of(name: &str) -> Result<usize, Refusal> {
    let found = ALL.iter().position(|table| table.name == name);
    found.ok_or_else(|| {
        let near = closest(name, ALL.iter().map(|table| table.name));
        let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
        let message = format!("there is no table {name}; {hint}/api/v1 lists them");
        let table = ("table", name);
        Refusal::new(NOT_FOUND, "unknown_table", table, &message)
    })
}

fn rows(api: &Api, name: &str, query: &str) -> Result<Value, Refusal> {
    let place = place_of(name)?;
    let table = ALL[place];
    let asked = parameters(query)?;
    let (mut limit, mut start) = (ROWS, 0_usize);
    let mut wanted: Vec<(usize, &str)> = Vec::new();
    for (parameter, value) in &asked {
        match parameter.as_str() {
            "limit" => {
                let number = value.parse().ok();
                let number = number.filter(|number| (1..=MOST_ROWS).contains(number));
                let message = format!("limit is {value:?}; use 1 to {MOST_ROWS}");
                limit = number.ok_or_else(|| bad("limit", &message))?;
            }
            "cursor" => {
                start = value.parse().map_err(|_| {
                    let message = format!(
                        "cursor is {value:?}; use next_cursor of the answer before, or leave it out"
                    );
                    bad("cursor", &message)
                })?;
            }
            column => wanted.push((column_of(table, column)?, value)),
        }
    }
    let end = start.saturating_add(limit);
    let (shown, total) = api.select(place, &wanted, start..end);
    Ok(json!({
        "table": table.name,
        "as_of": api.publication().as_of.to_string(),
        "total": total,
        "next_cursor": (end < total).then(|| end.to_string()),
        "rows": shown,
    }))
}

fn column_of(table: &Table, name: &str) -> Result<usize, Refusal> {
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let place = columns.iter().position(|column| *column == name);
    place.ok_or_else(|| {
        let (table, columns) = (table.name, columns.join(", "));
        let message =
            format!("{table} has no column {name}; use limit, cursor or one of {columns}");
        bad(name, &message)
    })
}

fn round(api: &Api, id: &str) -> Result<Value, Refusal> {
    let rounds = &api.publication().rounds;
    let found = rounds.iter().find(|round| round.id().as_str() == id);
    let found = found.ok_or_else(|| {
        let near = closest(id, rounds.iter().map(|round| round.id().as_str()));
        unknown("round", id, near)
    })?;
    Ok(publication_v1::round(found))
}

/// A model with its rows of every table about models.
fn model(api: &Api, id: &str) -> Result<Value, Refusal> {
    let of_table = |name: &str| -> Vec<Map<String, Value>> {
        let place = ALL.iter().position(|table| table.name == name);
        let column = place.and_then(|place| {
            let mut columns = ALL[place].columns.iter();
            columns.position(|column| column.name == "model_id")
        });
        let wanted = place.zip(column);
        wanted.map_or_else(Vec::new, |(place, column)| {
            api.select(place, &[(column, id)], 0..usize::MAX).0
        })
    };
    let own = of_table(rounds::MODELS.name);
    let Some(own) = own.first() else {
        let known = api.publication().names.keys();
        return Err(unknown(
            "model",
            id,
            closest(id, known.map(ModelId::as_str)),
        ));
    };
    let mut members = own.clone();
    for name in [
        "cumulative",
        "consistency",
        "statistics",
        "submissions",
        outcomes::OUTCOMES.name,
    ] {
        members.insert(name.to_owned(), json!(of_table(name)));
    }
    Ok(Value::Object(members))
}

fn unknown(kind: &str, id: &str, near: Option<&str>) -> Refusal {
    let hint = near.map_or_else(
        || format!("/api/v1/{kind}s lists them"),
        |near| format!("did you mean {near}?"),
    );
    let word = format!("unknown_{kind}");
    let message = format!("there is no {kind} {id}; {hint}");
    Refusal::new(NOT_FOUND, &word, (kind, id), &message)
}

fn bad(parameter: &str, message: &str) -> Refusal {
    let name = ("parameter", parameter);
    Refusal::new(BAD_REQUEST, "bad_parameter", name, message)
}

fn no_parameters(query: &str) -> Result<(), Refusal> {
    match parameters(query)?.keys().next() {
        None => Ok(()),
        Some(name) => {
            let message = format!("this path takes no parameters; leave {name} out");
            Err(bad(name, &message))
        }
    }
}

/// The parameters of a query; giving one twice is an error.
fn parameters(query: &str) -> Result<BTreeMap<String, String>, Refusal> {
    let mut found = BTreeMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (name.replace('+', " "), value.replace('+', " "));
        let (name, value) = (decoded(&name), decoded(&value));
        if found.insert(name.clone(), value).is_some() {
            return Err(bad(&name, &format!("{name} is given twice; give it once")));
        }
    }
    Ok(found)
}

/// Decodes `%XX`; a percent sign without two digits stays as it is.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        let pair = digit(bytes.get(place + 1)).zip(digit(bytes.get(place + 2)));
        let value = pair.and_then(|(high, low)| u8::try_from(high * 16 + low).ok());
        if let Some(value) = value.filter(|_| *byte == b'%') {
            out.push(value);
            place += 3;
        } else {
            out.push(*byte);
            place += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests;
