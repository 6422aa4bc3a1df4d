//! A publication as documents; reading them back gives exactly the same publication.
//!
//! The policies of the database decide by the kind of a document: `round` and `decisions` have no field
//! for a result, `interim` is one day, `result` is readable once the round is resolved, `board` and
//! `set` once all their rounds are.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use capitalbench_core::evidence::claims::record::ClaimRecord;
use capitalbench_core::evidence::sensitivity::TrackSensitivity;
use capitalbench_core::evidence::statistics::{HeadToHead, RecordStatistics, SetStatistics};
use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::entrants::PublicEntry;
use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::publication::{
    Frozen, OpenRound, PublicRound, Publication, RoundKey, RoundState,
};
use capitalbench_core::round::ending::{ExceptionNote, Tombstone};
use capitalbench_core::round::manifest::{Manifest, Track};
use capitalbench_core::values::ids::{Digest, RoundId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

mod assembly;

use assembly::Pieces;
pub use assembly::publication;

/// The kind of a document, as the database names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The names of models for people.
    Names,
    /// A set of options.
    Universe,
    /// The rules of a round and where it stands.
    Round,
    /// Decisions of an open round, without its provisional figures.
    Decisions,
    /// Provisional figures of an open round on one day.
    Interim,
    /// A resolved round with its results.
    Result,
    /// Boards and statistics of a track.
    Board,
    /// A comparison set and its statistics.
    Set,
}

/// One document; a row of `publication_documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    pub kind: Kind,
    /// The name, unique among documents of one kind.
    pub name: String,
    pub round_id: Option<RoundId>,
    pub day: Option<Date>,
    pub track: Option<String>,
    pub set_id: Option<String>,
    /// The content as JSON.
    pub document: String,
}

/// The one row of the table `publication`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub as_of: Timestamp,
    /// Whether every round is of an invented market.
    pub is_synthetic: bool,
    /// Digest over all parts. If it changes while a reader reads, somebody wrote in between.
    pub parts_sha256: String,
    /// Digest of the three fields above.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tombstone: Option<Tombstone>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exceptions: Vec<ExceptionNote>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardForm {
    boards: TrackBoards,
    records: Option<Vec<RecordStatistics>>,
    head_to_head: Option<Vec<HeadToHead>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    claims: Vec<ClaimRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    league: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    entries: Vec<PublicEntry>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sensitivity: Option<TrackSensitivity>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetForm {
    position: usize,
    set: ComparisonSet,
    statistics: Option<SetStatistics>,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Why documents do not form a publication, or a publication cannot be written as documents.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the document {kind} {name}: {reason}")]
pub struct DocumentError {
    kind: Kind,
    name: String,
    reason: String,
}

fn fault(kind: Kind, name: &str, reason: &str) -> DocumentError {
    DocumentError {
        kind,
        name: name.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The digest of each universe, by its address in memory, because most rounds share one universe.
#[derive(Debug, Clone, Default)]
pub struct UniverseDigests(BTreeMap<usize, Digest>);

impl UniverseDigests {
    fn of(&self, universe: &Arc<Universe>) -> Option<Digest> {
        self.0.get(&Arc::as_ptr(universe).addr()).copied()
    }
}

/// The documents that rounds share: names, universes, boards and sets. Like all documents they are read
/// back at once, so that a figure that JSON cannot hold is an error here and not a gap for a reader.
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
    let pieces = Pieces::of(&found)?;
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

pub fn of_public_round(
    round: &PublicRound,
    universes: &UniverseDigests,
) -> Result<Vec<Document>, DocumentError> {
    let id = round.id();
    let reason = "its universe belongs to another publication";
    let missing = || fault(Kind::Round, id.as_str(), reason);
    let universe = universes.of(&round.universe).ok_or_else(missing)?;
    let found = of_round(round, universe)?;
    let mut pieces = Pieces::of(&found)?;
    pieces
        .universes
        .insert(universe.to_hex(), round.universe.clone());
    let form = pieces.rounds.pop();
    let mut read = form.map(|(id, form)| pieces.round(&id, form)).transpose()?;
    if let Some(read) = &mut read {
        read.continued.clone_from(&round.continued);
    }
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
        let of_track = |claim: &&ClaimRecord| claim.terms.track == *track;
        let claims = publication.claims.iter();
        let entered = |entry: &&PublicEntry| entry.track == *track;
        let entries = publication.entries.iter();
        let form = BoardForm {
            boards: boards.clone(),
            records: publication.statistics.records.get(track).cloned(),
            head_to_head: publication.statistics.head_to_head.get(track).cloned(),
            claims: claims.filter(of_track).cloned().collect(),
            league: publication.league.clone(),
            entries: entries.filter(entered).cloned().collect(),
            sensitivity: publication.statistics.sensitivity.get(track).cloned(),
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

fn of_round(round: &PublicRound, universe: Digest) -> Result<Vec<Document>, DocumentError> {
    let id = round.id();
    let mut found = Vec::new();
    let form = RoundForm {
        key: round.key.clone(),
        track: round.track,
        manifest: round.manifest.clone(),
        universe,
        frozen: round.frozen.clone(),
        state: state_name(&round.state).to_owned(),
        tombstone: round.tombstone().cloned(),
        exceptions: round.exceptions.clone(),
    };
    let mut put = |mut made: Document| {
        made.round_id = Some(id.clone());
        found.push(made);
    };
    put(document(Kind::Round, id.as_str(), &form)?);
    match &round.state {
        RoundState::Draft | RoundState::Ended(_) => {}
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
    Ok(found)
}

fn state_name(state: &RoundState) -> &'static str {
    match state {
        RoundState::Draft => "draft",
        RoundState::Ended(tombstone) => tombstone.ending.as_str(),
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
