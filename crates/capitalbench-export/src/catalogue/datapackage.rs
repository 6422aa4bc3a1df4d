//! `datapackage.json`: Data Package 2.0, with a table schema for every CSV file.

use std::collections::BTreeMap;

use capitalbench_core::publication::Publication;
use serde_json::{Map, Value, json};

use super::{KEYWORDS, Licence, Publisher, about, version};
use crate::shelf::Measure;
use crate::table::{Column, Kind, Presence, Table};
use crate::tables;

pub(super) fn package(
    publication: &Publication,
    publisher: &Publisher<'_>,
    files: &BTreeMap<String, Measure>,
) -> Value {
    let mut whole = json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": publisher.word(),
        "title": publisher.title(),
        "description": about(publication),
        "version": version(publication),
        "created": publication.as_of.to_string(),
        "keywords": KEYWORDS,
        "contributors": [{"title": publisher.name, "roles": ["publisher"]}],
    });
    if let Some(address) = publisher.address {
        whole["homepage"] = address.into();
    }
    if let Some(licence) = publisher.licence {
        let mut told = json!({"path": licence.address()});
        if let Licence::Spdx(id) = licence {
            told["name"] = id.as_str().into();
        }
        whole["licenses"] = json!([told]);
    }
    let resources = tables::ALL.iter().map(|table| resource(table, files));
    whole["resources"] = resources.collect();
    whole
}

fn resource(table: &Table, files: &BTreeMap<String, Measure>) -> Value {
    let path = format!("{}.csv", table.name);
    let mut found = json!({
        "name": table.name,
        "path": path,
        "description": table.about,
        "type": "table",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
    });
    if let Some(measure) = files.get(&path) {
        found["bytes"] = measure.size.into();
        found["hash"] = format!("sha256:{}", measure.digest.to_hex()).into();
    }
    let fields: Vec<Value> = table.columns.iter().map(field).collect();
    found["schema"] = json!({
        "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
        "fields": fields,
        "missingValues": [""],
    });
    found
}

fn field(column: &Column) -> Value {
    let kind = match column.kind {
        Kind::Text => "string",
        Kind::Integer => "integer",
        Kind::Real => "number",
        Kind::Flag => "boolean",
        Kind::Day => "date",
        Kind::Instant => "datetime",
    };
    let mut found = Map::new();
    found.insert("name".into(), column.name.into());
    found.insert("type".into(), kind.into());
    found.insert("description".into(), column.meaning.into());
    // An empty text reads like a missing one here, and a figure that overflowed is missing.
    let is_sure = !matches!(column.kind, Kind::Text | Kind::Real);
    if column.presence == Presence::Always && is_sure {
        found.insert("constraints".into(), json!({"required": true}));
    }
    found.into()
}
