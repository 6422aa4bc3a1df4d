//! Puts a publication together from its documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use capitalbench_core::evidence::claims::record::ClaimRecord;
use capitalbench_core::evidence::statistics::Statistics;
use capitalbench_core::market::universe::Universe;
use capitalbench_core::publication::boards::TrackBoards;
use capitalbench_core::publication::boards::comparison_set::ComparisonSet;
use capitalbench_core::publication::entrants::PublicEntry;
use capitalbench_core::publication::facts::InterimRow;
use capitalbench_core::publication::renames::continue_records;
use capitalbench_core::publication::{PublicRound, Publication, RoundState};
use capitalbench_core::round::manifest::Track;
use capitalbench_core::values::ids::{ModelId, RoundId};
use jiff::civil::Date;
use serde::de::DeserializeOwned;

use super::{
    BoardForm, Document, DocumentError, Header, Kind, RoundForm, SetForm, fault, state_name,
};

/// The publication of a header and all its documents, which may come in any order.
pub fn publication(header: &Header, documents: &[Document]) -> Result<Publication, DocumentError> {
    let mut pieces = Pieces::of(documents)?;
    let names = pieces.names.take();
    let names = names.ok_or_else(|| fault(Kind::Names, "names", "it is missing"))?;
    let mut rounds = Vec::with_capacity(pieces.rounds.len());
    for (id, form) in std::mem::take(&mut pieces.rounds) {
        rounds.push(pieces.round(&id, form)?);
    }
    rounds.sort_by(|a, b| a.key.cmp(&b.key));
    continue_records(&mut rounds);
    Ok(Publication {
        as_of: header.as_of,
        synthetic: header.is_synthetic,
        rounds,
        names,
        boards: pieces.boards,
        comparison_sets: pieces.sets.into_values().collect(),
        statistics: pieces.statistics,
        claims: pieces.claims,
        league: pieces.league,
        entries: pieces.entries,
    })
}

/// Parsed documents before they are put together.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) names: Option<BTreeMap<ModelId, String>>,
    pub(super) universes: BTreeMap<String, Arc<Universe>>,
    pub(super) rounds: Vec<(RoundId, RoundForm)>,
    states: BTreeMap<RoundId, RoundState>,
    interim: BTreeMap<RoundId, BTreeMap<Option<Date>, Vec<InterimRow>>>,
    pub(super) boards: BTreeMap<Track, TrackBoards>,
    pub(super) sets: BTreeMap<usize, ComparisonSet>,
    pub(super) statistics: Statistics,
    claims: Vec<ClaimRecord>,
    league: Option<String>,
    entries: Vec<PublicEntry>,
}

impl Pieces {
    pub(super) fn of(documents: &[Document]) -> Result<Self, DocumentError> {
        let mut pieces = Self::default();
        for document in documents {
            pieces.add(document)?;
        }
        Ok(pieces)
    }

    pub(super) fn add(&mut self, document: &Document) -> Result<(), DocumentError> {
        let of_round = || {
            let round_id = document.round_id.clone();
            round_id.ok_or_else(|| fault(document.kind, &document.name, "it names no round"))
        };
        match document.kind {
            Kind::Names => self.names = Some(read(document)?),
            Kind::Universe => {
                let universe = Arc::new(read(document)?);
                self.universes.insert(document.name.clone(), universe);
            }
            Kind::Round => self.rounds.push((of_round()?, read(document)?)),
            Kind::Decisions => {
                let state = RoundState::Open(read(document)?);
                self.states.insert(of_round()?, state);
            }
            Kind::Interim => {
                let days = self.interim.entry(of_round()?).or_default();
                days.insert(document.day, read(document)?);
            }
            Kind::Result => {
                let state = RoundState::Resolved(read(document)?);
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
        self.claims.extend(form.claims);
        self.claims.sort_by_key(|claim| claim.leaf);
        self.league = self.league.take().or(form.league);
        self.entries.extend(form.entries);
        self.entries.sort_by_key(|entry| entry.sealed.leaf);
        let sensitivity = form.sensitivity.map(|found| (track, found));
        self.statistics.sensitivity.extend(sensitivity);
    }

    pub(super) fn round(
        &mut self,
        id: &RoundId,
        form: RoundForm,
    ) -> Result<PublicRound, DocumentError> {
        let wrong = |reason: &str| fault(Kind::Round, id.as_str(), reason);
        let universe = self.universes.get(form.universe.to_hex().as_str());
        let universe = universe.ok_or_else(|| wrong("its universe is missing"))?;
        let without = form.tombstone.map_or(RoundState::Draft, RoundState::Ended);
        let mut state = self.states.remove(id).unwrap_or(without);
        if let (RoundState::Open(open), Some(days)) = (&mut state, self.interim.remove(id)) {
            open.interim = days.into_values().flatten().collect();
        }
        if state_name(&state) != form.state {
            let state = form.state;
            return Err(wrong(&format!(
                "it is {state}, but its documents are missing or withheld"
            )));
        }
        Ok(PublicRound {
            key: form.key,
            track: form.track,
            manifest: form.manifest,
            universe: universe.clone(),
            frozen: form.frozen,
            state,
            exceptions: form.exceptions,
            // It follows from all rounds together.
            continued: BTreeMap::new(),
        })
    }
}

fn track(document: &Document) -> Result<Track, DocumentError> {
    let name = document.track.as_deref();
    let all = [Track::Weekly, Track::Monthly];
    let found = all.into_iter().find(|track| name == Some(track.as_str()));
    found.ok_or_else(|| fault(document.kind, &document.name, "it names no track"))
}

fn read<T: DeserializeOwned>(document: &Document) -> Result<T, DocumentError> {
    let read = serde_json::from_str(&document.document);
    read.map_err(|error| fault(document.kind, &document.name, &error.to_string()))
}
