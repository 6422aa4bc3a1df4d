//! `openapi.json`: the static data, and the same rows from a live server.

use capitalbench_export::publication_v1::VERSION;
use capitalbench_export::schema;
use capitalbench_export::table::{Column, Kind, Table};
use capitalbench_export::tables::ALL;
use serde_json::{Map, Value, json};

use crate::{Files, Input};

pub(super) fn render(input: &Input<'_>, files: &mut Files) {
    let text = format!("{:#}\n", document(input));
    files.insert("openapi.json".to_owned(), text.into());
}

fn document(input: &Input<'_>) -> Value {
    let mut paths = Map::new();
    let archive = (!input.data.is_empty()).then_some(super::DATA_ARCHIVE);
    for name in input.data.keys().map(String::as_str).chain(archive) {
        paths.insert(format!("/data/{name}"), json!({"get": data_file(name)}));
    }
    let object = json!({"type": "object"});
    for (path, about, parameters) in [
        (
            "/rounds/{round_id}/files.json",
            "Public files of a round with digest and size",
            vec![path("round_id")],
        ),
        ("/api/v1", "Paths and tables of this API", vec![]),
        (
            "/api/v1/metadata",
            "Instant of the record and number of rows",
            vec![],
        ),
    ] {
        paths.insert(
            path.to_owned(),
            json!({"get": operation(about, &parameters, &object)}),
        );
    }
    for table in ALL {
        let path = format!("/api/v1/{}", table.name);
        paths.insert(path, json!({"get": rows(table)}));
    }
    for (name, id) in [("rounds", "round_id"), ("models", "model_id")] {
        let about = format!("One of {name}, with everything about it");
        let mut found = operation(&about, &[path(id)], &object);
        found["responses"]["404"] =
            refusal("There is nothing with this id; the answer names a similar one");
        paths.insert(format!("/api/v1/{name}/{{{id}}}"), json!({"get": found}));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "CapitalBench",
            "version": VERSION.to_string(),
            "summary": "The public record as data: no key, any origin, ETag on every answer.",
            "description": "Paths below /data are files of every copy of the site. Paths below /api/v1 need a live server and give the same rows. An open round has no result in either.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": input.base_url}],
        "security": [],
        "paths": paths,
        "components": {"schemas": schemas()},
    })
}

/// The rows of each table, and the answer to a wrong request.
fn schemas() -> Map<String, Value> {
    let schemas = ALL.map(|table| (table.name.to_owned(), schema::row(table)));
    let mut schemas: Map<String, Value> = schemas.into_iter().collect();
    let refusal = json!({
        "type": "object",
        "required": ["error", "message"],
        "properties": {
            "error": {"type": "string"},
            "message": {"type": "string", "description": "What is wrong and what to do"},
            "parameter": {"type": "string"},
        },
    });
    schemas.insert("refusal".to_owned(), refusal);
    schemas
}

fn data_file(name: &str) -> Value {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    let kind = match end {
        "csv" => "text/csv",
        "json" => "application/json",
        "gz" => "application/gzip",
        "parquet" => "application/vnd.apache.parquet",
        _ => "text/plain",
    };
    json!({
        "summary": format!("The file {name} of the export"),
        "operationId": format!("data_{}", name.replace(['.', '-'], "_")),
        "responses": {"200": {"description": "The file", "content": {kind: {}}}, "304": {"description": "Unchanged"}},
    })
}

fn operation(about: &str, parameters: &[Value], schema: &Value) -> Value {
    json!({
        "summary": about,
        "parameters": parameters,
        "responses": {
            "200": {"description": about, "content": {"application/json": {"schema": schema}}},
            "304": {"description": "Unchanged"},
            "400": refusal("A parameter is wrong; the answer names it and says what to do"),
        },
    })
}

fn refusal(about: &str) -> Value {
    let schema = json!({"$ref": "#/components/schemas/refusal"});
    json!({"description": about, "content": {"application/json": {"schema": schema}}})
}

fn rows(table: &Table) -> Value {
    let mut parameters = vec![
        json!({"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}}),
        json!({"name": "cursor", "in": "query", "description": "next_cursor of the answer before", "schema": {"type": "string"}}),
    ];
    parameters.extend(table.columns.iter().map(filter));
    let schema = json!({
        "type": "object",
        "required": ["table", "as_of", "total", "next_cursor", "rows"],
        "properties": {
            "table": {"const": table.name},
            "as_of": {"type": "string", "format": "date-time"},
            "total": {"type": "integer", "description": "Rows that match the parameters"},
            "next_cursor": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {"$ref": format!("#/components/schemas/{}", table.name)}},
        },
    });
    operation(table.about, &parameters, &schema)
}

/// A column as a parameter: rows whose value is this text, as the CSV writes it.
fn filter(column: &Column) -> Value {
    let kind = match column.kind {
        Kind::Integer => "integer",
        Kind::Real => "number",
        Kind::Flag => "boolean",
        Kind::Text | Kind::Day | Kind::Instant => "string",
    };
    json!({"name": column.name, "in": "query", "description": column.meaning, "schema": {"type": kind}})
}

fn path(name: &str) -> Value {
    json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
}
