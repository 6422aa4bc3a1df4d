//! A publication as parts: rows of tables, each with the digest of its content.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::values::ids::{Digest, RoundId};
use capitalbench_export::publication_v1::object;
use capitalbench_export::table::{Cell, Column, Filling};
use capitalbench_export::tables;
use serde_json::{Map, Value, json};

use crate::documents::{self, Document, DocumentError, Kind, UniverseDigests};
use crate::log_files::LogFiles;
use crate::round_files::{Files, FilesError, RoundFiles};
use crate::row_digest::{instant, row_digest};
use crate::stored::part_of as part_of_document;

/// The part of everything that rounds share.
pub const CATALOG: &str = "catalog";

/// The table of the files of rounds.
pub(crate) const FILES: &str = "round_files";

/// The table of the log's bundles.
pub(crate) const LOG: &str = "log_files";

/// Tables whose rows name an option; each is one of the universe of its round.
const OF_OPTIONS: [&str; 4] = ["control_holdings", "holdings", "option_returns", "prices"];

/// The column that names a universe.
const UNIVERSE: &str = "universe_key";

/// The table of documents.
pub(crate) const DOCUMENTS: &str = "publication_documents";

/// The name of the digest in a row.
pub(crate) const DIGEST: &str = "content_sha256";

/// The name of the part in a row.
pub(crate) const PART: &str = "part";

/// What the name of a part adds to a row, beside the name.
const PART_BYTES: usize = PART.len() + 6;

/// The public files of a round, or why they cannot be read.
pub type FilesOf<'a> = dyn Fn(&PublicRound) -> Result<Files, String> + Send + Sync + 'a;

/// All of a publication, by part. What rounds share is held; the part of a round is made when it is
/// asked for, so that memory does not follow their number.
#[derive(Clone)]
pub struct Delta<'a> {
    /// The instant.
    pub as_of: String,
    /// Every round is of an invented market.
    pub synthetic: bool,
    /// [`CATALOG`], one per track, one per comparison set, some of the log.
    shared: BTreeMap<String, Part>,
    rounds: BTreeMap<String, &'a PublicRound>,
    /// What the log tells of rounds, by part.
    logs: BTreeMap<String, LogFiles>,
    universes: UniverseDigests,
    files: Option<&'a FilesOf<'a>>,
}

/// Rows that are synced together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    tables: BTreeMap<&'static str, Vec<Value>>,
    /// About as many as its rows have as JSON.
    bytes: usize,
    /// Packed files of the round; where they go is settled by whoever sends them.
    pub(crate) files: Option<RoundFiles>,
}

/// Why the part of a round cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// A figure that no document can hold.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// Files that cannot be packed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// Files that cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

/// The part of a round.
pub fn round_part(id: &RoundId) -> String {
    format!("round/{id}")
}

impl<'a> Delta<'a> {
    /// The rows and documents of a publication.
    pub fn of(publication: &'a Publication) -> Result<Self, DocumentError> {
        let (documents, universes) = documents::shared(publication)?;
        let mut shared = Shared::default();
        for table in tables::ALL {
            if let Filling::Whole(rows) = table.filling {
                for row in rows(publication) {
                    let row = object(table, row);
                    shared.part(&part_of(&row)).put_row(table.name, row);
                }
            }
        }
        shared.names(publication);
        shared.boards(publication);
        for document in &documents {
            shared.document(document);
        }
        let rounds = publication.rounds.iter();
        Ok(Self {
            as_of: publication.as_of.to_string(),
            synthetic: publication.synthetic,
            shared: shared.0,
            rounds: rounds
                .map(|round| (round_part(round.id()), round))
                .collect(),
            logs: BTreeMap::new(),
            universes,
            files: None,
        })
    }

    /// The same with the public files of its rounds.
    #[must_use]
    pub fn with_files(self, files: &'a FilesOf<'a>) -> Self {
        Self {
            files: Some(files),
            ..self
        }
    }

    /// Adds a bundle of the published log.
    pub fn add_log(&mut self, files: LogFiles) {
        if self.rounds.contains_key(files.part()) {
            self.logs.insert(files.part().to_owned(), files);
        } else {
            let part = self.shared.entry(files.part().to_owned()).or_default();
            part.put_log(&files);
        }
    }

    /// The names of all parts, those of rounds last.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shared_names().chain(self.round_names())
    }

    pub(crate) fn shared_names(&self) -> impl Iterator<Item = &str> {
        self.shared.keys().map(String::as_str)
    }

    pub(crate) fn round_names(&self) -> impl Iterator<Item = &str> {
        self.rounds.keys().map(String::as_str)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.shared.contains_key(name) || self.rounds.contains_key(name)
    }

    /// A part by name.
    pub fn part(&self, name: &str) -> Result<Option<Cow<'_, Part>>, PartError> {
        match (self.shared.get(name), self.rounds.get(name)) {
            (Some(part), _) => Ok(Some(Cow::Borrowed(part))),
            (None, Some(round)) => Ok(Some(Cow::Owned(self.of_round(round)?))),
            (None, None) => Ok(None),
        }
    }

    fn of_round(&self, round: &PublicRound) -> Result<Part, PartError> {
        let mut part = Part::default();
        let universe = universe_of(round);
        for table in tables::ALL {
            if let Filling::ByRound(rows) = table.filling {
                for row in rows(round) {
                    let mut row = object(table, row);
                    if table.name == "rounds" {
                        row.insert("is_synthetic".into(), self.synthetic.into());
                        row.insert("published".into(), true.into());
                    }
                    if OF_OPTIONS.contains(&table.name) {
                        row.insert(UNIVERSE.into(), universe.clone());
                    }
                    part.put(table.name, row);
                }
            }
        }
        part.runs(round.id(), &round.state);
        for document in &documents::of_public_round(round, &self.universes)? {
            part.put(DOCUMENTS, document_row(document));
        }
        if let Some(files) = self.files {
            let files = files(round).map_err(PartError::Unreadable)?;
            let resolved = round.resolved().is_some();
            let packed = RoundFiles::pack(round.id().clone(), &files, resolved)?;
            part.put(FILES, packed.row());
            part.files = Some(packed);
        }
        if let Some(log) = self.logs.get(&round_part(round.id())) {
            part.put_log(log);
        }
        Ok(part)
    }
}

impl std::fmt::Debug for Delta<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.names().collect();
        formatter.debug_tuple("Delta").field(&names).finish()
    }
}

/// Parts that are not of one round, while they are made.
#[derive(Default)]
struct Shared(BTreeMap<String, Part>);

impl Shared {
    fn part(&mut self, name: &str) -> &mut Part {
        self.0.entry(name.to_owned()).or_default()
    }

    /// Providers and universes, which other tables only name.
    fn names(&mut self, publication: &Publication) {
        let mut providers = BTreeSet::new();
        for table in tables::ALL {
            let named = |column: &Column| column.name == "provider";
            if let Some(place) = table.columns.iter().position(named) {
                table.each_row(publication, |row| {
                    if let Some(Cell::Text(provider)) = row.get(place) {
                        providers.insert(provider.clone().into_owned());
                    }
                });
            }
        }
        let catalog = self.part(CATALOG);
        let mut universes: BTreeMap<String, u64> = BTreeMap::new();
        for row in catalog.tables.get("options").into_iter().flatten() {
            let key = row["universe_key"].as_str().unwrap_or_default();
            *universes.entry(key.to_owned()).or_default() += 1;
        }
        for provider in providers {
            catalog.put("providers", members(json!({"provider": provider})));
        }
        for (key, count) in universes {
            let row = json!({"universe_key": key, "option_count": count});
            catalog.put("universes", members(row));
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
            self.part(&part).put("boards", members(row));
            for round_id in counted {
                let row = json!({"track": word, "round_id": round_id});
                self.part(&part).put("board_rounds", members(row));
            }
        }
    }

    fn document(&mut self, document: &Document) {
        let part = part_of_document(document);
        self.part(&part).put(DOCUMENTS, document_row(document));
    }
}

pub(crate) fn document_row(document: &Document) -> Map<String, Value> {
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
    members(json!({
        "kind": kind,
        "name": document.name,
        "round_id": document.round_id.as_ref().map(RoundId::as_str),
        "day": document.day.map(|day| day.to_string()),
        "track": document.track,
        "set_id": document.set_id,
        "document": document.document,
    }))
}

impl Part {
    fn put(&mut self, table: &'static str, mut row: Map<String, Value>) {
        for (name, value) in &mut row {
            storable(name, value);
        }
        let digest = row_digest(&row);
        row.insert(DIGEST.into(), digest.to_hex().into());
        let row = Value::Object(row);
        self.bytes += row.to_string().len();
        self.tables.entry(table).or_default().push(row);
    }

    /// A bundle of the log; its content has a digest of its own in the row.
    fn put_log(&mut self, files: &LogFiles) {
        let content = files.content();
        self.put(LOG, files.row(&content));
        let row = self.tables.get_mut(LOG).and_then(|rows| rows.last_mut());
        if let Some(row) = row {
            self.bytes += content.len();
            row["content"] = content.into();
        }
    }

    /// A row of an exported table, with the columns that it has in the database only.
    fn put_row(&mut self, table: &'static str, mut row: Map<String, Value>) {
        if table == "set_rows" {
            let id = [&row["model_id"], &row["entrant"]];
            let id = id.into_iter().find(|id| !id.is_null()).cloned();
            row.insert("entrant_id".into(), id.unwrap_or_default());
        }
        self.put(table, row);
    }

    fn runs(&mut self, id: &RoundId, state: &RoundState) {
        let mut put = |run_id: &str, kind: &str, replicates: Option<u32>| {
            let row = json!({
                "round_id": id.as_str(), "run_id": run_id, "kind": kind, "replicates": replicates,
            });
            self.put("runs", members(row));
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

    /// Its rows by table, each with the name of the part, with the column that says where the files of
    /// a round lie; and about how many bytes.
    pub(crate) fn into_tables(
        mut self,
        name: &str,
        place: Option<(&str, String)>,
    ) -> (BTreeMap<&'static str, Vec<Value>>, usize) {
        let mut bytes = self.bytes + self.rows() * (name.len() + PART_BYTES);
        let row = self.tables.get_mut(FILES).and_then(|rows| rows.first_mut());
        if let (Some((column, value)), Some(row)) = (place, row) {
            bytes += value.len();
            if column == "content" {
                row["packed_sha256"] = Digest::of(value.as_bytes()).to_hex().into();
            }
            row[column] = value.into();
        }
        for row in self.tables.values_mut().flatten() {
            row[PART] = name.into();
        }
        (self.tables, bytes)
    }

    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.tables.values().map(Vec::len).sum()
    }
}

/// The part a row of a table belongs to that is not of one round.
fn part_of(row: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    match (text("set_id"), text("track")) {
        (Some(set_id), _) => format!("set/{set_id}"),
        (_, Some(track)) => format!("board/{track}"),
        _ => CATALOG.to_owned(),
    }
}

/// The universe of a round, as its row names it.
fn universe_of(round: &PublicRound) -> Value {
    let rounds = tables::ALL.iter().find(|table| table.name == "rounds");
    let row = rounds.and_then(|table| match table.filling {
        Filling::ByRound(rows) => Some(object(table, rows(round).into_iter().next()?)),
        Filling::Whole(_) => None,
    });
    row.and_then(|mut row| row.remove(UNIVERSE))
        .unwrap_or_default()
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// PostgreSQL has no NUL in text, and no instants finer than microseconds; documents carry both as they
/// are, rows show a replacement.
fn storable(name: &str, value: &mut Value) {
    if let Value::String(text) = value {
        if text.contains('\0') {
            *text = text.replace('\0', "\u{fffd}");
        }
        if let Some(instant) = instant(name, text) {
            let whole = jiff::Timestamp::from_microsecond(instant.as_microsecond());
            *text = whole.unwrap_or(instant).to_string();
        }
    }
}
