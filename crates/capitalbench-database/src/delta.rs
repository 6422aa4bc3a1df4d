//! [`Delta`]: a publication as parts, which are rows of tables with digests of their content.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use capitalbench_core::publication::{PublicRound, Publication};
use capitalbench_core::values::ids::RoundId;
use capitalbench_export::publication_v1::object;
use capitalbench_export::table::{Cell, Column, Filling};
use capitalbench_export::tables;
use serde_json::{Map, Value, json};

use crate::documents::{self, Document, DocumentError, UniverseDigests};
use crate::log_files::LogFiles;
use crate::round_files::{Files, FilesError, RoundFiles};
use crate::row_digest::members;
use crate::stored::part_of as part_of_document;

mod part;

pub use part::Part;

/// The part of the rows that rounds share.
pub const CATALOG: &str = "catalog";

pub(crate) const FILES: &str = "round_files";

pub(crate) const LOG: &str = "log_files";

/// Tables whose rows name an option of the round's universe.
const OF_OPTIONS: [&str; 4] = ["control_holdings", "holdings", "option_returns", "prices"];

const UNIVERSE: &str = "universe_key";

pub(crate) const DOCUMENTS: &str = "publication_documents";

/// The column of the row's digest.
pub(crate) const DIGEST: &str = "content_sha256";

/// The column of the row's part.
pub(crate) const PART: &str = "part";

/// Reads the public files of a round, or says why they cannot be read.
pub type FilesOf<'a> = dyn Fn(&PublicRound) -> Result<Files, String> + Send + Sync + 'a;

/// A publication by part. The shared parts are held in memory; the part of a round is made when it is
/// needed, so that memory does not grow with the number of rounds.
#[derive(Clone)]
pub struct Delta<'a> {
    pub as_of: String,
    /// Whether every round is of an invented market.
    pub synthetic: bool,
    /// [`CATALOG`], one part per track and per comparison set, and the log's own parts.
    shared: BTreeMap<String, Part>,
    rounds: BTreeMap<String, &'a PublicRound>,
    /// The log's files about rounds, by part.
    logs: BTreeMap<String, LogFiles>,
    universes: UniverseDigests,
    files: Option<&'a FilesOf<'a>>,
}

/// Why the part of a round cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("{0}")]
    Unreadable(String),
}

/// The name of a round's part.
pub fn round_part(id: &RoundId) -> String {
    format!("round/{id}")
}

impl<'a> Delta<'a> {
    pub fn of(publication: &'a Publication) -> Result<Self, DocumentError> {
        let (documents, universes) = documents::shared(publication)?;
        let mut shared = Shared::default();
        for table in tables::in_database() {
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

    /// Adds the public files of the rounds.
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

    /// The names of all parts; rounds come last.
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

    /// Makes or finds a part; none if there is no such part.
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
        for table in tables::in_database() {
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
        part.put_runs(round.id(), &round.state);
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

/// The shared parts while they are being made.
#[derive(Default)]
struct Shared(BTreeMap<String, Part>);

impl Shared {
    fn part(&mut self, name: &str) -> &mut Part {
        self.0.entry(name.to_owned()).or_default()
    }

    /// Adds providers and universes, which other tables only refer to.
    fn names(&mut self, publication: &Publication) {
        let mut providers = BTreeSet::new();
        for table in tables::in_database() {
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

    /// Adds the rounds that a track's boards count, because policies ask whether all of them are resolved.
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
    members(json!(document))
}

/// The part of a row that does not belong to one round.
fn part_of(row: &Map<String, Value>) -> String {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    match (text("set_id"), text("track")) {
        (Some(set_id), _) => format!("set/{set_id}"),
        (_, Some(track)) => format!("board/{track}"),
        _ => CATALOG.to_owned(),
    }
}

/// The universe in the row of a round.
fn universe_of(round: &PublicRound) -> Value {
    let rounds = tables::ALL.iter().find(|table| table.name == "rounds");
    let row = rounds.and_then(|table| match table.filling {
        Filling::ByRound(rows) => Some(object(table, rows(round).into_iter().next()?)),
        Filling::Whole(_) => None,
    });
    row.and_then(|mut row| row.remove(UNIVERSE))
        .unwrap_or_default()
}
