//! A publication as documents, and the same publication from them, to the last bit.
//!
//! Each document has a kind, and the policies of the database decide by kind: `round` and
//! `decisions` have no field for a result, `interim` is one day, `result` is readable once the round
//! is resolved, `board` and `set` once all their rounds are.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::evidence::statistics::{
    HeadToHead, RecordStatistics, SetStatistics, Statistics,
};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::publication::{
    Frozen, OpenRound, PublicRound, Publication, ResolvedRound, RoundKey, RoundState,
};
use capitalbench_core::round::manifest::{Manifest, Track};
use capitalbench_core::values::ids::{Digest, ModelId, RoundId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a document is; the word in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Names of models for people.
    Names,
    /// A set of options.
    Universe,
    /// The rules of a round and where it stands.
    Round,
    /// Decisions of an open round, without its provisional figures.
    Decisions,
    /// Provisional figures of an open round on one day.
    Interim,
    /// A resolved round, whole.
    Result,
    /// Boards and statistics of a track.
    Board,
    /// A comparison set and its statistics.
    Set,
}

/// One stored document; a row of `publication_documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// What it is.
    pub kind: Kind,
    /// Its name among its kind.
    pub name: String,
    /// The round it belongs to.
    pub round_id: Option<RoundId>,
    /// The day of provisional figures.
    pub day: Option<Date>,
    /// The track of boards.
    pub track: Option<String>,
    /// The comparison set.
    pub set_id: Option<String>,
    /// JSON.
    pub document: String,
}

/// The one row of the table `publication`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The instant.
    pub as_of: Timestamp,
    /// Every round is of an invented market.
    pub is_synthetic: bool,
    /// Digest over all parts; another one after reading means that something was written meanwhile.
    pub parts_sha256: String,
    /// Digest of the three before.
    pub header_sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundForm {
    key: RoundKey,
    track: Option<Track>,
    manifest: Manifest,
    universe: Digest,
    frozen: Option<Frozen>,
    state: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardForm {
    boards: TrackBoards,
    records: Option<Vec<RecordStatistics>>,
    head_to_head: Option<Vec<HeadToHead>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetForm {
    position: usize,
    set: ComparisonSet,
    statistics: Option<SetStatistics>,
}

/// Why documents are not a publication, or a publication cannot be documents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {name}: {reason}")]
pub struct DocumentError {
    kind: String,
    name: String,
    reason: String,
}

fn fault(kind: Kind, name: &str, reason: &str) -> DocumentError {
    DocumentError {
        kind: format!("{kind:?}").to_lowercase(),
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The digest of each universe, by where it lies: most rounds share one.
#[derive(Debug, Clone, Default)]
pub struct UniverseDigests(BTreeMap<usize, Digest>);

impl UniverseDigests {
    fn of(&self, universe: &Arc<Universe>) -> Option<Digest> {
        self.0.get(&Arc::as_ptr(universe).addr()).copied()
    }
}

/// The documents that rounds share: names, universes, boards and sets. As all documents, they are read
/// back at once: a figure that JSON cannot hold is an error here, not a gap at a reader.
pub fn shared(
    publication: &Publication,
) -> Result<(Vec<Document>, UniverseDigests), DocumentError> {
    let mut found = vec![document(Kind::Names, "names", &publication.names)?];
    let mut digests = UniverseDigests::default();
    let mut universes: BTreeMap<String, &Arc<Universe>> = BTreeMap::new();
    for universe in publication.rounds.iter().map(|round| &round.universe) {
        if digests.of(universe).is_some() {
            continue;
        }
        let text = json(Kind::Universe, "of some round", universe.as_ref())?;
        let digest = Digest::of(text.as_bytes());
        digests.0.insert(Arc::as_ptr(universe).addr(), digest);
        if universes.insert(digest.to_hex(), universe).is_none() {
            found.push(document(
                Kind::Universe,
                &digest.to_hex(),
                universe.as_ref(),
            )?);
        }
    }
    boards_and_sets(publication, &mut found)?;
    let mut pieces = Pieces::default();
    for document in &found {
        pieces.add(document)?;
    }
    let same = pieces.names.as_ref() == Some(&publication.names)
        && pieces.boards == publication.boards
        && pieces.sets.values().eq(&publication.comparison_sets)
        && pieces.statistics == publication.statistics
        && pieces
            .universes
            .iter()
            .all(|(name, read)| universes.get(name) == Some(&read));
    if same {
        Ok((found, digests))
    } else {
        Err(fault(Kind::Board, "of some track", NOT_FINITE))
    }
}

/// The documents of a round.
pub fn of_public_round(
    round: &PublicRound,
    universes: &UniverseDigests,
) -> Result<Vec<Document>, DocumentError> {
    let id = round.id();
    let missing = || {
        fault(
            Kind::Round,
            id.as_str(),
            "its universe is of another publication",
        )
    };
    let universe = universes.of(&round.universe).ok_or_else(missing)?;
    let mut found = Vec::new();
    of_round(round, universe, &mut found)?;
    let mut pieces = Pieces::default();
    pieces
        .universes
        .insert(universe.to_hex(), round.universe.clone());
    for document in &found {
        pieces.add(document)?;
    }
    let form = pieces.rounds.pop();
    let read = form.map(|(id, form)| pieces.round(&id, form)).transpose()?;
    if read.as_ref() == Some(round) {
        Ok(found)
    } else {
        Err(fault(Kind::Result, id.as_str(), NOT_FINITE))
    }
}

const NOT_FINITE: &str = "a figure is not finite; check the prices with `capitalbench verify`";

fn boards_and_sets(
    publication: &Publication,
    found: &mut Vec<Document>,
) -> Result<(), DocumentError> {
    for (track, boards) in &publication.boards {
        let form = BoardForm {
            boards: boards.clone(),
            records: publication.statistics.records.get(track).cloned(),
            head_to_head: publication.statistics.head_to_head.get(track).cloned(),
        };
        let mut made = document(Kind::Board, track.as_str(), &form)?;
        made.track = Some(track.as_str().to_owned());
        found.push(made);
    }
    for (position, set) in publication.comparison_sets.iter().enumerate() {
        let set_id = &set.definition.set_id;
        let form = SetForm {
            position,
            set: set.clone(),
            statistics: publication.statistics.sets.get(set_id).cloned(),
        };
        let mut made = document(Kind::Set, set_id, &form)?;
        made.set_id = Some(set_id.clone());
        found.push(made);
    }
    Ok(())
}

fn of_round(
    round: &PublicRound,
    universe: Digest,
    found: &mut Vec<Document>,
) -> Result<(), DocumentError> {
    let id = round.id();
    let form = RoundForm {
        key: round.key.clone(),
        track: round.track,
        manifest: round.manifest.clone(),
        universe,
        frozen: round.frozen.clone(),
        state: word(&round.state).to_owned(),
    };
    let mut put = |mut made: Document| {
        made.round_id = Some(id.clone());
        found.push(made);
    };
    put(document(Kind::Round, id.as_str(), &form)?);
    match &round.state {
        RoundState::Draft => {}
        RoundState::Open(open) => {
            let mut days: BTreeMap<Date, Vec<&InterimRow>> = BTreeMap::new();
            for row in &open.interim {
                days.entry(row.day).or_default().push(row);
            }
            let decisions = OpenRound {
                interim: Vec::new(),
                ..open.clone()
            };
            put(document(Kind::Decisions, id.as_str(), &decisions)?);
            for (day, rows) in days {
                let mut made = document(Kind::Interim, &format!("{id}/{day}"), &rows)?;
                made.day = Some(day);
                put(made);
            }
        }
        RoundState::Resolved(resolved) => put(document(Kind::Result, id.as_str(), resolved)?),
    }
    Ok(())
}

fn word(state: &RoundState) -> &'static str {
    match state {
        RoundState::Draft => "draft",
        RoundState::Open(_) => "open",
        RoundState::Resolved(_) => "resolved",
    }
}

fn document<T: Serialize>(kind: Kind, name: &str, value: &T) -> Result<Document, DocumentError> {
    Ok(Document {
        kind,
        name: name.to_owned(),
        round_id: None,
        day: None,
        track: None,
        set_id: None,
        document: json(kind, name, value)?,
    })
}

fn json<T: Serialize>(kind: Kind, name: &str, value: &T) -> Result<String, DocumentError> {
    serde_json::to_string(value).map_err(|error| fault(kind, name, &error.to_string()))
}

/// The publication of a header and all its documents, in any order.
pub fn publication(header: &Header, documents: &[Document]) -> Result<Publication, DocumentError> {
    let mut pieces = Pieces::default();
    for document in documents {
        pieces.add(document)?;
    }
    let names = pieces.names.take();
    let names = names.ok_or_else(|| fault(Kind::Names, "names", "is missing"))?;
    let mut rounds = Vec::with_capacity(pieces.rounds.len());
    for (id, form) in std::mem::take(&mut pieces.rounds) {
        rounds.push(pieces.round(&id, form)?);
    }
    rounds.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(Publication {
        as_of: header.as_of,
        synthetic: header.is_synthetic,
        rounds,
        names,
        boards: pieces.boards,
        comparison_sets: pieces.sets.into_values().collect(),
        statistics: pieces.statistics,
    })
}

/// Documents that were read, before they are put together.
#[derive(Default)]
struct Pieces {
    names: Option<BTreeMap<ModelId, String>>,
    universes: BTreeMap<String, Arc<Universe>>,
    rounds: Vec<(RoundId, RoundForm)>,
    states: BTreeMap<RoundId, RoundState>,
    interim: BTreeMap<RoundId, BTreeMap<Option<Date>, Vec<InterimRow>>>,
    boards: BTreeMap<Track, TrackBoards>,
    sets: BTreeMap<usize, ComparisonSet>,
    statistics: Statistics,
}

impl Pieces {
    fn add(&mut self, document: &Document) -> Result<(), DocumentError> {
        let of_round = || {
            let round_id = document.round_id.clone();
            round_id.ok_or_else(|| fault(document.kind, &document.name, "names no round"))
        };
        match document.kind {
            Kind::Names => self.names = Some(read(document)?),
            Kind::Universe => {
                let universe = Arc::new(read(document)?);
                self.universes.insert(document.name.clone(), universe);
            }
            Kind::Round => self.rounds.push((of_round()?, read(document)?)),
            Kind::Decisions => {
                let state = RoundState::Open(read::<OpenRound>(document)?);
                self.states.insert(of_round()?, state);
            }
            Kind::Interim => {
                let days = self.interim.entry(of_round()?).or_default();
                days.insert(document.day, read(document)?);
            }
            Kind::Result => {
                let state = RoundState::Resolved(read::<ResolvedRound>(document)?);
                self.states.insert(of_round()?, state);
            }
            Kind::Board => self.add_board(track(document)?, read(document)?),
            Kind::Set => {
                let form: SetForm = read(document)?;
                let set_id = form.set.definition.set_id.clone();
                let statistics = form.statistics.map(|found| (set_id, found));
                self.statistics.sets.extend(statistics);
                self.sets.insert(form.position, form.set);
            }
        }
        Ok(())
    }

    fn add_board(&mut self, track: Track, form: BoardForm) {
        self.boards.insert(track, form.boards);
        let records = form.records.map(|records| (track, records));
        self.statistics.records.extend(records);
        let pairs = form.head_to_head.map(|pairs| (track, pairs));
        self.statistics.head_to_head.extend(pairs);
    }

    fn round(&mut self, id: &RoundId, form: RoundForm) -> Result<PublicRound, DocumentError> {
        let wrong = |reason: &str| fault(Kind::Round, id.as_str(), reason);
        let universe = self.universes.get(form.universe.to_hex().as_str());
        let universe = universe.ok_or_else(|| wrong("its universe is missing"))?;
        let mut state = self.states.remove(id).unwrap_or(RoundState::Draft);
        if let (RoundState::Open(open), Some(days)) = (&mut state, self.interim.remove(id)) {
            open.interim = days.into_values().flatten().collect();
        }
        if word(&state) != form.state {
            let state = form.state;
            return Err(wrong(&format!(
                "it is {state}, but what belongs to that is missing or withheld"
            )));
        }
        Ok(PublicRound {
            key: form.key,
            track: form.track,
            manifest: form.manifest,
            universe: universe.clone(),
            frozen: form.frozen,
            state,
        })
    }
}

fn track(document: &Document) -> Result<Track, DocumentError> {
    let word = Value::from(document.track.clone());
    let all = [Track::Weekly, Track::Monthly];
    let found = all.into_iter().find(|track| word == track.as_str());
    found.ok_or_else(|| fault(document.kind, &document.name, "names no track"))
}

fn read<T: DeserializeOwned>(document: &Document) -> Result<T, DocumentError> {
    let read = serde_json::from_str(&document.document);
    read.map_err(|error| fault(document.kind, &document.name, &error.to_string()))
}
