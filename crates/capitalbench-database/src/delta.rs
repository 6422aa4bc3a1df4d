//! A publication as parts: rows of tables, each with the digest of its content.

use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::ids::{Digest, RoundId};
use capitalbench_core::publication::{Publication, RoundState};
use capitalbench_export::publication_v1::object;
use capitalbench_export::tables;
use serde_json::{Map, Value, json};

use crate::documents::{Document, DocumentError, Kind, documents};
use crate::round_files::RoundFiles;

/// The part of everything that rounds share.
pub const CATALOG: &str = "catalog";

/// The table of the files of rounds.
const FILES: &str = "round_files";

/// The name of the digest in a row.
const DIGEST: &str = "content_sha256";

/// All of a publication, by part.
#[derive(Debug, Clone, PartialEq)]
pub struct Delta {
    /// The instant.
    pub as_of: String,
    /// Every round is of an invented market.
    pub synthetic: bool,
    /// Its parts: [`CATALOG`], one per round, one per track, one per comparison set.
    pub parts: BTreeMap<String, Part>,
    /// Packed files of rounds, by part; where they go is settled by whoever sends them.
    pub files: BTreeMap<String, RoundFiles>,
}

/// Rows that are synced together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    tables: BTreeMap<&'static str, Vec<Value>>,
}

/// The part of a round.
pub fn round_part(id: &RoundId) -> String {
    format!("round/{id}")
}

impl Delta {
    /// The rows and documents of a publication.
    pub fn of(publication: &Publication) -> Result<Self, DocumentError> {
        let mut delta = Self {
            as_of: publication.as_of.to_string(),
            synthetic: publication.synthetic,
            parts: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        for table in tables::ALL {
            for row in table.rows(publication) {
                let mut row = object(table, row);
                complete(table.name, &mut row, publication.synthetic);
                delta.put(&part_of(table.name, &row), table.name, row);
            }
        }
        delta.shared();
        for round in &publication.rounds {
            delta.runs(round.id(), &round.state);
        }
        delta.boards(publication);
        for document in &documents(publication)? {
            delta.document(document);
        }
        Ok(delta)
    }

    /// Adds the files of a round of the publication.
    pub fn add_files(&mut self, files: RoundFiles) {
        let part = round_part(files.round_id());
        self.put(&part, FILES, files.row());
        self.files.insert(part, files);
    }

    fn put(&mut self, part: &str, table: &'static str, row: Map<String, Value>) {
        let mut row = row;
        for value in row.values_mut() {
            without_nul(value);
        }
        let digest = Digest::of(Value::Object(row.clone()).to_string().as_bytes());
        row.insert(DIGEST.into(), digest.to_hex().into());
        let part = self.parts.entry(part.to_owned()).or_default();
        part.tables
            .entry(table)
            .or_default()
            .push(Value::Object(row));
    }

    /// Providers and universes, which other tables only name.
    fn shared(&mut self) {
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let rows = |table: &str| {
            let catalog = self.parts.get(CATALOG);
            let rows = catalog.and_then(|part| part.tables.get(table));
            rows.cloned().unwrap_or_default()
        };
        let mut providers = BTreeSet::new();
        let parts = self.parts.values();
        for row in parts.flat_map(|part| part.tables.values().flatten()) {
            if let Some(provider) = row["provider"].as_str() {
                providers.insert(provider.to_owned());
            }
        }
        let mut universes: BTreeMap<String, u64> = BTreeMap::new();
        for row in rows("options") {
            *universes.entry(text(&row, "universe_key")).or_default() += 1;
        }
        for provider in providers {
            self.put(
                CATALOG,
                "providers",
                members(&json!({"provider": provider})),
            );
        }
        for (key, count) in universes {
            let row = json!({"universe_key": key, "option_count": count});
            self.put(CATALOG, "universes", members(&row));
        }
    }

    fn runs(&mut self, id: &RoundId, state: &RoundState) {
        let part = round_part(id);
        let mut put = |run_id: &str, kind: &str, replicates: Option<u32>| {
            let row = json!({
                "round_id": id.as_str(), "run_id": run_id, "kind": kind, "replicates": replicates,
            });
            self.put(&part, "runs", members(&row));
        };
        match state {
            RoundState::Draft => {}
            RoundState::Open(open) => put(open.run_id.as_str(), "official", None),
            RoundState::Resolved(resolved) => {
                put(resolved.run_id.as_str(), "official", None);
                for run in &resolved.repeated {
                    put(run.run_id.as_str(), "repeated", Some(run.replicates));
                }
            }
        }
    }

    /// Which rounds the boards of a track count; the policies ask whether all of them are resolved.
    fn boards(&mut self, publication: &Publication) {
        for (track, boards) in &publication.boards {
            let word = track.as_str();
            let part = format!("board/{word}");
            let rounds = publication.rounds.iter();
            let counted: Vec<&str> = rounds
                .filter(|round| round.track == Some(*track) && round.resolved().is_some())
                .map(|round| round.id().as_str())
                .collect();
            let row = json!({
                "track": word,
                "resolved_round_count": counted.len(),
                "latest_round_id": boards.latest.as_ref().map(RoundId::as_str),
            });
            self.put(&part, "boards", members(&row));
            for round_id in counted {
                let row = json!({"track": word, "round_id": round_id});
                self.put(&part, "board_rounds", members(&row));
            }
        }
    }

    fn document(&mut self, document: &Document) {
        let part = match (&document.round_id, &document.track, &document.set_id) {
            (Some(round_id), ..) => round_part(round_id),
            (_, Some(track), _) => format!("board/{track}"),
            (.., Some(set_id)) => format!("set/{set_id}"),
            _ => CATALOG.to_owned(),
        };
        let kind = match document.kind {
            Kind::Names => "names",
            Kind::Universe => "universe",
            Kind::Round => "round",
            Kind::Decisions => "decisions",
            Kind::Interim => "interim",
            Kind::Result => "result",
            Kind::Board => "board",
            Kind::Set => "set",
        };
        let row = json!({
            "kind": kind,
            "name": document.name,
            "round_id": document.round_id.as_ref().map(RoundId::as_str),
            "day": document.day.map(|day| day.to_string()),
            "track": document.track,
            "set_id": document.set_id,
            "document": document.document,
        });
        self.put(&part, "publication_documents", members(&row));
    }
}

impl Part {
    /// The digest that the database gives for the same rows.
    pub fn digest(&self) -> String {
        let mut lines = Vec::new();
        for (table, rows) in &self.tables {
            for row in rows {
                lines.push(format!(
                    "{table} {}",
                    row[DIGEST].as_str().unwrap_or_default()
                ));
            }
        }
        lines.sort();
        Digest::of(lines.join("\n").as_bytes()).to_hex()
    }

    /// Its rows by table, as a request carries them.
    pub fn tables(&self) -> Value {
        json!(self.tables)
    }

    /// The same, with the column that says where the files of a round lie.
    pub(crate) fn tables_with(&self, place: Option<(&str, String)>) -> Value {
        let mut tables = json!(self.tables);
        if let (Some((column, value)), Some(row)) = (place, tables.pointer_mut("/round_files/0")) {
            row[column] = value.into();
        }
        tables
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.tables.values().map(Vec::len).sum()
    }
}

/// The part a row of an exported table belongs to.
fn part_of(table: &str, row: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    match (text("set_id"), text("track"), text("round_id")) {
        (Some(set_id), ..) => format!("set/{set_id}"),
        (_, Some(track), _) if table != "rounds" => format!("board/{track}"),
        (.., Some(round_id)) => format!("round/{round_id}"),
        _ => CATALOG.to_owned(),
    }
}

/// Columns that a table has in the database only.
fn complete(table: &str, row: &mut Map<String, Value>, synthetic: bool) {
    match table {
        "rounds" => {
            row.insert("is_synthetic".into(), synthetic.into());
            row.insert("published".into(), true.into());
        }
        "set_rows" => {
            let id = [&row["model_id"], &row["entrant"]];
            let id = id.into_iter().find(|id| !id.is_null()).cloned();
            row.insert("entrant_id".into(), id.unwrap_or_default());
        }
        _ => {}
    }
}

fn members(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// PostgreSQL has no NUL in text; documents carry one escaped, rows show it as a replacement.
fn without_nul(value: &mut Value) {
    if let Value::String(text) = value
        && text.contains('\0')
    {
        *text = text.replace('\0', "\u{fffd}");
    }
}
